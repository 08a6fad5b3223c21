/** Which sessions precis made, and of what: from the journal of the archive, and from the file beside a clone. */
import { hostname } from 'node:os'
import { ArchiveError } from '../archive/archive-error.ts'
import { type ArchivedCompression, findRealPath, listCompressions } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import { readOrigin } from '../sessions/lineage.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { type DatabaseFlags, findArchivePlace } from './database-option.ts'

export interface CompressionOrigin {
  /** `compress`, `clone` and the like. */
  readonly command: string
  /** ISO 8601. */
  readonly at: string
  /** Undefined where the original had none, or came from standard input. */
  readonly sessionId: string | undefined
  readonly path: string | undefined
}

export interface CompressionOrigins {
  find(session: SessionFile): CompressionOrigin | undefined
  /** Why the journal could not be read: what only it knows is not marked. */
  readonly problem: string | undefined
}

/** Reads the journal once. No archive is made where there is none, and one that cannot be read ends nothing. */
export async function readCompressionOrigins(flags: DatabaseFlags): Promise<CompressionOrigins> {
  const entries = await readJournal(flags)
  const journal = entries instanceof ArchiveError ? [] : entries
  const byPath = new Map<string, ArchivedCompression>()
  const byId = new Map<string, ArchivedCompression>()
  // The newest comes first, and is what lies there now. What an agent compacted in its place is no session of ours.
  for (const entry of journal.filter(({ command }) => command !== 'compact')) {
    const isHere = entry.host === null || entry.host === hostname()
    if (isHere && entry.path !== null && !byPath.has(entry.path)) byPath.set(entry.path, entry)
    if (entry.sessionId !== null && !byId.has(entry.sessionId)) byId.set(entry.sessionId, entry)
  }
  return {
    problem: entries instanceof ArchiveError ? entries.message : undefined,
    find(session) {
      const entry = byId.get(session.id) ?? (byPath.size > 0 ? byPath.get(findRealPath(session.path)) : undefined)
      return entry ? toOrigin(entry) : readOrigin(session)
    },
  }
}

async function readJournal(flags: DatabaseFlags): Promise<ArchivedCompression[] | ArchiveError> {
  try {
    const database = await openArchive(await findArchivePlace(flags))
    if (!database) return []
    try {
      return await listCompressions(database)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof ArchiveError) return error
    throw error
  }
}

function toOrigin({ command, storedAt, originalId, originalPath }: ArchivedCompression): CompressionOrigin {
  return { command, at: storedAt, sessionId: originalId ?? undefined, path: originalPath ?? undefined }
}
