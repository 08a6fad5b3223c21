/** The part that every command that reads the archive shares. */
import type { Command } from 'commander'
import {
  type ArchivedCompression,
  describeDamage,
  findCompression,
  findNewestEntry,
  findRealPath,
  listGenerations,
  readReport,
} from '../archive/compressions.ts'
import { type LocatedFact, locateFacts } from '../archive/locate-facts.ts'
import { type NamedFact, readNamedFacts } from '../archive/named-facts.ts'
import { explain, openArchive } from '../archive/open-archive.ts'
import type { Kept } from '../compression/ports.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError, SessionError } from '../files/errors.ts'
import { findSessionPath } from '../sessions/find-sessions.ts'
import {
  type Damage,
  type LoadedSession,
  loadSession,
  readDamageJson,
  STANDARD_INPUT,
  toDamageJson,
} from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addDatabaseOption, type DatabaseFlags, findArchivePlace } from './read-configured.ts'
import { noteDamage, pickWhereMissing, SESSION_ARGUMENT } from './session-argument.ts'

export function addArchivedSessionArgument(command: Command): Command {
  const meaning =
    'a session that precis wrote, its original, or an entry of the archive: a file, or any unique beginning of an id'
  const argument = addDatabaseOption(command).argument(
    `[${SESSION_ARGUMENT}]`,
    `${meaning}; without it a list to pick from`,
  )
  return pickWhereMissing(argument, 'archived-session')
}

export interface ArchivedSessionFlags extends DatabaseFlags {
  readonly json?: boolean
}

/**
 * Finds the entry that made the session. Reports the damage of the original; `work` gets it too,
 * for JSON.
 */
export async function withArchivedSession<T>(
  name: string,
  flags: DatabaseFlags,
  terminal: Terminal,
  work: (
    database: Database,
    compression: ArchivedCompression,
    damage: { damage?: Damage },
  ) => Promise<T> | T,
): Promise<T> {
  return await withArchive(`"${name}"`, flags, async (database) => {
    const entry = await findEntry(database, name, findCompression)
    const original = await readDamage(database, entry)
    noteDamage(original, terminal)
    const damage = await describeDamage(database, entry)
    if (damage !== undefined) terminal.note(`precis: ${damage}.`)
    return await work(database, entry, toDamageJson(original))
  })
}

/** As it was found when the original was kept. */
export async function readDamage(
  database: Database,
  entry: ArchivedCompression,
): Promise<Pick<LoadedSession, 'name' | 'damage'>> {
  const damage = readDamageJson(await readReport(database, entry))
  return { name: entry.originalPath ?? entry.name, damage }
}

/** The entries that a search through all that was removed from a session looks in, newest first. */
export async function listSearchedEntries(
  database: Database,
  name: string,
): Promise<ArchivedCompression[]> {
  return await listGenerations(database, await findEntry(database, name, findNewestEntry))
}

/**
 * Opens the archive, and closes it in any case; `wanted` is for the error that says that nothing
 * was ever kept.
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
      `Looking up ${wanted} in the archive: there is none yet. "precis compress" and "precis clone" make it.`,
    )
  }
  try {
    return await work(database)
  } catch (error) {
    throw explain(error, place)
  } finally {
    await database.close()
  }
}

type Find = (database: Database, session: string) => Promise<ArchivedCompression>

/**
 * A file that was moved still has its id in it, and a file may be named after another id than it
 * has.
 */
async function findEntry(
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

/** Undefined where it is of no agent: the archive may know it all the same. */
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

/** For a result that was just written; without ways where nothing was kept. */
export async function locateGone(
  gone: readonly NamedFact[],
  kept: Kept | undefined,
  { database: archive }: DatabaseFlags,
): Promise<LocatedFact[]> {
  const unknown = gone.map((fact) => ({ ...fact, recall: null }))
  if (!kept || 'problem' in kept || gone.length === 0) return unknown
  try {
    return await withArchive(`"${kept.name}"`, { database: archive }, async (database) =>
      locateFacts(database, await findCompression(database, kept.name), gone, archive),
    )
  } catch (error) {
    // The result is written, and the archive may be back by the time that somebody looks something
    // up in it.
    if (error instanceof ArchiveError) return unknown
    throw error
  }
}

/**
 * Of what the compression removed that made a session; none where the archive has no such entry.
 */
export async function findGone(
  path: string | undefined,
  terminal: Terminal,
): Promise<LocatedFact[]> {
  if (path === undefined) return []
  try {
    return await withArchive(`"${path}"`, {}, async (database) => {
      const entry = await findCompression(database, path)
      if (entry.path !== findRealPath(path)) return []
      return await locateFacts(database, entry, readNamedFacts(await readReport(database, entry)))
    })
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    if (error.code !== 'not-archived')
      terminal.note(`precis: what is no longer in it is not shown. ${error.message}`)
    return []
  }
}
