/** The entries that agents share, and how a command of any installation of precis is recognised in them. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { FileEntry, HookHost, JsonEntry, JsonValue, StartCommand } from './agent.ts'
import { quoteForShell } from './session-files.ts'

export const SERVER_NAME = 'precis'
export const SERVER_WORD = 'mcp'
export const SERVER_IN_WORDS = `MCP server "${SERVER_NAME}"`

/**
 * The entry of an MCP server, as most agents write it. `names` lead to the object with a member for each server.
 */
export function createMcpEntry(
  path: string,
  names: readonly string[],
  { program, words }: StartCommand,
  more: Readonly<Record<string, JsonValue>> = {},
): JsonEntry {
  return {
    type: 'json',
    path,
    what: SERVER_IN_WORDS,
    names: [...names, SERVER_NAME],
    isElement: false,
    value: { ...more, command: program, args: [...words, SERVER_WORD] },
    isOwn: isOwnServer,
  }
}

/** Also where the command is one list. */
export function isOwnServer(value: unknown): boolean {
  const { command, args } = asObject(value) ?? {}
  return isOwnCommand([command, args].flat(), SERVER_WORD)
}

const OWN_FILE = /^precis(?:\.js|\.cmd|\.exe)?$/

/** `… precis.js mcp`, whatever comes before. */
export function isOwnCommand(words: readonly unknown[], subcommand: string): boolean {
  const at = words.findIndex((word) => typeof word === 'string' && OWN_FILE.test(basename(word.replaceAll('\\', '/'))))
  return at >= 0 && words[at + 1] === subcommand
}

export interface HookPlace {
  readonly path: string
  /** The agent's name of the event. */
  readonly event: string
  /** The name of the agent. */
  readonly agent: string
  /** In the unit of the agent. */
  readonly timeout: number
  /** Which occasions of the event, where not all are meant. */
  readonly matcher?: string
  readonly what: string
  /** Members that the agent wants beside the command. */
  readonly more?: Readonly<Record<string, JsonValue>>
}

/** A hook that runs a command before the agent compacts, in the shape that several agents share. */
export function createHookEntry(place: HookPlace, command: StartCommand): JsonEntry {
  const { path, event, agent, timeout, matcher, what, more } = place
  const hook = { ...more, type: 'command', command: renderShellLine(command, ['hook', agent]), timeout }
  return {
    type: 'json',
    path,
    what,
    names: ['hooks', event],
    isElement: true,
    value: { ...(matcher !== undefined && { matcher }), hooks: [hook] },
    isOwn: isOwnGroup,
  }
}

/** A group to which the user added another hook is the user's. */
function isOwnGroup(value: unknown): boolean {
  const hooks: unknown = asObject(value)?.hooks
  if (!Array.isArray(hooks) || hooks.length !== 1) return false
  const line = asText(asObject(hooks[0])?.command)
  return line !== undefined && isOwnLine(line, /^hook [a-z0-9-]+$/)
}

/** `…/precis.js hook codex`, in whatever quotes: a line of any installation, followed by such words. */
export function isOwnLine(line: string, more: RegExp): boolean {
  const [, words] = OWN_LINE_OF_SHELL.exec(` ${line}`) ?? []
  return words !== undefined && more.test(words)
}

const OWN_LINE_OF_SHELL = /[\\/ "']precis(?:\.js|\.cmd|\.exe)?["']? ([a-z][a-z0-9 -]*)$/

/** One line for the shell of this platform. */
export function renderShellLine({ program, words }: StartCommand, more: readonly string[]): string {
  const quote = process.platform === 'win32' ? quoteForWindows : quoteForShell
  return [program, ...words, ...more].map(quote).join(' ')
}

function quoteForWindows(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`
}

/** As most hooks are answered: the session that the agent names is kept, and the agent gets no answer. */
export async function answerByKeeping(input: JsonObject, host: HookHost): Promise<undefined> {
  const session = readHookSession(input)
  if (session !== undefined) await host.keepSession(session)
}

/** The path or the id of the session that an agent names to its hook. */
export function readHookSession({ transcript_path, session_id }: JsonObject): string | undefined {
  return asText(transcript_path) ?? asText(session_id)
}

const HASH_DIGITS = 12
const OWN_LINE =
  /^\/\/ precis ([0-9a-f]{12}): written by "precis install [a-z0-9-]+", removed by "precis uninstall [a-z0-9-]+"\.$/

/**
 * A file of a few lines that an agent loads, and which loads the rest from this installation of precis. The first line names
 * the hash of the others, so that a file that was edited can be recognised.
 */
export function createModuleEntry(path: string, what: string, agent: string, source: string): FileEntry {
  const line = `// precis ${hash(source)}: written by "precis install ${agent}", removed by "precis uninstall ${agent}".`
  return { type: 'file', path, what, text: `${line}\n${source}` }
}

/** `edited`: it was made by precis and is not what precis made of it. */
export function judgeModule(text: string): 'own' | 'edited' | 'foreign' {
  const end = text.indexOf('\n')
  const [, named] = OWN_LINE.exec(text.slice(0, end).trimEnd()) ?? []
  if (named === undefined) return 'foreign'
  return hash(text.slice(end + 1)) === named ? 'own' : 'edited'
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}
