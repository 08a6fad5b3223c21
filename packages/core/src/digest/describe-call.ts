/** A call in one line: what was run, how often, how it ended, and the line of output that mattered. */
import { reportsError } from '../facts/error-lines.ts'
import { clip, flatten } from './clean.ts'
import { type CallEvent, type Draft, isFailure } from './draft.ts'

/** `store_test.go:41: expected 3, got 5` */
export const PLACE = /[\w-]\.[a-z]{1,5}:\d{1,6}\b/

/** `--- FAIL: TestName (0.05s)` is the same report every time. */
export const withoutDuration = (line: string): string => line.replace(/\s\(?\d+(?:\.\d+)?m?s\)?$/, '')

const LONGEST_COMMAND = 400
const LONGEST_OBJECT = 160

/** `npm test (3×)`, `Edit: src/a.ts`; empty where a call names nothing. */
export function nameCall({ runs }: Pick<Draft, 'runs'>, { action }: CallEvent): string {
  if (action.command !== undefined) {
    const command = flatten(action.command)
    const count = runs.get(command) ?? 1
    return `${clip(command, LONGEST_COMMAND)}${count > 1 ? ` (${count}×)` : ''}`
  }
  const object = flatten([...action.paths, action.purpose ?? ''].join(' '))
  return object === '' ? '' : clip(`${action.name}: ${object}`, LONGEST_OBJECT)
}

// As long as an answer that a command is run for: a branch, a version, a count.
const LONGEST_ANSWER = 80
// Claude Code marks every run that ends with another code than 0; with other hosts, no mark says nothing.
const MARKS_FAILURES = 'Bash'

/** ` → failed (exit 2): "1 test failed"`, ` → "main"`, ` → ok`, or nothing where it is not known. `told`: lines that stand elsewhere. */
export function describeOutcome(call: CallEvent, told: ReadonlySet<string> = NOTHING): string {
  const { action, outcome, isRunning } = call
  if (!outcome) return ''
  const line = findKeyLine(call)
  const key =
    line === undefined || told.has(withoutDuration(line)) ? '' : `: "${clip(flatten(line), LONGEST_KEY_LINE)}"`
  if (isFailure(action, outcome)) return `${describeFailure(call)}${action.command === undefined ? '' : key}`
  if (action.kind !== 'command') return ''
  if (isRunning) return ' → still running'
  const answer = readAnswerLine(call)
  if (answer !== undefined) return ` → "${answer}"`
  return outcome.exitCode === 0 || action.name === MARKS_FAILURES || key !== '' ? ` → ok${key}` : ''
}

/** ` → failed (exit 2)` */
export function describeFailure({ outcome }: CallEvent): string {
  return ` → failed${outcome?.exitCode === undefined ? '' : ` (exit ${outcome.exitCode})`}`
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
  return found?.trim()
}

// What hosts say of a command that printed nothing.
const NO_OUTPUT = /^\(.{0,40}\bno output\)$/i

/** Reads the output of a command, when that is one short line which is not part of the command. */
export function readAnswerLine({ action, outcome, isRunning }: CallEvent): string | undefined {
  if (action.kind !== 'command' || !outcome || outcome.failed || isRunning) return undefined
  if (outcome.text.length > 2 * LONGEST_ANSWER) return undefined
  const text = outcome.text.trim()
  if (text === '' || text.length > LONGEST_ANSWER || text.includes('\n') || NO_OUTPUT.test(text)) return undefined
  return action.command?.includes(text) ? undefined : flatten(text)
}
