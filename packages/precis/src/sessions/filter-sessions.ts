/**
 * Conditions that select sessions. All of them have to hold. Without conditions, all sessions
 * match.
 */
import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { Agent } from '../agents/shared/agent.ts'
import { type DescribedSession, describeSession } from './describe-session.ts'
import type { SessionFile } from './find-sessions.ts'

export interface SessionFilter {
  readonly agents?: readonly Agent[] | undefined
  readonly newerThan?: Date | undefined
  readonly olderThan?: Date | undefined
  /** The folder itself and all below it. */
  readonly project?: string | undefined
  /** A session without recorded usage is not larger than anything. */
  readonly largerThanTokens?: number | undefined
  /** Each has to be in the id, the agent, the project, the title or the first prompt. */
  readonly words?: readonly string[] | undefined
}

/**
 * In the given order. A session is opened only if its file's data is not enough and all other
 * conditions hold.
 */
export function filterSessions<Session extends SessionFile>(
  sessions: readonly Session[],
  filter: SessionFilter,
  describe?: Describe,
): Session[] {
  const matches = createSessionMatcher(filter, describe)
  return sessions.filter(matches)
}

/** Reads a session, or knows it from an earlier run. */
export type Describe = (session: SessionFile | DescribedSession) => DescribedSession

/** The same question for one session after the other. */
export function createSessionMatcher(
  filter: SessionFilter,
  describe: Describe = describeSession,
): (session: SessionFile | DescribedSession) => boolean {
  const { agents, newerThan, olderThan, project, largerThanTokens, words = [] } = filter
  const folders = project === undefined ? [] : findNames(project)
  const wanted = words.flatMap(splitWords)
  const isDescriptionNeeded =
    folders.length > 0 || largerThanTokens !== undefined || wanted.length > 0
  return (session) => {
    if (agents && !agents.includes(session.agent)) return false
    if (newerThan && session.modified <= newerThan) return false
    if (olderThan && session.modified >= olderThan) return false
    if (!isDescriptionNeeded) return true
    const described = describe(session)
    const { workingDirectory, contextTokens } = described
    if (folders.length > 0 && !folders.some((folder) => isInside(workingDirectory, folder)))
      return false
    if (largerThanTokens !== undefined && (contextTokens ?? 0) <= largerThanTokens) return false
    return wanted.length === 0 || containsWords(renderSearchable(described), wanted)
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

/** Whether a path is a folder, or below it. */
export function isInside(path: string | undefined, folder: string): boolean {
  return (
    path === folder || path?.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) === true
  )
}

/** The text in which the words of a query are searched. */
export function renderSearchable({
  id,
  agent,
  workingDirectory = '',
  title = '',
  firstPrompt = '',
}: DescribedSession): string {
  return [id, agent.name, workingDirectory, title, firstPrompt].join('\n')
}

/** As people look for sessions: words in any order, in small or large letters. */
export function splitWords(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Whether every word is in it. No words are in everything. */
export function containsWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}
