import { MARGIN } from '../rendering/chat-view.ts'
import { wrapText } from '../rendering/wrap.ts'
import type { SlashCommand } from './command.ts'
import {
  compressCommand,
  pinCommand,
  recallCommand,
  retryCommand,
  settingCommands,
  undoCommand,
  unpinCommand,
} from './compress.ts'
import { contextCommand } from './context.ts'
import { costCommand } from './cost.ts'
import { modelCommand } from './model.ts'
import { resumeCommand, sessionsCommand } from './resume.ts'

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['Enter', 'send'],
  ['Alt+Enter, Ctrl+J, \\ Enter', 'new line'],
  ['↑ ↓', 'what you said before'],
  ['Tab', 'complete a command or a path'],
  ['Esc', 'cancel the answer or the compression'],
  ['Ctrl+C', 'cancel, or clear the line; twice: quit'],
  ['Ctrl+D', 'quit, on an empty line'],
]

const MIN_WIDE = 70

const helpCommand: SlashCommand = {
  name: 'help',
  aliases: ['?'],
  summary: 'commands and keys',
  runsWhileAnswering: true,
  async run(_, { view }) {
    const rows = slashCommands.map(({ name, aliases = [], hint, summary }) => {
      const also = aliases.length > 0 ? ` (${aliases.map((alias) => `/${alias}`).join(', ')})` : ''
      return [`/${name}${hint ? ` ${hint}` : ''}`, summary + also] as const
    })
    const widest = Math.max(...[...rows, ...KEYS].map(([left]) => left.length)) + 2
    view.show((columns, { accent, strong }) => {
      const isWide = columns >= MIN_WIDE
      const line = ([left, right]: readonly [string, string]) =>
        isWide
          ? wrapText(right, columns, {
              first: MARGIN + accent(left.padEnd(widest)),
              rest: MARGIN + ' '.repeat(widest),
            })
          : wrapText(`${accent(left)}  ${right}`, columns, { first: MARGIN, rest: `${MARGIN}  ` })
      return [
        `${accent('◆')} ${strong('Commands')}`,
        ...rows.flatMap(line),
        '',
        strong(`${MARGIN}Keys`),
        ...KEYS.flatMap(line),
      ]
    })
  },
}

const quitCommand: SlashCommand = {
  name: 'quit',
  aliases: ['exit'],
  summary: 'end the chat; it is kept',
  runsWhileAnswering: true,
  async run(_, { quit }) {
    quit()
  },
}

export type { Chat, SlashCommand } from './command.ts'

/** Every slash command, in the order of the help. */
export const slashCommands: readonly SlashCommand[] = [
  compressCommand,
  modelCommand,
  contextCommand,
  costCommand,
  retryCommand,
  undoCommand,
  ...settingCommands,
  pinCommand,
  unpinCommand,
  recallCommand,
  resumeCommand,
  sessionsCommand,
  helpCommand,
  quitCommand,
]

// A path such as /etc/hosts is not a command.
const LINE = /^\/([a-zA-Z?][\w-]{0,30}|\?)(?:\s+([\s\S]*))?$/

/** A command, or a suggestion for an unknown one. Undefined for a line that is not a command. */
export function parseSlashLine(line: string) {
  const [match, word = '', argument = ''] = LINE.exec(line.trim()) ?? []
  if (match === undefined) return undefined
  const name = word.toLowerCase()
  const command = slashCommands.find(
    (candidate) => candidate.name === name || candidate.aliases?.includes(name),
  )
  if (command) return { type: 'command' as const, command, argument: argument.trim() }
  const nearest = findNearest(name)
  const instead =
    nearest.length > 0 ? ` Did you mean ${nearest.join(', ').replace(/, (?=[^,]*$)/, ' or ')}?` : ''
  return {
    type: 'unknown' as const,
    explanation: `there is no /${name}.${instead} /help lists all.`,
  }
}

const MAX_NEAREST = 3

function findNearest(name: string): string[] {
  const names = slashCommands.flatMap(({ name: own, aliases = [] }) => [own, ...aliases])
  return names
    .filter((candidate) => candidate.length > 1)
    .map((candidate) => ({
      candidate,
      distance: candidate.startsWith(name) ? 0 : measureDistance(name, candidate),
    }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 2)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAREST)
    .map(({ candidate }) => `/${candidate}`)
}

/** How many letters have to be added, removed or changed (Levenshtein). Both words are short. */
function measureDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
