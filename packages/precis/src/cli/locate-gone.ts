/**
 * The weightiest facts that a compression removed, by name, each with the command that recalls it.
 */
import { findCompression, findRealPath, readReport } from '../archive/compressions.ts'
import { type LocatedFact, locateFacts } from '../archive/locate-facts.ts'
import { type NamedFact, readNamedFacts } from '../archive/named-facts.ts'
import type { Kept } from '../compression/ports.ts'
import { ArchiveError } from '../files/errors.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withArchive } from './archived-session.ts'
import type { DatabaseFlags } from './read-configured.ts'

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
