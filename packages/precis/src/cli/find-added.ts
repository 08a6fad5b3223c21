/** What an agent added to a compressed session since it was written. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type ByteSource, findGrowth, type Growth } from '@precis/core/formats'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { findSessionPath } from '../sessions/find-sessions.ts'
import { type LoadedSession, loadSession } from '../sessions/load-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { SessionError } from '../sessions/session-error.ts'

/** The compressed session as it is now; undefined when it is gone. A file that was moved is found by its name or id. */
export async function openCompressed(name: string, entry: ArchivedCompression): Promise<LoadedSession | undefined> {
  const { sessionId, path, originalPath } = entry
  const given = existsSync(name) && name !== originalPath ? name : undefined
  for (const candidate of [given, sessionId, path]) {
    if (!candidate) continue
    try {
      const session = await loadSession(findSessionPath(candidate))
      // The original was named, or a file that was put in its place.
      if (sessionId === null || session.head?.sessionId === sessionId) return session
      session.document.close()
    } catch (error) {
      if (!(error instanceof SessionError && error.code === 'no-such-session')) throw error
    }
  }
  return undefined
}

/** None where the session is byte for byte what was written. */
export function findAdded(entry: ArchivedCompression, { format, document, conversation }: LoadedSession): Growth {
  const { resultBytes, resultHash, resultMessages, path } = entry
  const { source } = document
  if (resultBytes !== null && resultHash !== null && source.byteLength >= resultBytes) {
    const start = resultBytes
    if (hashBeginning(source, start) === resultHash) {
      if (source.byteLength === start) return { messages: [] }
      const before = { byteLength: start, read: (from: number, to: number) => source.read(from, Math.min(to, start)) }
      return findGrowth(format.parse(before), conversation, start)
    }
  }
  // What waits to be imported stays as it was written, when the agent goes on in its store.
  const written = path !== null && path !== document.path && existsSync(path) ? readFileSync(path) : undefined
  if (written && createHash('sha256').update(written).digest('hex') === resultHash) {
    return findGrowth(format.parse(createMemorySource(written)), conversation, undefined)
  }
  return { messages: resultMessages === null ? [] : conversation.messages.slice(resultMessages) }
}

const CHUNK_BYTES = 1 << 20

function hashBeginning(source: ByteSource, end: number): string {
  const sha256 = createHash('sha256')
  for (let start = 0; start < end; start += CHUNK_BYTES) {
    sha256.update(source.read(start, Math.min(start + CHUNK_BYTES, end)))
  }
  return sha256.digest('hex')
}
