/** The entry of an MCP server on standard input and output, as most agents write it. */
import { asObject } from '../sessions/lines.ts'
import type { JsonEntry, JsonValue, StartCommand } from './integration.ts'
import { isOwnCommand } from './start-command.ts'

export const SERVER_NAME = 'precis'
export const SERVER_WORD = 'mcp'
export const SERVER_IN_WORDS = `MCP server "${SERVER_NAME}"`

/** `names` lead to the object that holds one member for each server; `more` is what the agent wants beside the command. */
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

/** Also where the command is one list, as in OpenCode. */
export function isOwnServer(value: unknown): boolean {
  const { command, args } = asObject(value) ?? {}
  return isOwnCommand([command, args].flat(), SERVER_WORD)
}
