/** The part that every command that reads a session shares. */
import { type FormatName, formats } from '@precis/core/formats'
import { type Command, Option } from 'commander'
import { type LoadedSession, loadSession, renderDamagedLines } from '../sessions/load-session.ts'
import { neutralizeLine, renderBytes, renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type PageFlags, refuseSessionFile } from './page-options.ts'
import type { PickedKind } from './pick-session.ts'

export const SESSION_ARGUMENT = 'session'

/**
 * A list to pick from replaces it on a terminal. `unless` names an option with which no session is
 * needed.
 */
export function addSessionArgument(
  command: Command,
  { unless }: { readonly unless?: string } = {},
): Command {
  const meaning =
    'a file, "-" for standard input, or the id of an agent\'s session (any unique beginning)'
  const argument = command.argument(
    `[${SESSION_ARGUMENT}]`,
    `${meaning}; without it a list to pick from`,
  )
  return pickWhereMissing(argument, 'session', unless)
}

/** Fills in the first argument of a command before it runs. */
export function pickWhereMissing(command: Command, kind: PickedKind, unless?: string): Command {
  return command.hook('preAction', async (_, called) => {
    if (
      called.processedArgs[0] !== undefined ||
      (unless !== undefined && called.opts()[unless] === true)
    )
      return
    const { pickSession } = await import('./pick-session.ts')
    called.processedArgs[0] = await pickSession(kind, called)
  })
}

export interface FormatFlags {
  readonly format?: FormatName
}

/** For a list of messages that could be of two APIs. */
export function createFormatOption(): Option {
  return new Option(
    '--format <name>',
    'read it as this format (default: the one recognised)',
  ).choices(Object.keys(formats))
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON object on standard output, also for a failure')
}

/**
 * Loads a session for as long as the work takes, and reports its damage. A page is never written
 * over the session.
 */
export async function withSession<T>(
  name: string,
  { format, html }: FormatFlags & PageFlags,
  terminal: Terminal,
  work: (session: LoadedSession) => Promise<T> | T,
): Promise<T> {
  const session = await loadSession(name, format)
  try {
    if (html !== undefined) refuseSessionFile(session, html)
    noteDamage(session, terminal)
    return await work(session)
  } finally {
    session.document.close()
  }
}

/**
 * Reports the damaged lines of a session. A copy carries them along where it keeps the records
 * around them.
 */
export function noteDamage(
  session: Pick<LoadedSession, 'damage' | 'name'>,
  terminal: Terminal,
): void {
  for (const line of renderDamage(session)) terminal.note(`precis: ${line}`)
}

export function renderDamage({ damage, name }: Pick<LoadedSession, 'damage' | 'name'>): string[] {
  const { lines, cutOffBytes, records = 0 } = damage
  const of = `of "${neutralizeLine(name)}"`
  const [is, it] = lines === 1 ? ['is', 'it is'] : ['are', 'they are']
  return [
    ...(lines > 0
      ? [`${renderDamagedLines(damage)} ${of} ${is} damaged; ${it} no part of the conversation.`]
      : []),
    ...(cutOffBytes > 0
      ? [
          `the last line ${of} is cut off (${renderBytes(cutOffBytes)}); it is no part of the conversation.`,
        ]
      : []),
    ...(records > 0
      ? [
          `${renderPlural(records, 'record')} ${of} cannot be read: damaged in its store, and no part of the conversation.`,
        ]
      : []),
  ]
}
