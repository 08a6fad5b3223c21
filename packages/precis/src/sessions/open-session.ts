import { isFolderSession, renderExport, splitDatabasePath, withStoredSession } from './opencode/stored-session.ts'
import { createMemorySource, type OpenDocument, openDocument } from './read-document.ts'

/** A session as the document its agent would give of it: a file, or an export of what lies in a store of rows or files. */
export async function openSession(path: string): Promise<OpenDocument> {
  if (!splitDatabasePath(path) && !isFolderSession(path)) return await openDocument(path)
  const source = createMemorySource(Buffer.from(withStoredSession(path, renderExport)))
  return { source, path, stats: undefined, close: () => {} }
}
