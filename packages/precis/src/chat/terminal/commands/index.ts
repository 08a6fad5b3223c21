/** Every slash command, in the order of the help. */
import type { SlashCommand } from './command.ts'
import { compressCommand } from './compress.ts'
import { contextCommand } from './context.ts'
import { createHelpCommand } from './help.ts'
import { modelCommand } from './model.ts'
import { pinCommand } from './pin.ts'
import { quitCommand } from './quit.ts'
import { recallCommand } from './recall.ts'
import { resumeCommand } from './resume.ts'
import { retryCommand } from './retry.ts'
import { sessionsCommand } from './sessions.ts'
import { settingCommands } from './settings.ts'
import { undoCommand } from './undo.ts'

export type { Chat, SlashCommand } from './command.ts'

export const slashCommands: readonly SlashCommand[] = [
  compressCommand,
  modelCommand,
  contextCommand,
  retryCommand,
  undoCommand,
  ...settingCommands,
  pinCommand,
  recallCommand,
  resumeCommand,
  sessionsCommand,
  createHelpCommand(() => slashCommands),
  quitCommand,
]

/** What a line asks for: a command, what to type instead when there is none such, or undefined for a request. */
export type SlashLine =
  | { readonly type: 'command'; readonly command: SlashCommand; readonly argument: string }
  | { readonly type: 'unknown'; readonly explanation: string }

// A path such as /etc/hosts is no command.
const LINE = /^\/([a-zA-Z?][\w-]{0,30}|\?)(?:\s+([\s\S]*))?$/

export function parseSlashLine(line: string): SlashLine | undefined {
  const [match, word = '', argument = ''] = LINE.exec(line.trim()) ?? []
  if (match === undefined) return undefined
  const name = word.toLowerCase()
  const command = slashCommands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name))
  if (command) return { type: 'command', command, argument: argument.trim() }
  const nearest = findNearest(name)
  const instead = nearest.length > 0 ? ` Did you mean ${nearest.join(', ').replace(/, (?=[^,]*$)/, ' or ')}?` : ''
  return { type: 'unknown', explanation: `there is no /${name}.${instead} /help lists all.` }
}

const MAX_NEAREST = 3

function findNearest(name: string): string[] {
  const names = slashCommands.flatMap(({ name: own, aliases = [] }) => [own, ...aliases])
  return names
    .filter((candidate) => candidate.length > 1)
    .map((candidate) => ({ candidate, distance: candidate.startsWith(name) ? 0 : measureDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 2)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAREST)
    .map(({ candidate }) => `/${candidate}`)
}

/** How many letters have to be put in, taken out or changed (Levenshtein); both are short. */
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
