/** What every command that reads a session has in common. */
import type { Command } from 'commander'
import type { LoadedSession } from '../sessions/load-session.ts'
import { renderBytes } from './render.ts'
import type { Terminal } from './terminal.ts'

export const SESSION_ARGUMENT = 'session'

export function addSessionArgument(command: Command): Command {
  return command.argument(
    `<${SESSION_ARGUMENT}>`,
    'a file, "-" for standard input, or the id of an agent\'s session (any unique beginning)',
  )
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON object on standard output, also for a failure')
}

/** A write that never ended is carried along, and said. */
export function noteCutOffLine({ cutOffBytes, name }: LoadedSession, terminal: Terminal): void {
  if (cutOffBytes === 0) return
  terminal.note(
    `precis: the last line of "${name}" is cut off (${renderBytes(cutOffBytes)}); it is no part of the conversation.`,
  )
}
