/** The sessions that the filters of "precis sessions" leave, in the order that was asked for. */
import type { Agent } from '../agents/shared/agent.ts'
import { shortenHome } from '../files/user-folders.ts'
import { arrangeFamilies, type InFamily } from '../sessions/arrange-families.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import type { FactsCache } from '../sessions/facts-cache.ts'
import { type Describe, filterSessions } from '../sessions/filter-sessions.ts'
import type { SessionFile } from '../sessions/find-sessions.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import { searchSession } from '../sessions/search-session.ts'
import { describeKnown } from '../sessions/session-facts.ts'
import { createTextSearch } from '../sessions/text-search.ts'
import { neutralizeLine, renderPlural } from '../terminal/render.ts'
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

/**
 * The sorted sessions. Opens a session only if a filter needs its content, and the cache does not
 * know it.
 */
export function chooseSessions(
  files: readonly SessionFile[],
  words: readonly string[],
  { agent, project, newerThan, olderThan, largerThan, sort }: SessionFilters,
  cache: FactsCache,
  terminal: Terminal,
): SessionFile[] {
  const known = filterSessions(files, { agents: agent, newerThan, olderThan })
  const isUnread =
    project === undefined && largerThan === undefined && words.length === 0 && sort !== 'tokens'
  // They are listed by time.
  if (isUnread) return sort === 'modified' ? known : sortSessions(known, sort)
  const describe = showProgress(createDescriber(cache), known.length, terminal)
  const matching = filterSessions(known, { project, words }, describe)
  const countTokens = (session: SessionFile) => describe(session).contextTokens
  const uncounted = matching.filter((session) => countTokens(session) === undefined).length
  if (largerThan !== undefined && uncounted > 0) {
    terminal.note(`precis: ${renderPlural(uncounted, 'session')} without recorded usage left out.`)
  }
  const large = filterSessions(matching, { largerThanTokens: largerThan }, describe)
  const sorted = sortSessions(large, sort, countTokens)
  terminal.progress.clear()
  return sorted
}

const SHOWN_EACH = 100

/** The first read of thousands of beginnings takes seconds. */
function showProgress(describe: Describe, count: number, { progress }: Terminal): Describe {
  const seen = new Set<SessionFile>()
  return (session) => {
    seen.add(session)
    if (seen.size % SHOWN_EACH === 0)
      progress.show(
        `reading the beginnings of ${renderPlural(count, 'session')}`,
        seen.size / count,
      )
    return describe(session)
  }
}

/** By the cache if it knows a session. Each is looked up once. */
export function createDescriber(cache: FactsCache): Describe {
  const known = new Map<SessionFile, DescribedSession>()
  return (session) => {
    const found = known.get(session)
    if (found) return found
    const facts = cache.find(session)
    const described = facts ? describeKnown(session, facts) : describeSession(session)
    known.set(session, described)
    return described
  }
}

function sortSessions(
  sessions: readonly SessionFile[],
  key: SortKey,
  countTokens: (session: SessionFile) => number | undefined = () => undefined,
): SessionFile[] {
  return sessions
    .map((session) => ({
      session,
      rank: SORTS[key]({ ...session, contextTokens: countTokens(session) }),
    }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ session }) => session)
}

type FoundSession = SessionFile & Pick<ShownSession, 'found' | 'damage'>

/** Sessions that contain the text, at most `limit`, and how many are left once there are enough. */
export async function searchAll(
  sessions: readonly SessionFile[],
  text: string,
  limit: number,
  terminal: Terminal,
): Promise<{ readonly matching: FoundSession[]; readonly left: number }> {
  const { progress } = terminal
  const search = createTextSearch(text)
  const totalBytes = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  const matching: FoundSession[] = []
  let [searched, searchedBytes] = [0, 0]
  for (const session of sessions) {
    if (matching.length >= limit) break
    searched += 1
    progress.show(
      `searching, ${renderPlural(matching.length, 'session')} found`,
      searchedBytes / totalBytes,
    )
    const { found, damage, leftOut } = await searchSession(session, search)
    noteDamage({ name: session.path, damage }, terminal)
    if (leftOut !== undefined)
      terminal.note(
        neutralizeLine(`precis: "${shortenHome(session.path)}": ${leftOut} were not searched.`),
      )
    if (found) matching.push({ ...session, found, ...toDamageJson({ damage }) })
    searchedBytes += session.bytes
  }
  progress.clear()
  return { matching, left: sessions.length - searched }
}

/** On a terminal the list ends next to the prompt, so the latest come last. */
export function arrange(
  sessions: readonly ShownSession[],
  sort: SortKey,
): InFamily<ShownSession>[] {
  if (sort !== 'modified') return sessions.map((session) => ({ ...session, isChild: false }))
  return arrangeFamilies(sessions, { isNewestLast: process.stdout.isTTY })
}
