import { type ArchivedCompression, listCompressions, listGenerations } from '../archive/compressions.ts'
import type { Database } from '../database/database.ts'
import { findAgentHome } from '../sessions/agent-home.ts'
import { createSessionMatcher } from '../sessions/filter-sessions.ts'

// Older ones have to be named.
const MOST_LOOKED_AT = 200

/** The newest compressions of sessions that worked in a folder or below it, each with those before it, newest first. */
export async function findProjectCompressions(
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
    for (const generation of await listGenerations(database, entry)) found.set(generation.id, generation)
  }
  return [...found.values()]
}

/** Where the session lies that was written, and where its original: either may be gone. */
function toFiles({ format, sessionId, originalId, path, originalPath, originalBytes, storedAt }: ArchivedCompression) {
  const home = findAgentHome(format)
  if (!home) return []
  const { agent } = home
  const places = [
    { id: sessionId, path },
    { id: originalId, path: originalPath },
  ]
  return places.flatMap(({ id, path: place }) =>
    place === null ? [] : [{ agent, id: id ?? '', path: place, bytes: originalBytes, modified: new Date(storedAt) }],
  )
}
