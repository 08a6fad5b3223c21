/** The sessions that the filters of "precis sessions" leave, in the order that was asked for. */
import type { Agent } from '../agents/shared/agent.ts'
import { arrangeFamilies, type InFamily } from '../sessions/arrange-families.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import { filterSessions } from '../sessions/filter-sessions.ts'
import type { SessionFile } from '../sessions/find-sessions.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import { createTextSearch, searchSession } from '../sessions/search-session.ts'
import { renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { noteDamage } from '../terminal/with-session.ts'
import type { ShownSession } from './sessions.ts'

export interface SessionFilters {
  readonly agent?: readonly Agent[]
  readonly project?: string
  readonly newerThan?: Date
  readonly olderThan?: Date
  readonly largerThan?: number
  readonly sort: SortKey
}

export type SortKey = 'modified' | 'size' | 'tokens'

type Sorted = SessionFile & { readonly contextTokens?: number | undefined }

export const SORTS: Readonly<Record<SortKey, (session: Sorted) => number>> = {
  modified: ({ modified }) => modified.getTime(),
  size: ({ bytes }) => bytes,
  // A session without recorded usage comes last.
  tokens: ({ contextTokens = -1 }) => contextTokens,
}

/** The sorted sessions. Opens a session only if a filter needs its content. */
export function chooseSessions(
  files: readonly SessionFile[],
  words: readonly string[],
  { agent, project, newerThan, olderThan, largerThan, sort }: SessionFilters,
  terminal: Terminal,
): (SessionFile | DescribedSession)[] {
  const known = filterSessions(files, { agents: agent, newerThan, olderThan })
  const isUnread =
    project === undefined && largerThan === undefined && words.length === 0 && sort !== 'tokens'
  if (isUnread) return sortSessions(known, sort)
  const matching = filterSessions(known.map(describeSession), { project, words })
  const uncounted = matching.filter(({ contextTokens }) => contextTokens === undefined).length
  if (largerThan !== undefined && uncounted > 0) {
    terminal.note(`precis: ${renderPlural(uncounted, 'session')} without recorded usage left out.`)
  }
  return sortSessions(filterSessions(matching, { largerThanTokens: largerThan }), sort)
}

function sortSessions<Session extends Sorted>(
  sessions: readonly Session[],
  key: SortKey,
): Session[] {
  return sessions.toSorted((a, b) => SORTS[key](b) - SORTS[key](a))
}

type FoundSession = SessionFile & Pick<ShownSession, 'found' | 'damage'>

export async function searchAll(
  sessions: readonly SessionFile[],
  text: string,
  limit: number,
  terminal: Terminal,
): Promise<FoundSession[]> {
  const { progress } = terminal
  const search = createTextSearch(text)
  const totalBytes = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  const matching: FoundSession[] = []
  let searchedBytes = 0
  for (const session of sessions) {
    if (matching.length >= limit) break
    progress.show(
      `searching, ${renderPlural(matching.length, 'session')} found`,
      searchedBytes / totalBytes,
    )
    const { found, damage } = await searchSession(session, search)
    noteDamage({ name: session.path, damage }, terminal)
    if (found) matching.push({ ...session, found, ...toDamageJson({ damage }) })
    searchedBytes += session.bytes
  }
  progress.clear()
  return matching
}

/** On a terminal the list ends next to the prompt, so the latest come last. */
export function arrange(
  sessions: readonly ShownSession[],
  sort: SortKey,
): InFamily<ShownSession>[] {
  if (sort !== 'modified') return sessions.map((session) => ({ ...session, isChild: false }))
  return arrangeFamilies(sessions, { isNewestLast: process.stdout.isTTY })
}
