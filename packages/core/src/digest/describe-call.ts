/**
 * A call in one line: what was run, how often, how it ended, and the line of output that mattered.
 */
import { isRefused } from '../actions/answers.ts'
import { COMMIT_LINE } from '../actions/artifacts.ts'
import { isFailure } from '../actions/outcome.ts'
import { reportsError } from '../facts/error-lines.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { isMasked, namesFailedTest, showsSuccess } from './checks.ts'
import type { CallEvent, Draft, Placed } from './draft.ts'
import { isProgress } from './noise.ts'
import { quoteCommand, withoutHeredocs } from './quote-command.ts'

/** `store_test.go:41: expected 3, got 5` */
export const PLACE = /[\w-]\.[a-z]{1,5}:\d{1,6}\b/

/** `--- FAIL: TestName (0.05s)` is the same report every time. */
export const withoutDuration = (line: string): string =>
  line.replace(/\s\(?\d+(?:\.\d+)?m?s\)?$/, '')

const LONGEST_OBJECT = 160

/**
 * The commit that a command made and did nothing else, as git printed it: `[main 1a2b3c4] Add it`.
 * It says more than a command that is too long to be quoted.
 */
export function readCommit({ action, outcome }: CallEvent): string | undefined {
  const { command } = action
  if (!command?.includes('git commit') || !outcome || outcome.failed) return undefined
  const isQuoted = command !== COMMIT && flatten(command) === quoteCommand(command, undefined)
  if (isQuoted || !ONLY_COMMITS.test(flatten(withoutHeredocs(command)))) return undefined
  return COMMITTED.exec(outcome.text.slice(0, LONGEST_RESULT))?.[0]
}

/** A command that made a commit and is not quoted, here and in an earlier digest. */
export const COMMIT = 'git commit'
const ONLY_COMMITS = /^(?:cd \S{1,200} && )?(?:git add [^&|;]{1,2000} && )?git commit\b[^&|;]*$/
const COMMITTED = new RegExp(`${COMMIT_LINE} .{1,120}`, 'mu')

/** `npm test (3×)`, `Edit: src/a.ts`. Empty if a call names nothing. */
export function nameCall({ runs }: Pick<Draft, 'runs'>, call: CallEvent): string {
  const { action } = call
  if (readCommit(call) !== undefined) return COMMIT
  if (action.command !== undefined) {
    const count = runs.get(flatten(action.command)) ?? 1
    const quote = quoteCommand(action.command, action.purpose)
    return `${quote}${count > 1 ? ` (${count}×)` : ''}`
  }
  const object = flatten([...action.paths, action.purpose ?? ''].join(' '))
  // No named tool did what an earlier summary reports.
  return object === '' || action.name === ''
    ? ''
    : clip(`${action.name}: ${object}`, LONGEST_OBJECT)
}

// As long as an answer that a command is run for: a branch, a version, a count.
const LONGEST_ANSWER = 80

/**
 * ` → failed (exit 2): "1 test failed"`, ` → "main"`, ` → ok`, or nothing if it is unknown. `told`:
 * lines that are elsewhere.
 */
export function describeOutcome(call: CallEvent, told: ReadonlySet<string> = NOTHING): string {
  const { action, outcome, state } = call
  if (!outcome) return ''
  const line = findKeyLine(call)
  // That it went well is told anyway.
  const isKnown = PACKAGE.test(line ?? '') && !isMasked(action.command ?? '')
  const key =
    line === undefined || isKnown || told.has(withoutDuration(line))
      ? ''
      : `: "${clip(flatten(line), LONGEST_KEY_LINE)}"`
  if (isFailure(action, outcome))
    return `${describeFailure(call)}${action.command === undefined ? '' : key}`
  if (state) return ` → ${state}`
  if (action.kind !== 'command') return ''
  const answer = readAnswerLine(call)
  if (answer !== undefined) return ` → "${answer}"`
  // The exit code of `npm test | tail` does not show how the test ended, but its output does.
  if (!isKnown && !showsSuccess(action, outcome)) return key === '' ? '' : ` →${key.slice(1)}`
  return ` → ok${key}`
}

/** The line that an earlier run of a command reported which went well in the end. */
export function findEarlierFailure(
  { failedRuns, reported }: Draft,
  call: Placed<CallEvent>,
): string | undefined {
  const failure = failedRuns.get(flatten(call.action.command ?? ''))
  if (!failure || failure.at >= call.at || call.outcome?.failed !== false) return undefined
  const line = findKeyLine(failure)
  return line === undefined || reported.has(withoutDuration(line)) ? undefined : line
}

/** `; failed before: "error TS2304: …"` */
export const describeEarlierFailure = (line: string): string =>
  `; ${FAILED_BEFORE}"${clip(flatten(line), LONGEST_KEY_LINE)}"`

export const FAILED_BEFORE = 'failed before: '

/** ` → failed (exit 2)`, or ` → refused by the user` */
export function describeFailure({ outcome }: CallEvent): string {
  if (outcome && isRefused(outcome.text)) return ' → refused by the user'
  return ` → failed${outcome?.exitCode === undefined ? '' : ` (exit ${outcome.exitCode})`}`
}

const NOTHING: ReadonlySet<string> = new Set()
// Lines of code and history may have any words in them. `cat <<E` only feeds a program.
const SHOWS =
  /\bgit (?:diff|show|log|blame|grep)\b(?!.*--(?:short)?stat)|\b(?:cat(?! ?<<)|sed -n|head|tail -n|jq|nl)\b(?![^|]*\|)/
const LONGEST_KEY_LINE = 160
// What a run is summed up by: counts, a verdict.
const COUNTS =
  /(?<![\w.=])\d[\d,.]{0,15}\s?(?:passed|passing|failed|failing|skipped|tests?|specs?|suites?|errors?|warnings?|issues?|problems?|files?|insertions?|deletions?|vulnerabilities|packages?|rows?|lines?|matches|%|[KMG]i?B|req\/s|ops\/s)(?![\w])/i
const NO_FAILURES = /\b0 (?:failed|failing|errors?|warnings?|issues?|problems?|vulnerabilities)\b/i
const VERDICT = /^(?:ok|PASS|FAIL|Total|Coverage|All |Done\b|Success|BUILD|Tests?:|Result)/
// `ok  example.com/store  0.3s`: one of many packages says nothing about the others. With
// `[no test files]` it says more than `ok`.
const PACKAGE = /^ok\s+\S+\s+(?:\d[\d.]*m?s|\(cached\))[^[]*$/
const SAYS_OTHERWISE = /^(?:FAIL|panic:|exit status |signal: |\.\.\.)/
// What it made is found by this: `[main 1a2b3c4] Add it`, `1a2b3c4..5d6e7f8 main -> main`, a link.
const MADE = new RegExp(
  String.raw`${COMMIT_LINE}|^\+? ?[\da-f]{7,40}\.{2,3}[\da-f]{7,40}\s|^https?:\/\/\S{8,200}$`,
)

/**
 * The line of output that mattered. For a failure, the test that failed or the first line that
 * reports it. For a success, what it made or the last line that sums it up.
 */
export function findKeyLine(call: CallEvent): string | undefined {
  const { action, outcome } = call
  const answer = readAnswerLine(call)
  if (answer !== undefined || action.command === undefined || !outcome || action.kind === 'search')
    return answer
  if (!outcome.failed && (action.kind !== 'command' || SHOWS.test(action.command))) return undefined
  if (isRefused(outcome.text)) return undefined
  if (!outcome.failed && call.spoken !== undefined) return call.spoken
  const lines = outcome.text
    .split('\n')
    .map((line) => (line.length <= 2 * LONGEST_KEY_LINE ? line.trim() : ''))
    .filter((line) => line.length > 3 && !isProgress(line))
  return outcome.failed ? findFailure(lines) : findResult(lines, action.command)
}

// `641.6`, `16,937`, `250`: no number of a list.
const MEASURE =
  /(?<![\w.,#/:-])(?:\d{3,9}|\d{1,3}(?:,\d{3}){1,3}|\d{1,9}\.\d{1,4})(?![\w,-]{0,40}\d|\.\d)/g

/** The numbers in a text that one may speak of, without commas. */
export const readMeasures = (text: string): string[] =>
  (text.match(MEASURE) ?? []).map((number) => number.replaceAll(',', ''))

// What is printed in more is no result.
const LONGEST_RESULT = 20_000

/** The last line with most of the numbers that were spoken of. */
export function findSpoken(
  { outcome, action }: CallEvent,
  spoken: ReadonlySet<string>,
): string | undefined {
  const { text = '' } = outcome ?? {}
  if (spoken.size === 0 || text.length > LONGEST_RESULT || SHOWS.test(action.command ?? ''))
    return undefined
  let most = 0
  let found: string | undefined
  for (const line of text.split('\n')) {
    if (line.length > LONGEST_KEY_LINE || isProgress(line)) continue
    const count = readMeasures(line).filter((number) => spoken.has(number)).length
    if (count > 0 && count >= most) [most, found] = [count, line.trim()]
  }
  return found
}

// `Expected: 5`, `expected 3, got 5`, `E  assert 3 == 5`, `3 !== 5`
const EXPECTS =
  /\bexpected\b.{0,120}\b(?:got|received|actual|but|to)\b|\bwant(?:ed)?\b.{0,120}\bgot\b|\bgot\b.{0,120}\bwant(?:ed)?\b|^(?:expected|received|actual|left|right)\b\s?:|^E\s+assert\b|\S !==? \S/i

/** Whether a line says what a test expected, or what it saw. */
export const tellsExpected = (line: string): boolean => EXPECTS.test(line)

const MOST_EXPECTED = 2

function findFailure(lines: readonly string[]): string | undefined {
  const test = lines.find(namesFailedTest)
  if (test !== undefined) {
    const expected = lines.filter((line) => line !== test && tellsExpected(line))
    return [test, ...expected.slice(0, MOST_EXPECTED)].join(' · ')
  }
  return (
    lines.find(reportsError) ??
    lines.find((line) => PLACE.test(line)) ??
    lines.find((line) => COUNTS.test(line) && !NO_FAILURES.test(line))
  )
}

function findResult(lines: readonly string[], command: string): string | undefined {
  const made = lines.findLast((line) => MADE.test(line))
  if (made !== undefined) return made
  const packages = lines.filter((line) => PACKAGE.test(line)).length
  if (packages > 1) {
    const isDoubtful = (line: string) => SAYS_OTHERWISE.test(line) || reportsError(line)
    // How a run ended that hides nothing is known.
    const isSure = isMasked(command) && !lines.some(isDoubtful)
    const count = isSure ? `ok (${packages} packages)` : undefined
    return lines.findLast((line) => COUNTS.test(line)) ?? count
  }
  const result = lines.findLast((line) => COUNTS.test(line) || VERDICT.test(line))
  const isAlike = (line: string) => line !== result && withoutNumbers(line) === shape
  const shape = result && withoutNumbers(result)
  // Where two runs are compared, the last does not speak for the other.
  if (result !== undefined && lines.some(isAlike)) return joinNumbers(lines)
  return result ?? joinNumbers(lines)
}

const withoutNumbers = (line: string): string => line.replace(/\d+(?:[.,]\d+)*/g, '0')

// What hosts say of a command that printed nothing.
const NO_OUTPUT = /^\(.{0,40}\bno output\)$/i

/**
 * Reads the output of a command, when that is one short line which is not part of the command. Of a
 * commit it is the line that names it.
 */
export function readAnswerLine(call: CallEvent): string | undefined {
  const { action, outcome, state } = call
  const commit = readCommit(call)
  if (commit !== undefined) return commit
  if (action.kind !== 'command' || !outcome || outcome.failed || state) return undefined
  if (outcome.text.length > 2 * LONGEST_ANSWER) return undefined
  const text = outcome.text.trim()
  if (text === '' || text.length > LONGEST_ANSWER || text.includes('\n') || NO_OUTPUT.test(text))
    return undefined
  const isKnown = action.command?.includes(text) === true || isProgress(text) || PACKAGE.test(text)
  return isKnown ? undefined : flatten(text)
}

const MOST_NUMBERS = 3

/**
 * The whole output, when that is up to three short lines with a number in each: what was counted,
 * measured, listed.
 */
function joinNumbers(lines: readonly string[]): string | undefined {
  if (
    lines.length > MOST_NUMBERS ||
    lines.some((line) => line.length > LONGEST_ANSWER || !/\d/.test(line))
  )
    return undefined
  return flatten(lines.join(' · ')) || undefined
}
