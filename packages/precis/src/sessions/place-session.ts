import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { AgentHome } from './agent-home.ts'

export interface Placement {
  readonly path: string
  /** A line for a shell, quoted. */
  readonly resumeCommand: string
  /** Where the agent has to be started to find the session, when that is known. */
  readonly resumeDirectory: string | undefined
}

export interface PlacementRequest {
  readonly home: AgentHome
  readonly sessionId: string
  readonly time: Date
  /** Undefined for standard input. */
  readonly originalPath: string | undefined
  readonly workingDirectory: string | undefined
}

/** Where the session's agent will find it. */
export function placeSession(request: PlacementRequest): Placement {
  const { home, sessionId, time, originalPath } = request
  const known = request.workingDirectory
  const directory = known !== undefined && isAbsolute(known) ? known : undefined
  if (home.agent === 'codex') {
    const [date, clock] = formatLocalTime(time)
    return {
      path: join(home.sessionsDirectory, ...date.split('-'), `rollout-${date}T${clock}-${sessionId}.jsonl`),
      resumeCommand: changeDirectory(directory, `codex resume ${sessionId}`),
      resumeDirectory: directory,
    }
  }
  const original = originalPath === undefined ? undefined : dirname(resolveReal(originalPath))
  const isAtHome = original !== undefined && dirname(original) === resolveReal(home.sessionsDirectory)
  const folder = isAtHome
    ? original.slice(original.lastIndexOf(sep) + 1)
    : nameClaudeFolder(directory ?? resolveReal(process.cwd()))
  return {
    path: join(home.sessionsDirectory, folder, `${sessionId}.jsonl`),
    resumeCommand: changeDirectory(directory, `claude --resume ${sessionId}`),
    resumeDirectory: directory,
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

/** Codex files its sessions under local time. */
function formatLocalTime(time: Date): [date: string, clock: string] {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString()
  return [local.slice(0, 10), local.slice(11, 19).replaceAll(':', '-')]
}

function changeDirectory(directory: string | undefined, command: string): string {
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
