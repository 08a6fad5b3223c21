import {
  type ArchivedCompression,
  listCompressions,
  listGenerations,
} from '../../archive/compressions.ts'
import type { Database } from '../../database/database.ts'
import { ArchiveError } from '../../files/errors.ts'
import { createSessionMatcher } from '../../sessions/filter-sessions.ts'
import { findAgent } from '../../sessions/find-sessions.ts'
import type { ToolHost } from './tool.ts'

/** The sessions to search. By default the latest of this project. */
export interface SearchPlace {
  readonly reference?: string
  readonly session?: string
}

export const MOST_SESSIONS = 10

/** Includes the generations of each, latest first. */
export async function findCompressions(
  database: Database,
  { reference, session }: SearchPlace,
  host: ToolHost,
) {
  const name = reference ?? session
  if (name !== undefined) return await host.listSearchedEntries(database, name)
  const found = await findProjectCompressions(database, host.directory, MOST_SESSIONS)
  if (found.length > 0) return found
  throw new ArchiveError(
    'not-archived',
    `Recalling: no session of "${host.directory}" was compressed by precis and kept. Give "reference" or "session" to look in another one.`,
  )
}

// Older ones have to be named.
const MOST_LOOKED_AT = 200

/**
 * The latest compressions of sessions that worked in a folder or its subfolders, each with the ones
 * before it, latest first.
 */
async function findProjectCompressions(
  database: Database,
  directory: string,
  most: number,
): Promise<ArchivedCompression[]> {
  const isOfProject = createSessionMatcher({ project: directory })
  const found = new Map<number, ArchivedCompression>()
  let sessions = 0
  for (const entry of await listCompressions(database, MOST_LOOKED_AT)) {
    if (sessions === most) break
    if (found.has(entry.id) || !toFiles(entry).some(isOfProject)) continue
    sessions++
    for (const generation of await listGenerations(database, entry))
      found.set(generation.id, generation)
  }
  return [...found.values()]
}

/** The paths of the written session and of its original. Either may be gone. */
function toFiles({
  format,
  sessionId,
  originalId,
  path,
  originalPath,
  originalBytes,
  storedAt,
}: ArchivedCompression) {
  const agent = findAgent(format, path ?? undefined)
  if (!agent) return []
  const places = [
    { id: sessionId, path },
    { id: originalId, path: originalPath },
  ]
  return places.flatMap(({ id, path: place }) =>
    place === null
      ? []
      : [{ agent, id: id ?? '', path: place, bytes: originalBytes, modified: new Date(storedAt) }],
  )
}
