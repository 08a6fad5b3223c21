/** Commands and searches with their last outcome and the line of output that mattered; what they and other tools showed. */

import { mentionsError, reportsError } from '../facts/error-lines.ts'
import type { Action } from '../facts/tool-calls.ts'
import { clip, flatten } from './clean.ts'
import { PLACE, withoutDuration } from './collect-errors.ts'
import {
  type CallEvent,
  createGroup,
  type Draft,
  errorWorth,
  focusWorth,
  fullness,
  type Group,
  isFailure,
  isNoise,
  orderOf,
  type Placed,
  recencyOf,
  showsOneFile,
} from './draft.ts'

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
  /** How many lines differ from it in numbers alone. */
  readonly alike: number
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
  for (const record of commands.values()) {
    const isWanted = record.count > 1 || record.last.at >= draft.nearStart
    if (isWanted && !isShownElsewhere(draft, record)) pushCommand(draft, commandGroup, record)
  }
  const sources = new Map<number, Group>()
  for (const line of lines.values()) pushOutput(draft, sources, line)
}

type Commands = Map<string, CommandRecord>

function noteCommand({ vocabulary, nearStart }: Draft, commands: Commands, last: Placed<CallEvent>, given: string) {
  const command = flatten(given)
  const known = commands.get(command)
  const entities = known?.entities ?? (last.at < nearStart ? [] : vocabulary.read(command))
  vocabulary.note(entities, last.at, 'call')
  commands.set(command, { command, entities, count: (known?.count ?? 0) + 1, last })
}

function noteOutput(draft: Draft, lines: Map<string, OutputLine>, event: Placed<CallEvent>): void {
  // One short line is shown after its command.
  if (!event.outcome || readAnswerLine(event) !== undefined) return
  const { at } = event
  event.outcome.text.split('\n').forEach((raw, row) => {
    const text = withoutRoot(raw.trim(), draft.root)
    if (text.length < SHORTEST_OUTPUT_LINE || text.length > LONGEST_OUTPUT_LINE) return
    if (isHostTalk(text) || isLog(text) || isDiffFrame(text) || isNoise(text)) return
    const key = text.replace(/(?<!\w)\d+(?!\w)/g, '0')
    const known = lines.get(key)
    const isSame = known?.text === text
    const entities = isSame ? known.entities : draft.vocabulary.read(text)
    draft.vocabulary.note(entities, at, 'output')
    const alike = known ? known.alike + (isSame ? 0 : 1) : 0
    const isReport = known?.isReport ?? event.action.kind === 'delegate'
    lines.set(key, { text, entities, at, row, isReport, source: nameSource(draft, event.action), alike })
  })
}

const LONGEST_SOURCE = 100

/** The command, or the tool and what it looked for. */
function nameSource({ root }: Draft, { name, command, paths, purpose }: Action): string {
  const object = command ?? [purpose ?? '', ...paths].join(' ').trim()
  const source = flatten(command === undefined ? `${name} ${object}` : object)
  return clip(root === undefined ? source : source.replaceAll(root, ''), LONGEST_SOURCE)
}

// What these print is shown as output.
const GLANCE = /^(?:pwd|echo|ls|true|date|whoami)\b[^|<>&;]*$/

/** Whether a command only looked, and is among the last steps or says nothing. */
function isShownElsewhere(draft: Draft, { command, count, last }: CommandRecord): boolean {
  if (GLANCE.test(command)) return count === 1 || draft.lastSteps.has(command)
  return last.action.kind !== 'command' && draft.lastSteps.has(command)
}

// Their effect lasts, and they name the branch, the commit, the pull request.
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
  const kind = isRare ? weights.search : weights.command
  return length * (kind * (0.5 + recency) + weights.repetition * Math.log2(count))
}

function pushCommand(draft: Draft, group: Group, record: CommandRecord): void {
  const recency = recencyOf(draft, record.last.at)
  const shown = draft.vocabulary.read(findKeyLine(record.last) ?? '')
  draft.vocabulary.note(shown, record.last.at, 'output')
  const times = record.count > 1 ? ` (${record.count}×)` : ''
  draft.candidates.push({
    kind: 'command',
    group,
    order: record.last.at,
    text: `- ${clip(record.command, LONGEST_COMMAND)}${times}${describeOutcome(record.last, draft.reported)}`,
    entities: [...record.entities, ...shown],
    value: worthOfCommand(draft, record, recency) + focusWorth(draft, record.command),
  })
}

function pushOutput(draft: Draft, sources: Map<number, Group>, line: OutputLine): void {
  if (draft.visible.has(line.text) || draft.reported.has(withoutDuration(line.text))) return
  const ofReport = draft.weights.reportLine * (0.5 + recencyOf(draft, line.at)) * fullness(line.text)
  const ofOutput = isBarePath(line.text) ? BARE_PATH_WORTH : 0
  const base = line.isReport ? ofReport : ofOutput
  // A line of a search that names its file needs no other source.
  const key = NAMED.test(line.text) ? -1 : line.at
  const group = sources.get(key) ?? createGroup('seen', key, key < 0 ? undefined : `- ${line.source}`)
  sources.set(key, group)
  const alike = line.alike > 0 ? ` (and ${line.alike} like it)` : ''
  draft.candidates.push({
    kind: 'seen',
    group,
    order: orderOf(line),
    text: `\t${line.text}${alike}`,
    entities: line.entities,
    value: base + errorWorth(draft, line.text) + focusWorth(draft, line.text),
  })
}

const NAMED = /^[\w@+~./-]{0,200}[\w-]\.\w{1,8}(?::\d|-\d+-|:|$)|^(?:[MADRC?]{1,2}|\d+) {0,4}[\w./-]+\.\w+/

/** Searches print whole paths; those in the working directory are made relative to it. */
function withoutRoot(line: string, root: string | undefined): string {
  return root !== undefined && line.startsWith(root) ? line.slice(root.length) : line
}

const HOST_TALK =
  /^(?:<[a-z_-]{1,40}>|agentId: |Found \d+ |Todos have been modified|\[?\d* ?lines? (?:truncated|omitted))/

/** Whether a line is the host's, about the call itself. */
const isHostTalk = (line: string) => HOST_TALK.test(line)

/** `2026-01-27 13:36:41 INFO …`, except where it reports a failure. */
const isLog = (line: string): boolean => /^\[?\d{4}[-/]\d\d[-/]\d\d[ T]/.test(line) && !mentionsError(line)

const DIFF_FRAME =
  /^(?:index [\da-f]{6,40}\.\.|(?:---|\+\+\+) (?:[ab]\/|\/dev\/)|@@ |similarity index |(?:new|deleted) file mode )/

const isDiffFrame = (line: string) => DIFF_FRAME.test(line)

const isBarePath = (line: string) => line.includes('/') && !/\s/.test(line)

// As long as an answer that a command is run for: a branch, a version, a count.
const LONGEST_ANSWER = 80
// Claude Code marks every run that ends with another code than 0; with other hosts, no mark says nothing.
const MARKS_FAILURES = 'Bash'

/** ` → failed (exit 2): "1 test failed"`, ` → "main"`, ` → ok`, or nothing where it is not known. `told`: lines that stand elsewhere. */
export function describeOutcome(call: CallEvent, told: ReadonlySet<string> = NOTHING): string {
  const { action, outcome, isRunning } = call
  if (!outcome) return ''
  const exit = outcome.exitCode === undefined ? '' : ` (exit ${outcome.exitCode})`
  const line = findKeyLine(call)
  const key = line === undefined || told.has(withoutDuration(line)) ? '' : `: "${line}"`
  if (isFailure(action, outcome)) return ` → failed${exit}${action.command === undefined ? '' : key}`
  if (action.kind !== 'command') return ''
  if (isRunning) return ' → still running'
  const answer = readAnswerLine(call)
  if (answer !== undefined) return ` → "${answer}"`
  return outcome.exitCode === 0 || action.name === MARKS_FAILURES || key !== '' ? ` → ok${key}` : ''
}

const NOTHING: ReadonlySet<string> = new Set()
// Lines of code and history may have any words in them.
const SHOWS =
  /\bgit (?:diff|show|log|blame|grep)\b(?!.*--(?:short)?stat)|\b(?:cat|sed -n|head|tail -n|jq|nl)\b(?![^|]*\|)/
const LONGEST_KEY_LINE = 160
// What a run is summed up by: counts, a commit, a link, a verdict.
const COUNTS =
  /\b\d[\d,.]{0,15}\s?(?:passed|passing|failed|failing|skipped|tests?|specs?|suites?|errors?|warnings?|issues?|problems?|files?|insertions?|deletions?|vulnerabilities|packages?|rows?|lines?|matches|%|[KMG]i?B|req\/s|ops\/s)(?![\w])/i
const VERDICT = /^\s*(?:ok|PASS|FAIL|Total|Coverage|All |Done\b|Success|BUILD|Tests?:|Result)/
const COMMIT = /^\[[\w./-]{1,80} [\da-f]{7,40}\]/
const LINK = /^https?:\/\/\S{8,200}$/

/** The line of output that mattered: of a failure the first that reports it, of a success the last that sums it up. */
export function findKeyLine(call: CallEvent): string | undefined {
  const { action, outcome } = call
  const answer = readAnswerLine(call)
  if (answer !== undefined || action.command === undefined || !outcome || action.kind === 'search') return answer
  const lines = outcome.text.split('\n')
  const isFit = (line: string) => line.length <= 2 * LONGEST_KEY_LINE && line.trim().length > 3
  const isSummary = (line: string) =>
    isFit(line) && (COMMIT.test(line) || LINK.test(line.trim()) || COUNTS.test(line) || VERDICT.test(line))
  const find = (isWanted: (line: string) => boolean) => lines.find((line) => isFit(line) && isWanted(line.trim()))
  const found = outcome.failed
    ? (find(reportsError) ?? find((line) => PLACE.test(line)) ?? find((line) => COUNTS.test(line)))
    : action.kind === 'command' && !SHOWS.test(action.command)
      ? lines.findLast(isSummary)
      : undefined
  return found === undefined ? undefined : clip(flatten(found), LONGEST_KEY_LINE)
}

// What hosts say of a command that printed nothing.
const NO_OUTPUT = /^\(.{0,40}\bno output\)$/i

/** Reads the output of a command, when that is one short line which is not part of the command. */
function readAnswerLine({ action, outcome, isRunning }: CallEvent): string | undefined {
  if (action.kind !== 'command' || !outcome || outcome.failed || isRunning) return undefined
  if (outcome.text.length > 2 * LONGEST_ANSWER) return undefined
  const text = outcome.text.trim()
  if (text === '' || text.length > LONGEST_ANSWER || text.includes('\n') || NO_OUTPUT.test(text)) return undefined
  return action.command?.includes(text) ? undefined : flatten(text)
}
