/**
 * Commands and searches with their last outcome and the line of output that mattered, and what they
 * and other tools showed.
 */

import { isRefused } from '../actions/answers.ts'
import { isFailure } from '../actions/outcome.ts'
import type { Action } from '../actions/tool-calls.ts'
import type { Steps } from '../conversation/steps.ts'
import { reportsError } from '../facts/error-lines.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { hasPassed, namesFailedTest } from './checks.ts'
import {
  describeEarlierFailure,
  describeOutcome,
  findEarlierFailure,
  findKeyLine,
  nameCall,
  readAnswerLine,
  readCommit,
  withoutDuration,
} from './describe-call.ts'
import {
  type CallEvent,
  type Candidate,
  createGroup,
  type Draft,
  errorWorth,
  focusWorth,
  fullness,
  type Group,
  keyOfEvent,
  orderOf,
  type Placed,
  recencyOf,
  showsOneFile,
} from './draft.ts'
import { isFragment } from './noise.ts'
import { isBarePath, keyOfLine, NAMED, withoutPlace, withoutRoot } from './output-lines.ts'
import { quoteCommand } from './quote-command.ts'
import { worksInScratch } from './scratch.ts'

interface CommandRecord {
  readonly command: string
  readonly entities: readonly number[]
  readonly count: number
  readonly last: Placed<CallEvent>
}

interface OutputLine {
  readonly text: string
  readonly entities: readonly number[]
  /** Whether another agent wrote it. */
  readonly isReport: boolean
  readonly at: number
  readonly row: number
  /** What showed it. */
  readonly source: string
  /** The command that printed it in its latest run, if it reports an error. */
  readonly command?: string
  /** How many lines differ from it only in numbers. */
  readonly alike: number
}

// A path on a line of its own says only that a file exists.
const BARE_PATH_WORTH = -0.6

export function* collectCommands(draft: Draft): Steps<void> {
  const commands = new Map<string, CommandRecord>()
  const lines = new Map<string, OutputLine>()
  for (const event of draft.events) {
    if (event.type !== 'call') continue
    yield
    const { action } = event
    if (action.command !== undefined) noteCommand(draft, commands, event, action.command)
    if (action.kind !== 'write' && action.kind !== 'plan' && !showsOneFile(action))
      noteOutput(draft, lines, event)
  }
  yield
  const named = new Map<CommandRecord, Candidate>()
  const alike = new Map<string, number>()
  for (const record of [...commands.values()].sort((a, b) => b.last.at - a.last.at)) {
    const isWanted = record.count > 1 || record.last.at >= draft.nearStart
    if (!isWanted || isShownElsewhere(draft, record)) continue
    const key = record.command.replace(NUMBER, '0')
    const newer = alike.get(key) ?? 0
    alike.set(key, newer + 1)
    const isRepeated = newer > 0 && SAYS_NOTHING.test(describeOutcome(record.last))
    const whole = nameCommand(draft, record)
    const value = isRepeated ? whole.value * ALIKE_SHARE ** newer : whole.value
    const candidate = { ...whole, value }
    named.set(record, candidate)
    draft.candidates.push(candidate)
  }
  const sources = new Map<number, Group>()
  for (const line of lines.values()) {
    const record =
      reportsError(line.text) && draft.newestErrors.has(line.text)
        ? commands.get(line.command ?? '')
        : undefined
    if (record?.last.at === line.at) pushError(draft, named, record, line)
    else pushOutput(draft, sources, line)
  }
}

type Commands = Map<string, CommandRecord>

function noteCommand(
  { vocabulary, nearStart }: Draft,
  commands: Commands,
  last: Placed<CallEvent>,
  given: string,
) {
  // Each commit is one of its own.
  const command = readCommit(last) ?? flatten(given)
  const known = commands.get(command)
  const entities = known?.entities ?? (last.at < nearStart ? [] : vocabulary.read(command))
  vocabulary.note(entities, last.at, 'call')
  commands.set(command, {
    command,
    entities,
    count: (known?.count ?? 0) + (last.times ?? 1),
    last,
  })
}

function noteOutput(draft: Draft, lines: Map<string, OutputLine>, event: Placed<CallEvent>): void {
  // One short line is shown after its command.
  if (!event.outcome || isRefused(event.outcome.text) || readAnswerLine(event) !== undefined) return
  const { at } = event
  const failed = isFailure(event.action, event.outcome)
  const isPassed = hasPassed(event.action, event.outcome)
  const isElsewhere = !failed && worksInScratch(event.action.command ?? '', draft.root)
  const source = nameSource(draft, event.action)
  const command = event.action.kind === 'command' ? flatten(event.action.command ?? '') : undefined
  event.outcome.text.split('\n').forEach((raw, row) => {
    const text = withoutRoot(raw.trim(), draft.root)
    const key = draft.readings.of(keyOfLine, text)
    if (key === undefined) return
    // An open failure is followed by what it reports. If it was fixed, the report is with its
    // command. Of tests that passed, errors are what they expect.
    if ((failed || isPassed) && reportsError(text)) return
    // A test that failed in a copy did not fail in the project.
    if (isElsewhere && namesFailedTest(text)) return
    const known = lines.get(key)
    const isSame = known?.text === text
    const entities = isSame ? known.entities : draft.vocabulary.read(text)
    draft.vocabulary.note(entities, at, 'output')
    const alike = known ? known.alike + (isSame ? 0 : 1) : 0
    const isReport = known?.isReport ?? event.action.kind === 'delegate'
    lines.set(key, {
      text,
      entities,
      at,
      row,
      isReport,
      source,
      command,
      alike,
    })
  })
}

const LONGEST_SOURCE = 100

/** The command, or the tool and what it looked for. */
function nameSource({ root }: Draft, { name, command, paths, purpose }: Action): string {
  const source =
    command === undefined
      ? flatten([name, purpose ?? '', ...paths].join(' '))
      : quoteCommand(command, undefined)
  return clip(root === undefined ? source : source.replaceAll(root, ''), LONGEST_SOURCE)
}

// What these print is shown as output.
const GLANCE = /^(?:pwd|echo|ls|true|date|whoami)\b[^|<>&;]*$/

// `sed -n '1,220p' README.md` may come again as it is, longer looks hardly ever do.
const SHORT_LOOK = 40

/** Whether a command failed and is listed with what it reported, or says nothing. */
function isShownElsewhere(draft: Draft, { command, count, last }: CommandRecord): boolean {
  if (draft.failures.has(last.at)) return true
  if (count > 1 || last.action.changes.length > 0) return false
  if (GLANCE.test(command)) return true
  // The entry of a file already says that it was read.
  const isLongLook = command.length > SHORT_LOOK && LOOKS.test(command) && !PUBLISHES.test(command)
  return isLongLook && SAYS_NOTHING.test(describeOutcome(last))
}

const SAYS_NOTHING = /^(?: → ok)?$/

// `tail -n 80 build.log` beside a newer `tail -n 120 build.log`: as a share
const ALIKE_SHARE = 0.3
const NUMBER = /(?<![\w.-])\d{1,9}(?=p?(?!\w))/g

// The file is in the list of read files. How it was shown is added if it fits.
const READ_WORTH = 5

const onlyReads = ({ action, outcome }: CallEvent): boolean =>
  action.kind === 'read' && showsOneFile(action) && outcome?.failed !== true

// Their effect lasts, and they name the branch, the commit, the pull request.
const PUBLISHES =
  /\bgit (?:(?:commit|push|merge|rebase|tag|revert|cherry-pick)\b|restore (?!--staged|-S )|reset (?:--hard|--merge|--keep|\S{1,80}[~^])|checkout (?:[\w./-]{1,80} )?-- )|\bgh (?:pr|release) create\b/
const PUBLISHING_WORTH = 1.5
// What was done, in the words of who did it.
const COMMIT_WORTH = 4

// What these show is looked at again, but hardly ever with the same words: 29 of 5 327 were, of
// other commands 343 of 3 130.
const LOOKS =
  /^(?:cd [^&;|]{1,200} && )?(?:cat(?! >)|sed -n|head|tail|nl|ls|find|rg|grep|wc|tree|pwd|echo|which|stat|du|file|git (?:show|diff|status|log|blame))\b/
// These are done once. Of 294 runs of `git add`, `git checkout` or `rm`, no command was repeated
// exactly.
const ONCE =
  /^(?:cd [^&;|]{1,200} && )?(?:git (?:add|checkout|switch|mv|rm|stash|clone)|rm|mkdir|mv|cp|touch|chmod|kill|pkill)\b/
// The share of commands that are run again: 18% up to this length, 5% up to twice as long, 1%
// above.
const SHORT_COMMAND = 60

/** Worth of a command: mostly how likely it is to be run again. */
function worthOfCommand(
  { weights }: Draft,
  { command, count, last }: CommandRecord,
  recency: number,
): number {
  const publishes = PUBLISHES.test(command)
  const isRare =
    last.spoken === undefined &&
    !publishes &&
    (last.action.kind !== 'command' ||
      command.includes('<<') ||
      LOOKS.test(command) ||
      ONCE.test(command))
  const length = readCommit(last)
    ? COMMIT_WORTH
    : publishes
      ? PUBLISHING_WORTH
      : Math.min(1, SHORT_COMMAND / command.length)
  const kind = onlyReads(last) ? READ_WORTH : isRare ? weights.search : weights.command
  return length * (kind * (0.5 + recency) + weights.repetition * Math.log2(count))
}

function nameCommand(draft: Draft, record: CommandRecord): Candidate {
  const recency = recencyOf(draft, record.last.at)
  const line = findKeyLine(record.last)
  const shown = draft.vocabulary.read(line ?? '')
  draft.vocabulary.note(shown, record.last.at, 'output')
  const name = nameCall(draft, record.last)
  const failure = findEarlierFailure(draft, record.last)
  const before = failure === undefined ? '' : describeEarlierFailure(failure)
  const lines = [line, failure].flatMap((one) => (one === undefined ? [] : [`\t${one}`]))
  return {
    kind: 'command',
    group: createGroup('commands', record.last.at),
    order: -1,
    text: `- ${name}${describeOutcome(record.last, draft.reported)}${before}`,
    tells: [keyOfEvent(record.last.at), ...lines],
    // Parts that are not quoted are not listed.
    entities: [...draft.vocabulary.read(name), ...shown],
    value: worthOfCommand(draft, record, recency) + focusWorth(draft, record.command),
  }
}

//   - npm test → failed (exit 1)
//   	store_test.go:41: expected 3, got 5
/** A line that reports an error, below the command that printed it. */
function pushError(
  draft: Draft,
  named: Map<CommandRecord, Candidate>,
  record: CommandRecord,
  line: OutputLine,
): void {
  if (draft.visible.has(line.text) || draft.reported.has(withoutDuration(line.text))) return
  const needs = named.get(record) ?? nameCommand(draft, record)
  named.set(record, needs)
  draft.candidates.push({
    kind: 'error',
    group: needs.group,
    needs,
    order: line.row,
    text: `\t${line.text}`,
    entities: line.entities,
    value: errorWorth(draft, line.text) + focusWorth(draft, line.text),
  })
}

function pushOutput(draft: Draft, sources: Map<number, Group>, line: OutputLine): void {
  if (draft.visible.has(line.text) || draft.reported.has(withoutDuration(line.text))) return
  const said = withoutPlace(line.text)
  if ((said === '' || isFragment(said)) && !draft.newestErrors.has(line.text)) return
  const ofReport =
    draft.weights.reportLine * (0.5 + recencyOf(draft, line.at)) * fullness(line.text)
  const ofOutput = isBarePath(line.text) ? BARE_PATH_WORTH : 0
  const base = line.isReport ? ofReport : ofOutput
  // A line of a search that names its file needs no other source.
  const key = NAMED.test(line.text) ? -1 : line.at
  const group =
    sources.get(key) ?? createGroup('seen', key, key < 0 ? undefined : `- ${line.source}`)
  sources.set(key, group)
  const alike = line.alike > 0 ? ` (and ${line.alike} like it)` : ''
  draft.candidates.push({
    kind: draft.newestErrors.has(line.text) ? 'error' : 'seen',
    group,
    order: orderOf(line),
    text: `\t${line.text}${alike}`,
    tells: [`\t${line.text}`],
    entities: line.entities,
    value: base + errorWorth(draft, line.text) + focusWorth(draft, line.text),
  })
}
