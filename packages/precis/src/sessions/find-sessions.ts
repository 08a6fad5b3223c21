import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, type AgentHome, findAgentHomes } from './agent-home.ts'
import { explainSystemError, SessionError, systemErrorCode } from './session-error.ts'
import { shortenHome } from './shorten-home.ts'

/** A session as the folders of its agent tell of it. */
export interface SessionFile {
  readonly agent: Agent
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}

// Files of other names lie there too: transcripts of subagents, indexes.
const CLAUDE_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CODEX_FILE = /^rollout-.{1,40}-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CODEX_DATE_LEVELS = 3
const ID_PREFIX = /^[0-9a-f][0-9a-f-]{2,35}$/i
const MAX_CANDIDATES = 10

/** Every session of every agent, newest first. Nothing is opened. */
export function listSessionFiles(homes: readonly AgentHome[] = findAgentHomes()): SessionFile[] {
  return homes
    .flatMap(({ agent, sessionsDirectory }) => {
      const [levels, pattern] = agent === 'codex' ? [CODEX_DATE_LEVELS, CODEX_FILE] : [1, CLAUDE_FILE]
      return listFiles(sessionsDirectory, levels, pattern).flatMap((file) => describeFile(agent, file))
    })
    .sort((a, b) => b.modified.getTime() - a.modified.getTime())
}

/** A path is taken as it is; anything else has to be an id, or the beginning of one, of an agent's session. */
export function findSessionPath(session: string): string {
  if (existsSync(session)) return session
  const homes = findAgentHomes()
  const files = ID_PREFIX.test(session) ? listSessionFiles(homes) : []
  const prefix = session.toLowerCase()
  const matches = files.filter(({ id }) => id.toLowerCase().startsWith(prefix))
  if (matches.length === 1 && matches[0]) return matches[0].path
  if (matches.length === 0) throw new SessionError('no-such-session', explainMissing(session, homes, files))
  const shown = matches.slice(0, MAX_CANDIDATES)
  const lines = shown.map(({ agent, id, path }) => `  ${id}  ${agent}  ${shortenHome(path)}`)
  const more = matches.length > shown.length ? `\n  and ${matches.length - shown.length} more` : ''
  throw new SessionError(
    'ambiguous-session',
    `Finding session "${session}": ${matches.length} sessions start like this. Give more of the id:\n${lines.join('\n')}${more}`,
  )
}

function explainMissing(session: string, homes: readonly AgentHome[], files: readonly SessionFile[]): string {
  if (!ID_PREFIX.test(session)) {
    return `Reading "${session}": no such file. Give a path, "-" for standard input, or an id from "precis sessions".`
  }
  const counts = homes.map(
    ({ agent, name, sessionsDirectory }) =>
      `${files.filter((file) => file.agent === agent).length} of ${name} in ${shortenHome(sessionsDirectory)}`,
  )
  return `Finding session "${session}": there is no such file, and no session has an id that starts like this (looked at ${counts.join(', ')}). "precis sessions" lists them.`
}

function listFiles(directory: string, levels: number, pattern: RegExp): { id: string; path: string }[] {
  return listDirectory(directory).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (levels > 0) return entry.isDirectory() ? listFiles(path, levels - 1, pattern) : []
    const id = entry.isFile() ? pattern.exec(entry.name)?.[1] : undefined
    return id === undefined ? [] : [{ id, path }]
  })
}

function listDirectory(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    // An agent that is not installed has no folder.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemErrorCode(error) ?? '')) return []
    throw new SessionError('unreadable', `Listing sessions in "${directory}": ${explainSystemError(error)}.`)
  }
}

/** Empty when the file went away since it was listed. */
function describeFile(agent: Agent, { id, path }: { id: string; path: string }): SessionFile[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? [{ agent, id, path, bytes: stats.size, modified: stats.mtime }] : []
}
