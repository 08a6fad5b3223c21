/** Sessions that precis made, according to the archive or the file next to a clone. */
import { hostname } from 'node:os'
import type { Measured } from '../agents/shared/agent.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { asCount, asObject } from '../files/lines.ts'
import type { SessionFile } from '../sessions/find-sessions.ts'
import { readOrigin } from '../sessions/lineage.ts'
import { type ArchivedCompression, listCompressions, readReport } from './compressions.ts'
import { openArchive } from './open-archive.ts'
import { type DatabaseFlags, findArchivePlace } from './with-archive.ts'

/** The original of a session that precis made. */
export type CompressionOrigin = NonNullable<ReturnType<typeof readOrigin>>

interface CompressionOrigins {
  find(session: SessionFile): CompressionOrigin | undefined
  /**
   * The context of a session that precis wrote. Includes what is not in its file, if that is known.
   */
  estimateTokens(session: SessionFile): Promise<Measured | undefined>
}

/**
 * Reads the journal once. Creates no archive if there is none. Returns why a journal could not be
 * read, for the user.
 */
export async function withCompressionOrigins(
  flags: DatabaseFlags,
  work: (origins: CompressionOrigins) => Promise<void>,
): Promise<string | undefined> {
  let database: Database | undefined
  let journal: ArchivedCompression[] = []
  let problem: string | undefined
  try {
    database = await openArchive(await findArchivePlace(flags))
    journal = database ? await listCompressions(database) : []
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    problem = error.message
  }
  try {
    await work(createOrigins(journal, database))
  } finally {
    await database?.close()
  }
  return problem
}

function createOrigins(
  journal: readonly ArchivedCompression[],
  database: Database | undefined,
): CompressionOrigins {
  const byPath = new Map<string, ArchivedCompression>()
  const byId = new Map<string, ArchivedCompression>()
  // The latest comes first, because that one is in the file now. A session that its agent compacted
  // in place is not by precis.
  for (const entry of journal.filter(({ command }) => command !== 'compact').reverse()) {
    const isHere = entry.host === null || entry.host === hostname()
    if (isHere && entry.path !== null) byPath.set(entry.path, entry)
    if (entry.sessionId !== null) byId.set(entry.sessionId, entry)
  }
  const findEntry = ({ id, path }: SessionFile) =>
    byId.get(id) ?? (byPath.size > 0 ? byPath.get(findRealPath(path)) : undefined)
  return {
    find(session) {
      const entry = findEntry(session)
      return entry ? toOrigin(entry) : readOrigin(session)
    },
    async estimateTokens(session) {
      const entry = findEntry(session)
      if (!entry || !database) return undefined
      const { after, notInFileTokens } = await readReport(database, entry)
      const tokens = asCount(asObject(after)?.tokens)
      return tokens > 0
        ? { value: tokens + asCount(notInFileTokens), isEstimated: true }
        : undefined
    },
  }
}

function toOrigin({
  command,
  storedAt,
  originalId,
  originalPath,
}: ArchivedCompression): CompressionOrigin {
  return {
    command,
    at: storedAt,
    sessionId: originalId ?? undefined,
    path: originalPath ?? undefined,
  }
}
