/** What all commands that read the archive share. */
import type { Command } from 'commander'
import {
  type ArchivedCompression,
  describeDamage,
  findCompression,
  readReport,
} from '../archive/compressions.ts'
import { type LocatedFact, locateFacts, readNamedFacts } from '../archive/locate-facts.ts'
import { type DatabaseFlags, findArchivedEntry, withArchive } from '../archive/with-archive.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import {
  type Damage,
  type LoadedSession,
  readDamageJson,
  toDamageJson,
} from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { noteDamage } from '../terminal/with-session.ts'
import { addDatabaseOption } from './options.ts'
import { type FindKind, pickWhereMissing, SESSION_ARGUMENT } from './session-argument.ts'

export function addArchivedSessionArgument(command: Command, kind?: FindKind): Command {
  const meaning =
    'a session that precis wrote, its original, or an entry of the archive: a file, or any unique beginning of an id'
  const argument = addDatabaseOption(command).argument(
    `[${SESSION_ARGUMENT}]`,
    `${meaning} (default: choose from a list)`,
  )
  return pickWhereMissing(argument, kind ?? (() => 'archived-session'))
}

export interface ArchivedSessionFlags extends DatabaseFlags {
  readonly json?: boolean
}

/**
 * Finds the entry that made the session. Reports the damage of the original. `work` gets the damage
 * too, for JSON.
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
    const entry = await findArchivedEntry(database, name, findCompression)
    const original = await readDamage(database, entry)
    noteDamage(original, terminal)
    const damage = await describeDamage(database, entry)
    if (damage !== undefined) terminal.note(`precis: ${damage}.`)
    return await work(database, entry, toDamageJson(original))
  })
}

/** The damage when the original was kept. */
export async function readDamage(
  database: Database,
  entry: ArchivedCompression,
): Promise<Pick<LoadedSession, 'name' | 'damage'>> {
  const damage = readDamageJson(await readReport(database, entry))
  return { name: entry.originalPath ?? entry.name, damage }
}

/**
 * The facts that the compression of a session removed. Undefined if the archive has no such entry.
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
      terminal.note(`precis: facts that were removed are not shown. ${error.message}`)
    return []
  }
}
