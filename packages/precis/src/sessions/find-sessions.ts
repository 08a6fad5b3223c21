import { existsSync } from 'node:fs'
import { type AgentHome, findAgentHomes } from './agent-home.ts'
import { listCopilotSessions } from './copilot/list-copilot.ts'
import { CHAT_FILE, CHAT_LEVELS, dropStarts } from './gemini-cli/list-chats.ts'
import { listFiles } from './list-files.ts'
import { listOpencodeSessions } from './opencode/list-opencode.ts'
import { splitDatabasePath } from './opencode/stored-session.ts'
import { SESSION_FILE } from './pi/stored-session.ts'
import { SessionError } from './session-error.ts'
import type { SessionFile } from './session-file.ts'
import { shortenHome } from './shorten-home.ts'

// Files of other names lie there too: transcripts of subagents, indexes.
const CLAUDE_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CODEX_FILE = /^rollout-.{1,40}-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const LAYOUTS = {
  'claude-code': { levels: [1, 1], pattern: CLAUDE_FILE },
  // Year, month and day.
  codex: { levels: [3, 3], pattern: CODEX_FILE },
  'gemini-cli': { levels: [CHAT_LEVELS, CHAT_LEVELS], pattern: CHAT_FILE },
  // By project, or straight in a folder that was named.
  pi: { levels: [0, 1], pattern: SESSION_FILE },
} as const
const ID_PREFIX = /^(?:[0-9a-f][0-9a-f-]{2,35}|ses_[0-9a-z]{0,60})$/i
const MAX_CANDIDATES = 10

/** Every session of every agent, newest first. No session is opened. */
export function listSessionFiles(homes: readonly AgentHome[] = findAgentHomes()): SessionFile[] {
  return homes
    .flatMap(({ agent, sessionsDirectory }) => {
      if (agent === 'opencode') return listOpencodeSessions(sessionsDirectory)
      if (agent === 'copilot') return listCopilotSessions(sessionsDirectory)
      const files = listFiles(sessionsDirectory, LAYOUTS[agent]).map((file) => ({ agent, ...file }))
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
  const whole = matches.filter(({ id }) => id === session)
  const [match] = whole.length === 1 ? whole : matches
  if (match && (whole.length === 1 || matches.length === 1)) return match.path
  if (matches.length === 0) throw new SessionError('no-such-session', explainMissing(session, homes, files))
  const shown = matches.slice(0, MAX_CANDIDATES)
  const lines = shown.map(({ agent, id, path }) => `  ${id}  ${agent}  ${shortenHome(path)}`)
  const more = matches.length > shown.length ? `\n  and ${matches.length - shown.length} more` : ''
  const isSame = matches.every(({ id }) => id === matches[0]?.id)
  throw new SessionError(
    'ambiguous-session',
    `Finding session "${session}": ${matches.length} sessions ${isSame ? 'have this id. Give the path of one' : 'start like this. Give more of the id'}:\n${lines.join('\n')}${more}`,
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
