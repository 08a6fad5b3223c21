import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, type AgentHome, findAgentHomes } from './agent-home.ts'
import { CHAT_FILE, CHAT_LEVELS, dropStarts } from './gemini-cli/list-chats.ts'
import { listOpencodeSessions } from './opencode/list-opencode.ts'
import { splitDatabasePath } from './opencode/stored-session.ts'
import { SESSION_FILE } from './pi/stored-session.ts'
import { explainSystemError, SessionError, systemErrorCode } from './session-error.ts'
import type { SessionFile } from './session-file.ts'
import { shortenHome } from './shorten-home.ts'

// Files of other names lie there too: transcripts of subagents, indexes.
const CLAUDE_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CODEX_FILE = /^rollout-.{1,40}-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const LAYOUTS = {
  'claude-code': { levels: 1, pattern: CLAUDE_FILE },
  // Year, month and day.
  codex: { levels: 3, pattern: CODEX_FILE },
  'gemini-cli': { levels: CHAT_LEVELS, pattern: CHAT_FILE },
  pi: { levels: 1, pattern: SESSION_FILE },
} as const
const ID_PREFIX = /^(?:[0-9a-f][0-9a-f-]{2,35}|ses_[0-9a-z]{0,60})$/i
const MAX_CANDIDATES = 10

/** Every session of every agent, newest first. No session is opened. */
export function listSessionFiles(homes: readonly AgentHome[] = findAgentHomes()): SessionFile[] {
  return homes
    .flatMap(({ agent, sessionsDirectory }) => {
      if (agent === 'opencode') return listOpencodeSessions(sessionsDirectory)
      const { levels, pattern } = LAYOUTS[agent]
      const files = listFiles(sessionsDirectory, levels, pattern).flatMap((file) => describeFile(agent, file))
      return agent === 'gemini-cli' ? dropStarts(files) : files
    })
    .sort((a, b) => b.modified.getTime() - a.modified.getTime())
}

/** A path is taken as it is; anything else has to be an id, or the beginning of one, of an agent's session. */
export function findSessionPath(session: string): string {
  if (existsSync(splitDatabasePath(session)?.database ?? session)) return session
  const homes = findAgentHomes()
  const files = ID_PREFIX.test(session) ? listSessionFiles(homes) : []
  const prefix = session.toLowerCase()
  const matches = files.filter(({ agent, id }) => {
    // Of an id of Gemini CLI the name of the file has only the beginning.
    return id.toLowerCase().startsWith(prefix) || (agent === 'gemini-cli' && prefix.startsWith(id.toLowerCase()))
  })
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
