/** What all commands that read a session share. */
import { type FormatName, formats } from '@precis/core/formats'
import { type Command, Option } from 'commander'
import type { PickedKind } from './pick-session.ts'

export const SESSION_ARGUMENT = 'session'

/**
 * On a terminal, a list can replace it. `unless` names an option with which no session is needed.
 */
export function addSessionArgument(
  command: Command,
  { unless }: { readonly unless?: string } = {},
): Command {
  const meaning = 'a file, "-" for standard input, or any unique beginning of a session id'
  const argument = command.argument(
    `[${SESSION_ARGUMENT}]`,
    `${meaning} (default: choose from a list)`,
  )
  return pickWhereMissing(argument, () => 'session', unless)
}

/** What the list contains, by the given flags. */
export type FindKind = (flags: Readonly<Record<string, unknown>>) => PickedKind

/** Fills in the first argument of a command before it runs. */
export function pickWhereMissing(command: Command, kind: FindKind, unless?: string): Command {
  return command.hook('preAction', async (_, called) => {
    if (
      called.processedArgs[0] !== undefined ||
      (unless !== undefined && called.opts()[unless] === true)
    )
      return
    const { pickSession } = await import('./pick-session.ts')
    called.processedArgs[0] = await pickSession(kind(called.opts()), called)
  })
}

export interface FormatFlags {
  readonly format?: FormatName
}

/** For a list of messages that could be from two APIs. */
export function createFormatOption(): Option {
  return new Option(
    '--format <name>',
    'read it as this format (default: the detected format)',
  ).choices(Object.keys(formats))
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON object on standard output, even on failure')
}
