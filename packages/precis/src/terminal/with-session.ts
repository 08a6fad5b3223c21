/** A session that a command reads, and what is damaged in it. */
import type { FormatName } from '@precis/core/formats'
import { type LoadedSession, loadSession, renderDamagedLines } from '../sessions/load-session.ts'
import { neutralizeLine, renderBytes, renderPlural } from './render.ts'
import type { Terminal } from './terminal.ts'

/** Loads a session for as long as the work takes, and reports its damage. */
export async function withSession<T>(
  name: string,
  format: FormatName | undefined,
  terminal: Terminal,
  work: (session: LoadedSession) => Promise<T> | T,
): Promise<T> {
  const session = await loadSession(name, format)
  try {
    noteDamage(session, terminal)
    return await work(session)
  } finally {
    session.document.close()
  }
}

/**
 * Reports the damaged lines of a session. A copy keeps such lines if it keeps the records around
 * them.
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
  const is = lines === 1 ? 'is' : 'are'
  return [
    ...(lines > 0
      ? [`${renderDamagedLines(damage)} ${of} ${is} damaged and left out of the conversation.`]
      : []),
    ...(cutOffBytes > 0
      ? [
          `the last line ${of} is cut off (${renderBytes(cutOffBytes)}) and left out of the conversation.`,
        ]
      : []),
    ...(records > 0
      ? [
          `${renderPlural(records, 'record')} ${of} damaged in its store and left out of the conversation.`,
        ]
      : []),
  ]
}
