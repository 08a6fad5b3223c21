import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { NewSession } from '@precis/core/formats'
import { explainSystemError } from '../system-error.ts'
import type { Agent, AgentHome } from './agent-home.ts'
import { addToChatIndex } from './copilot/chat-index.ts'
import { placeCopilot } from './copilot/place-copilot.ts'
import { nameCommand } from './copilot/user-folders.ts'
import { placeChat } from './gemini-cli/place-chat.ts'
import { renderLocalTime } from './local-time.ts'
import { EXPORTS_FOLDER } from './opencode/list-opencode.ts'
import { nameProjectFolder } from './pi/stored-session.ts'

/** Where a new session goes, and how its agent is told to go on with it. */
export interface Placement {
  readonly path: string
  /** A line for a shell, quoted. */
  readonly resumeCommand: string
}

interface PlacementRequest {
  readonly home: AgentHome
  readonly sessionId: string
  readonly time: Date
  /** Undefined for standard input. */
  readonly originalPath: string | undefined
  readonly workingDirectory: string | undefined
  /** `provider/model`, where the command has to name it. */
  readonly model?: string | undefined
}

/** An id as the agent gives them; a UUID where no agent is known. */
export function createSessionId(agent: Agent | undefined): string {
  const id = randomUUID()
  return agent === 'opencode' ? `ses_${id.replaceAll('-', '').slice(0, 26)}` : id
}

/** Where the session's agent will find it. */
export function placeSession(request: PlacementRequest): Placement {
  const { home, sessionId, time, originalPath } = request
  const model = request.model === undefined ? '' : ` --model ${quoteForShell(request.model)}`
  const known = request.workingDirectory
  const directory = known !== undefined && isAbsolute(known) ? known : undefined
  if (home.agent === 'codex') {
    // Codex files its sessions under local time.
    const local = renderLocalTime(time)
    const folders = local.slice(0, 10).split('-')
    return {
      path: join(home.sessionsDirectory, ...folders, `rollout-${local.replaceAll(':', '-')}-${sessionId}.jsonl`),
      resumeCommand: changeDirectory(directory, `codex resume ${sessionId}`),
    }
  }
  if (home.agent === 'opencode') {
    const path = join(home.sessionsDirectory, EXPORTS_FOLDER, `${sessionId}.json`)
    // Its store is OpenCode's own to write: an import that was done before changes nothing.
    const command = `opencode import ${quoteForShell(path)} && opencode --session ${sessionId}${model}`
    return { path, resumeCommand: changeDirectory(directory, command) }
  }
  if (home.agent === 'gemini-cli') {
    const original = originalPath === undefined ? undefined : resolveReal(originalPath)
    const projects = resolveReal(home.sessionsDirectory)
    const path = placeChat(projects, original, directory ?? resolveReal(process.cwd()), sessionId, time)
    return { path, resumeCommand: changeDirectory(directory, `gemini --resume ${sessionId}`) }
  }
  if (home.agent === 'copilot') {
    const original = originalPath === undefined ? undefined : resolveReal(originalPath)
    const path = placeCopilot(resolveReal(home.sessionsDirectory), original, directory, sessionId)
    const command = nameCommand(path)
    return { path, resumeCommand: directory === undefined ? command : `${command} ${quoteForShell(directory)}` }
  }
  const original = originalPath === undefined ? undefined : dirname(resolveReal(originalPath))
  const isAtHome = original !== undefined && dirname(original) === resolveReal(home.sessionsDirectory)
  const nameFolder = home.agent === 'pi' ? nameProjectFolder : nameClaudeFolder
  const folder = isAtHome
    ? original.slice(original.lastIndexOf(sep) + 1)
    : nameFolder(directory ?? resolveReal(process.cwd()))
  if (home.agent === 'pi') {
    const name = `${time.toISOString().replace(/[:.]/g, '-')}_${sessionId}.jsonl`
    const resumeCommand = changeDirectory(directory, `pi --session ${sessionId}${model}`)
    return { path: join(home.sessionsDirectory, home.isFlat ? '' : folder, name), resumeCommand }
  }
  return {
    path: join(home.sessionsDirectory, folder, `${sessionId}.jsonl`),
    resumeCommand: changeDirectory(directory, `claude --resume ${sessionId}`),
  }
}

/**
 * Adds a session that was placed to the list that its agent keeps beside the sessions, under its title. Gives the reason why
 * it is not there, in words; undefined when it is, and for agents whose sessions hold their titles themselves.
 */
export function listSession(
  { agent, sessionsDirectory }: AgentHome,
  path: string,
  newSession: Pick<NewSession, 'sessionId' | 'title' | 'timestamp'>,
): string | undefined {
  if (agent === 'copilot') {
    const problem = addToChatIndex(path, newSession)
    return problem && `VS Code does not list it: ${problem}`
  }
  if (agent === 'codex') return nameThread(join(dirname(sessionsDirectory), 'session_index.jsonl'), newSession)
  return undefined
}

const LINE_FEED = 0x0a

// Where "/rename" of Codex keeps names: it adds a line, and the last one of an id counts.
function nameThread(
  path: string,
  { sessionId, title, timestamp }: Pick<NewSession, 'sessionId' | 'title' | 'timestamp'>,
): string | undefined {
  const line = `${JSON.stringify({ id: sessionId, thread_name: title, updated_at: timestamp })}\n`
  try {
    // Opening a pipe must not wait for somebody at its other end.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)
    const descriptor = openSync(path, flags, 0o600)
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) return `Codex lists it without a name: "${path}" is no file`
      const last = Buffer.alloc(1, LINE_FEED)
      if (stats.size > 0) readSync(descriptor, last, 0, 1, stats.size - 1)
      // Behind a write that never ended it would be read by nobody.
      appendFileSync(descriptor, last[0] === LINE_FEED ? line : `\n${line}`)
    } finally {
      closeSync(descriptor)
    }
    return undefined
  } catch (error) {
    return `Codex lists it without a name: writing "${path}" failed, ${explainSystemError(error)}`
  }
}

const MAX_FOLDER_NAME = 200

// Claude Code names a project's folder after its directory and adds a hash where the name would be too long.
function nameClaudeFolder(directory: string): string {
  const name = directory.replace(/[^a-zA-Z0-9]/g, '-')
  if (name.length <= MAX_FOLDER_NAME) return name
  let hash = 0
  for (let index = 0; index < directory.length; index++) hash = ((hash << 5) - hash + directory.charCodeAt(index)) | 0
  return `${name.slice(0, MAX_FOLDER_NAME)}-${Math.abs(hash).toString(36)}`
}

export function changeDirectory(directory: string | undefined, command: string): string {
  return directory === undefined ? command : `cd ${quoteForShell(directory)} && ${command}`
}

/** One word for bash and zsh. Control characters are spelled out, so that printing the line does no harm. */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(unprintable, (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`)
  return `$'${escaped}'`
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
