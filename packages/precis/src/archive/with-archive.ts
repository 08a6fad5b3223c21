/** Work on the archive that the flags, the environment or the configuration name. */
import { readConfigured } from '../configuration/read-configured.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError, SessionError } from '../files/errors.ts'
import { findSessionPath } from '../sessions/find-sessions.ts'
import { loadSession, STANDARD_INPUT } from '../sessions/load-session.ts'
import {
  type ArchivedCompression,
  findCompression,
  findNewestEntry,
  listGenerations,
} from './compressions.ts'
import type { NamedFact } from './locate-facts.ts'
import { type LocatedFact, locateFacts } from './locate-facts.ts'
import { explainArchiveError, findArchivePath, openArchive } from './open-archive.ts'
import type { Stored } from './store-original.ts'

export interface DatabaseFlags {
  readonly database?: string | undefined
}

/** The flag, else `PRECIS_DATABASE`, else the configuration, else the user's own file. */
export async function findArchivePlace({ database }: DatabaseFlags): Promise<string> {
  const { archive } = await readConfigured({ database })
  return archive?.database ?? findArchivePath()
}

/**
 * Opens the archive, and closes it in any case. `wanted` is for the error if nothing was ever kept.
 */
export async function withArchive<T>(
  wanted: string,
  flags: DatabaseFlags,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const place = await findArchivePlace(flags)
  const database = await openArchive(place)
  if (!database) {
    throw new ArchiveError(
      'not-archived',
      `Looking up ${wanted}: there is no archive yet. "precis compress" and "precis clone" create it.`,
    )
  }
  try {
    return await work(database)
  } catch (error) {
    throw explainArchiveError(error, place)
  } finally {
    await database.close()
  }
}

/** The entries that a search in a session's removed text covers, latest first. */
export async function listSearchedEntries(
  database: Database,
  name: string,
): Promise<ArchivedCompression[]> {
  return await listGenerations(database, await findArchivedEntry(database, name, findNewestEntry))
}

type Find = (database: Database, session: string) => Promise<ArchivedCompression>

/** A moved file still contains its id, and a file may be named after another id. */
export async function findArchivedEntry(
  database: Database,
  name: string,
  find: Find,
): Promise<ArchivedCompression> {
  try {
    return await find(database, name)
  } catch (error) {
    const isUnknown =
      error instanceof ArchiveError && error.code === 'not-archived' && name !== STANDARD_INPUT
    const path = isUnknown ? findFile(name) : undefined
    if (path === undefined) throw error
    const found = await find(database, path).catch(ignoreArchiveError)
    if (found) return found
    const sessionId = await readSessionId(path)
    if (sessionId === undefined) throw error
    return await find(database, sessionId)
  }
}

function ignoreArchiveError(error: unknown): undefined {
  if (!(error instanceof ArchiveError)) throw error
}

/** Undefined if it belongs to no agent. The archive may still know it. */
function findFile(name: string): string | undefined {
  try {
    return findSessionPath(name)
  } catch (error) {
    if (error instanceof SessionError && error.code === 'no-such-session') return undefined
    throw error
  }
}

async function readSessionId(path: string): Promise<string | undefined> {
  const { document, head } = await loadSession(path)
  document.close()
  return head?.sessionId
}

/** For a result that was just written. If nothing was kept, the facts have no commands. */
export async function locateGone(
  gone: readonly NamedFact[],
  kept: Stored | { readonly problem: string } | undefined,
  flags: DatabaseFlags,
): Promise<LocatedFact[]> {
  const unknown = gone.map((fact) => ({ ...fact, recall: null }))
  if (!kept || 'problem' in kept || gone.length === 0) return unknown
  try {
    return await withArchive(`"${kept.name}"`, flags, async (database) =>
      locateFacts(database, await findCompression(database, kept.name), gone, flags.database),
    )
  } catch (error) {
    // The result is written, and the archive may work again when a user looks something up.
    if (error instanceof ArchiveError) return unknown
    throw error
  }
}
