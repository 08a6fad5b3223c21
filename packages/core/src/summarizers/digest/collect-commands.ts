/** Commands and searches with their last outcome, and the lines of their output that matter. */
import type { Outcome } from '../../facts/outcome.ts'
import type { Group } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { showsOneFile } from './collect-files.ts'
import { createGroup, type Draft, errorWorth, focusWorth, recencyOf } from './draft.ts'
import type { CallEvent, Event } from './timeline.ts'

type PlacedCall = Extract<Event, CallEvent>

interface CommandRecord {
  readonly command: string
  readonly isRun: boolean
  count: number
  lastAt: number
  outcome: Outcome | undefined
}

interface OutputLine {
  readonly text: string
  readonly entities: readonly number[]
  at: number
  row: number
}

const LONGEST_COMMAND = 400
const LONGEST_OUTPUT_LINE = 300
const SHORTEST_OUTPUT_LINE = 12

export function collectCommands(draft: Draft): void {
  const commands = new Map<string, CommandRecord>()
  const lines = new Map<string, OutputLine>()
  for (const event of draft.events) {
    if (event.type !== 'call') continue
    const { action } = event
    if (action.command !== undefined) noteCommand(draft, commands, event, action.command)
    if (action.kind !== 'write' && action.kind !== 'plan' && !showsOneFile(action)) noteOutput(draft, lines, event)
  }
  const commandGroup = createGroup('commands', 0)
  for (const record of commands.values()) pushCommand(draft, commandGroup, record)
  const outputGroup = createGroup('found', 0)
  for (const line of lines.values()) pushOutput(draft, outputGroup, line)
}

function noteCommand(draft: Draft, commands: Map<string, CommandRecord>, event: PlacedCall, command: string): void {
  const key = flatten(command)
  draft.vocabulary.note(draft.vocabulary.read(key), event.at, 'call')
  const known = commands.get(key)
  if (known) {
    known.count++
    known.lastAt = event.at
    known.outcome = event.outcome
    return
  }
  const isRun = event.action.kind === 'command'
  commands.set(key, { command: key, isRun, count: 1, lastAt: event.at, outcome: event.outcome })
}

function noteOutput(draft: Draft, lines: Map<string, OutputLine>, event: PlacedCall): void {
  if (!event.outcome) return
  event.outcome.text.split('\n').forEach((raw, row) => {
    const text = raw.trim()
    if (text.length < SHORTEST_OUTPUT_LINE || text.length > LONGEST_OUTPUT_LINE) return
    const known = lines.get(text)
    if (known) {
      known.at = event.at
      known.row = row
      draft.vocabulary.note(known.entities, event.at, 'output')
      return
    }
    const entities = draft.vocabulary.read(text)
    draft.vocabulary.note(entities, event.at, 'output')
    lines.set(text, { text, entities, at: event.at, row })
  })
}

function pushCommand(draft: Draft, group: Group, record: CommandRecord): void {
  const recency = recencyOf(draft, record.lastAt)
  const repeated = record.count > 1
  const text = `- ${clip(record.command, LONGEST_COMMAND)}${repeated ? ` (${record.count}×)` : ''}${describeOutcome(draft, record)}`
  draft.candidates.push({
    kind: 'command',
    group,
    order: record.lastAt,
    text,
    entities: draft.vocabulary.read(record.command),
    value:
      (record.isRun ? 4.5 : 1.5) * (0.5 + recency) +
      (repeated ? 3 * Math.log2(record.count) : 0) +
      focusWorth(draft, record.command),
  })
}

function describeOutcome({ wording }: Draft, { outcome, isRun }: CommandRecord): string {
  if (outcome?.failed)
    return ` → ${wording.failed}${outcome.exitCode === undefined ? '' : ` (exit ${outcome.exitCode})`}`
  return outcome && isRun ? ` → ${wording.ok}` : ''
}

function pushOutput(draft: Draft, group: Group, line: OutputLine): void {
  if (draft.visible.has(line.text)) return
  draft.candidates.push({
    kind: 'found',
    group,
    order: line.at * 100_000 + line.row,
    text: `\t${line.text}`,
    entities: line.entities,
    value: errorWorth(line.text, recencyOf(draft, line.at)) + focusWorth(draft, line.text),
  })
}
