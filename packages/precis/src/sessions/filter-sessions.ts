/** Which sessions are meant. Every condition has to hold; without any, all are. */
import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { Agent } from './agent-home.ts'
import { type DescribedSession, describeSession } from './describe-session.ts'
import type { SessionFile } from './session-file.ts'
import { hasWords, splitWords } from './words.ts'

export interface SessionFilter {
  readonly agents?: readonly Agent[] | undefined
  readonly newerThan?: Date | undefined
  readonly olderThan?: Date | undefined
  /** The folder itself and all below it. */
  readonly project?: string | undefined
  /** A session without recorded usage is not larger than anything. */
  readonly largerThanTokens?: number | undefined
  /** Each has to stand in the id, the agent, the project, the title or the first prompt. */
  readonly words?: readonly string[] | undefined
}

/** In the order given. A session is opened only for what its file does not tell, and only if the rest holds. */
export function filterSessions<Session extends SessionFile>(
  sessions: readonly Session[],
  filter: SessionFilter,
): Session[] {
  const matches = createSessionMatcher(filter)
  return sessions.filter(matches)
}

/** The same question for one session after the other. */
export function createSessionMatcher(filter: SessionFilter): (session: SessionFile | DescribedSession) => boolean {
  const { agents, newerThan, olderThan, project, largerThanTokens, words = [] } = filter
  const folders = project === undefined ? [] : findNames(project)
  const wanted = words.flatMap(splitWords)
  const isDescriptionNeeded = folders.length > 0 || largerThanTokens !== undefined || wanted.length > 0
  return (session) => {
    if (agents && !agents.includes(session.agent)) return false
    if (newerThan && session.modified <= newerThan) return false
    if (olderThan && session.modified >= olderThan) return false
    if (!isDescriptionNeeded) return true
    const described = describeSession(session)
    const { workingDirectory, contextTokens } = described
    if (folders.length > 0 && !folders.some((folder) => isInside(workingDirectory, folder))) return false
    if (largerThanTokens !== undefined && (contextTokens ?? 0) <= largerThanTokens) return false
    return wanted.length === 0 || hasWords(renderSearchable(described), wanted)
  }
}

/** As it was given and as the disk calls it: agents note either. */
function findNames(project: string): string[] {
  const folder = resolve(project)
  try {
    return [...new Set([folder, realpathSync(folder)])]
  } catch {
    // Sessions outlive their projects.
    return [folder]
  }
}

function isInside(path: string | undefined, folder: string): boolean {
  return path === folder || path?.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) === true
}

// Of a prompt that is a whole document the beginning is what anybody remembers.
const MOST_PROMPT_LENGTH = 10_000

/** What the words of a query are looked for in. */
export function renderSearchable({
  id,
  agent,
  workingDirectory = '',
  title = '',
  firstPrompt = '',
}: DescribedSession): string {
  return [id, agent, workingDirectory, title, firstPrompt.slice(0, MOST_PROMPT_LENGTH)].join('\n')
}
