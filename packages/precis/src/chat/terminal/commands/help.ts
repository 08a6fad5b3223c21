import { wrapSpans } from '../../../terminal/spans.ts'
import { MARGIN } from '../entry.ts'
import type { SlashCommand } from './command.ts'

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['Enter', 'send'],
  ['Alt+Enter, Ctrl+J, \\ Enter', 'new line'],
  ['↑ ↓', 'what you said before'],
  ['Tab', 'complete a command or a path'],
  ['Esc', 'cancel the answer or the compression'],
  ['Ctrl+C', 'cancel, or clear the line; twice: quit'],
  ['Ctrl+D', 'quit, on an empty line'],
]

/** It knows the others only when it is called. */
export function createHelpCommand(list: () => readonly SlashCommand[]): SlashCommand {
  return {
    name: 'help',
    aliases: ['?'],
    summary: 'commands and keys',
    runsWhileAnswering: true,
    async run(_, { view }) {
      const rows = list().map(({ name, aliases = [], hint, summary }) => {
        const also = aliases.length > 0 ? ` (${aliases.map((alias) => `/${alias}`).join(', ')})` : ''
        return [`/${name}${hint ? ` ${hint}` : ''}`, summary + also] as const
      })
      view.show((columns, palette) => {
        const isWide = columns >= 70
        const widest = Math.max(...[...rows, ...KEYS].map(([left]) => left.length))
        const line = ([left, right]: readonly [string, string]) =>
          wrapSpans(
            [{ text: isWide ? left.padEnd(widest + 2) : `${left}  `, style: palette.accent }, { text: right }],
            columns,
            { first: MARGIN, rest: MARGIN + ' '.repeat(isWide ? widest + 2 : 2) },
          )
        return [
          `${palette.accent('◆')} ${palette.strong('Commands')}`,
          ...rows.flatMap(line),
          '',
          palette.strong(`${MARGIN}Keys`),
          ...KEYS.flatMap(line),
        ]
      })
    },
  }
}
