/** What precis did to the sessions of this machine before: the journal of the archive, and the file that lies beside a clone. */
import { existsSync } from 'node:fs'
import { type ArchivedCompression, findRealPath, listCompressions, readReport } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import { findLineagePath, readLineage } from '../sessions/lineage.ts'
import { openSession } from '../sessions/open-session.ts'
import { splitDatabasePath } from '../sessions/opencode/stored-session.ts'
import { readHead } from '../sessions/read-head.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { nameSession } from './result-id.ts'

export interface Journal {
  /** `written`: by precis, and nobody went on with it. Undefined where nothing tells that precis wrote it. */
  findOrigin(session: SessionFile): Promise<'written' | 'continued' | undefined>
  /** Whether the bytes were compressed with the same settings, by any command, and the result is still there. */
  hasResult(sha256: string, settings: string): Promise<boolean>
  close(): Promise<void>
}

// What is written shortly after its entry in the journal is the result itself.
const WRITING_MS = 60_000

/** `place` is a file or an address; the user's own file by default. Throws `ArchiveError`. */
export async function openJournal(place: string | undefined): Promise<Journal> {
  const database = await openArchive(place)
  const entries = database ? await listCompressions(database) : []
  const results = indexResults(entries)
  const byOriginal = indexOriginals(entries)
  return {
    async findOrigin(session) {
      const { agent, id, path } = session
      const entry = results.get(findRealPath(path)) ?? results.get(nameSession(agent, id))
      if (!entry) return await findCloned(session)
      return isAsWritten(session, entry) ? 'written' : 'continued'
    },
    async hasResult(sha256, settings) {
      for (const entry of byOriginal.get(sha256) ?? []) {
        if (!database || entry.path === null || !existsSync(entry.path)) continue
        if ((await readReport(database, entry)).settings === settings) return true
      }
      return false
    },
    close: async () => await database?.close(),
  }
}

/** By path, and by id for what was moved or imported since. The newest wins; what an agent compacted in its place is no result. */
function indexResults(newestFirst: readonly ArchivedCompression[]): Map<string, ArchivedCompression> {
  const index = new Map<string, ArchivedCompression>()
  for (const entry of newestFirst.toReversed()) {
    if (entry.command === 'compact') continue
    if (entry.path !== null) index.set(entry.path, entry)
    if (entry.sessionId !== null) index.set(nameSession(entry.format, entry.sessionId), entry)
  }
  return index
}

function indexOriginals(entries: readonly ArchivedCompression[]): Map<string, ArchivedCompression[]> {
  const index = new Map<string, ArchivedCompression[]>()
  for (const entry of entries) {
    const others = index.get(entry.originalHash)
    if (others) others.push(entry)
    else index.set(entry.originalHash, [entry])
  }
  return index
}

/** A session that somebody went on with is longer. What was imported into a database has another length anyway. */
function isAsWritten({ path, bytes, modified }: SessionFile, { resultBytes, storedAt }: ArchivedCompression): boolean {
  if (resultBytes !== null && !splitDatabasePath(path)) return bytes === resultBytes
  return modified.getTime() <= Date.parse(storedAt) + WRITING_MS
}

/** A clone, or a result that no archive knows. */
async function findCloned({ agent, path, modified }: SessionFile): Promise<'written' | 'continued' | undefined> {
  if (!existsSync(findLineagePath(path))) return undefined
  const document = await openSession(path)
  try {
    const [newest] = readLineage(document, readHead(document.source, agent).sessionId)
    if (!newest) return undefined
    return modified.getTime() <= Date.parse(newest.clonedAt) + WRITING_MS ? 'written' : 'continued'
  } finally {
    document.close()
  }
}
