/** Commands and searches with their last outcome, and the lines of their output that matter. */
import { mentionsError } from '../../facts/errors.ts'
import type { Group } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { withoutDuration } from './collect-errors.ts'
import { describeOutcome, readAnswerLine } from './describe-outcome.ts'
import { createGroup, type Draft, orderOf } from './draft.ts'
import { type CallEvent, type Placed, showsOneFile } from './event.ts'
import { forEachOutputLine } from './output-lines.ts'
import { errorWorth, focusWorth, fullness, recencyOf } from './worth.ts'

interface CommandRecord {
  readonly command: string
  readonly entities: readonly number[]
  count: number
  last: Placed<CallEvent>
}

interface OutputLine {
  readonly text: string
  readonly entities: readonly number[]
  /** Whether another agent wrote it. */
  readonly isReport: boolean
  at: number
  row: number
}

// A path on a line of its own says only that a file exists.
const BARE_PATH_WORTH = -0.6
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
  for (const record of commands.values())
    if ((record.count > 1 || record.last.at >= draft.nearStart) && !isToldElsewhere(draft, record))
      pushCommand(draft, commandGroup, record)
  const outputGroup = createGroup('found', 0)
  for (const line of lines.values()) pushOutput(draft, outputGroup, line)
}

function noteCommand(
  draft: Draft,
  commands: Map<string, CommandRecord>,
  event: Placed<CallEvent>,
  command: string,
): void {
  const key = flatten(command)
  const known = commands.get(key)
  if (known) {
    known.count++
    known.last = event
    draft.vocabulary.note(known.entities, event.at, 'call')
    return
  }
  const isDistant = event.at < draft.nearStart
  const entities = isDistant ? [] : draft.vocabulary.read(key)
  draft.vocabulary.note(entities, event.at, 'call')
  commands.set(key, { command: key, entities, count: 1, last: event })
}

function noteOutput(draft: Draft, lines: Map<string, OutputLine>, event: Placed<CallEvent>): void {
  // One short line stands behind its command.
  if (!event.outcome || readAnswerLine(event) !== undefined) return
  const isReport = event.action.kind === 'delegate'
  forEachOutputLine(event, (raw, row) => {
    const text = withoutRoot(raw.trim(), draft.root)
    if (
      text.length < SHORTEST_OUTPUT_LINE ||
      text.length > LONGEST_OUTPUT_LINE ||
      isHostTalk(text) ||
      isLog(text) ||
      isDiffFrame(text)
    )
      return
    const known = lines.get(text)
    if (known) {
      known.at = event.at
      known.row = row
      draft.vocabulary.note(known.entities, event.at, 'output')
      return
    }
    const entities = draft.vocabulary.read(text)
    draft.vocabulary.note(entities, event.at, 'output')
    lines.set(text, { text, entities, at: event.at, row, isReport })
  })
}

// What these print stands in the output.
const GLANCE = /^(?:pwd|echo|ls|true|date|whoami)\b[^|<>&;]*$/

/** Whether a command only looked, and nobody would look it up here: it stands among the last steps, or says nothing. */
function isToldElsewhere(draft: Draft, { command, count, last }: CommandRecord): boolean {
  if (GLANCE.test(command)) return count === 1 || draft.lastSteps.has(command)
  return last.action.kind !== 'command' && draft.lastSteps.has(command)
}

// What these did stays done, and names the branch, the commit, the pull request.
const PUBLISHES = /\bgit (?:commit|push|merge|rebase|tag)\b|\bgh (?:pr|release) create\b/
const PUBLISHING_WORTH = 1.5

// What these show is looked at again, but hardly ever with the same words: 29 of 5 327 were, of other commands 343 of 3 130.
const LOOKS =
  /^(?:cd [^&;|]{1,200} && )?(?:cat|sed -n|head|tail|nl|ls|find|rg|grep|wc|tree|pwd|echo|which|stat|du|file|git show)\b/
// These are done once: of 294 times that `git add`, `git checkout` or `rm` was run, none came again word for word.
const ONCE =
  /^(?:cd [^&;|]{1,200} && )?(?:git (?:add|checkout|switch|mv|rm|stash|clone)|rm|mkdir|mv|cp|touch|chmod|kill|pkill)\b/
// Of commands up to this length 18 in a hundred are run again, of those up to twice as long 5, of longer ones 1.
const SHORT_COMMAND = 60

/** Worth of a command: mostly how likely it is to be run again. */
function worthOfCommand({ weights }: Draft, { command, count, last }: CommandRecord, recency: number): number {
  const publishes = PUBLISHES.test(command)
  const isRare = last.action.kind !== 'command' || LOOKS.test(command) || (!publishes && ONCE.test(command))
  const length = publishes ? PUBLISHING_WORTH : Math.min(1, SHORT_COMMAND / command.length)
  return (
    length * ((isRare ? weights.search : weights.command) * (0.5 + recency) + weights.repetition * Math.log2(count))
  )
}

function pushCommand(draft: Draft, group: Group, record: CommandRecord): void {
  const recency = recencyOf(draft, record.last.at)
  const repeated = record.count > 1
  const shown = draft.vocabulary.read(readAnswerLine(record.last) ?? '')
  draft.vocabulary.note(shown, record.last.at, 'output')
  const text = `- ${clip(record.command, LONGEST_COMMAND)}${repeated ? ` (${record.count}×)` : ''}${describeOutcome(draft.wording, record.last)}`
  draft.candidates.push({
    kind: 'command',
    group,
    order: record.last.at,
    text,
    entities: [...record.entities, ...shown],
    value: worthOfCommand(draft, record, recency) + focusWorth(draft, record.command),
  })
}

function pushOutput(draft: Draft, group: Group, line: OutputLine): void {
  if (draft.visible.has(line.text) || draft.reported.has(withoutDuration(line.text))) return
  const recency = recencyOf(draft, line.at)
  const standing = line.isReport
    ? draft.weights.reportLine * (0.5 + recency) * fullness(line.text)
    : isBarePath(line.text)
      ? BARE_PATH_WORTH
      : 0
  draft.candidates.push({
    kind: 'found',
    group,
    order: orderOf(line),
    text: `\t${line.text}`,
    entities: line.entities,
    value: standing + errorWorth(draft, line.text) + focusWorth(draft, line.text),
  })
}

/** Searches print whole paths; what lies in the working directory is told as seen from there. */
function withoutRoot(line: string, root: string | undefined): string {
  return root !== undefined && line.startsWith(root) ? line.slice(root.length) : line
}

/** What a host says about the call itself. */
function isHostTalk(line: string): boolean {
  return /^(?:<[a-z_-]{1,40}>|agentId: |Found \d+ |Todos have been modified|\[?\d* ?lines? (?:truncated|omitted))/.test(
    line,
  )
}

/** `2026-01-27 13:36:41 INFO …`: told for whoever watches, except where it tells of a failure. */
function isLog(line: string): boolean {
  return /^\[?\d{4}[-/]\d\d[-/]\d\d[ T]/.test(line) && !mentionsError(line)
}

/** What stands around the lines of a diff. */
function isDiffFrame(line: string): boolean {
  return /^(?:index [\da-f]{6,40}\.\.|(?:---|\+\+\+) (?:[ab]\/|\/dev\/)|@@ |similarity index |(?:new|deleted) file mode )/.test(
    line,
  )
}

function isBarePath(line: string): boolean {
  return line.includes('/') && !/\s/.test(line)
}
