/**
 * The entries that agents share, and how a command of any installation of precis is recognized in
 * them.
 */
import { basename } from 'node:path'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { FileEntry, JsonEntry, JsonValue, StartCommand } from './agent.ts'
import type { HookHost } from './installation.ts'
import { createMarkedFile } from './marked-file.ts'
import { quoteForShell } from './session-files.ts'

export const SERVER_NAME = 'precis'
export const SERVER_WORD = 'mcp'
export const SERVER_IN_WORDS = `MCP server "${SERVER_NAME}"`

/**
 * The entry of an MCP server, as most agents write it. `names` is the path to the object with a
 * member for each server.
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

/** Accepts commands that are one list, too. */
export function isOwnServer(value: unknown): boolean {
  const { command, args } = asObject(value) ?? {}
  return isOwnCommand([command, args].flat(), SERVER_WORD)
}

const OWN_FILE = /^precis(?:\.js|\.cmd|\.exe)?$/

/** `… precis.js mcp`, after any words. */
export function isOwnCommand(words: readonly unknown[], subcommand: string): boolean {
  const at = words.findIndex(
    (word) => typeof word === 'string' && OWN_FILE.test(basename(word.replaceAll('\\', '/'))),
  )
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
  /** Selects the kinds of the event, if not all are meant. */
  readonly matcher?: string
  readonly what: string
  /** Members that the agent requires next to the command. */
  readonly more?: Readonly<Record<string, JsonValue>>
}

/** A hook that runs a command before the agent compacts, in the shape that several agents share. */
export function createHookEntry(place: HookPlace, command: StartCommand): JsonEntry {
  const { path, event, agent, timeout, matcher, what, more } = place
  const hook = {
    ...more,
    type: 'command',
    command: renderShellLine(command, ['hook', agent]),
    timeout,
  }
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

/** If the user added another hook to a group, the group belongs to the user. */
function isOwnGroup(value: unknown): boolean {
  const hooks: unknown = asObject(value)?.hooks
  if (!Array.isArray(hooks) || hooks.length !== 1) return false
  const line = asText(asObject(hooks[0])?.command)
  return line !== undefined && isOwnLine(line, /^hook [a-z0-9-]+$/)
}

/** `…/precis.js hook codex`, in any quotes: a line of any installation, followed by such words. */
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

/**
 * The answer of most hooks: the session that the agent names is kept, and the agent gets no answer.
 */
export async function answerByKeeping(input: JsonObject, host: HookHost): Promise<undefined> {
  const session = readHookSession(input)
  if (session !== undefined) await host.keepSession(session)
}

/** The path or the id of the session that an agent names to its hook. */
export function readHookSession({ transcript_path, session_id }: JsonObject): string | undefined {
  return asText(transcript_path) ?? asText(session_id)
}

/**
 * A file of a few lines that an agent loads. It loads the rest from this installation of precis.
 */
export function createModuleEntry(
  path: string,
  what: string,
  agent: string,
  source: string,
): FileEntry {
  return {
    type: 'file',
    path,
    what,
    text: createMarkedFile(agent, '//', (mark) => `${mark}${source}`),
  }
}
