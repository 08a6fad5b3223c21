/** Failures that nothing later in the span shows as overcome. */
import { isRefused } from '../actions/answers.ts'
import { isFailure } from '../actions/outcome.ts'
import type { Action } from '../actions/tool-calls.ts'
import { mentionsError, reportsError } from '../facts/error-lines.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { withoutLineNumber } from '../facts/printed-lines.ts'
import { isCheck, isSlip, namesFailedTest } from './checks.ts'
import {
  describeFailure,
  nameCall,
  PLACE,
  tellsExpected,
  withoutDuration,
} from './describe-call.ts'
import {
  type CallEvent,
  createGroup,
  type Draft,
  type Event,
  type Placed,
  priorities,
} from './draft.ts'
import { isComment } from './noise.ts'
import { type Check, covers, readChecks } from './read-checks.ts'
import { worksInScratch, writesScratch } from './scratch.ts'

const REPORTS_PER_FAILURE = 3
const PLACES_PER_FAILURE = 3
const TESTS_PER_FAILURE = 4
const MOST_FAILURES = 5
// Each open failure is compared with each check that passed.
const MOST_COMPARED = 40

export function collectErrors(draft: Draft): void {
  const open = new Map<string, Placed<CallEvent>>()
  const passed = new Map<string, { readonly check: Check; readonly at: number }>()
  for (const event of draft.events) {
    if (event.type !== 'call' || !event.outcome) continue
    const failed = isFailure(event.action, event.outcome)
    const isMendable =
      event.action.kind !== 'read' &&
      !onlyWaits(event.action) &&
      !isSlip(event.action, event.outcome.text) &&
      !isRefused(event.outcome.text)
    if (failed ? !isMendable : open.size === 0) continue
    if (!failed && !event.state && isCheck(event.action)) {
      for (const check of readChecks(event.action.command ?? '', draft.root))
        passed.set(check.text, { check, at: event.at })
    }
    // A look at the whole file shows more than the edit that failed.
    if (!failed && event.asksForWhole) open.delete(`write ${event.action.paths[0]}`)
    const [key = '', ...others] = keysOf(event)
    // Only the newest failure of a kind counts.
    open.delete(key)
    if (failed) open.set(key, event)
    else for (const other of others) open.delete(other)
  }
  const newest = [...passed.values()].sort((a, b) => b.at - a.at).slice(0, MOST_COMPARED)
  let answered = -1
  for (const { events } of draft.answers)
    for (const { at, isCarried } of events) if (!isCarried) answered = Math.max(answered, at)
  const isOvercome = ({ action, at }: Placed<CallEvent>) => {
    const { command = '' } = action
    const checks = isCheck(action) ? readChecks(command, draft.root) : []
    // What went wrong with a look was answered without it.
    const isLook =
      checks.length === 0 ||
      worksInScratch(command, draft.root) ||
      writesScratch(command, draft.root)
    if (isLook && at < answered) return true
    const isMadeUp = (check: Check) => newest.some((one) => one.at > at && covers(one.check, check))
    return checks.length > 0 && checks.every(isMadeUp)
  }
  const left = [...open.values()].slice(-MOST_COMPARED).filter((event) => !isOvercome(event))
  // The newest one first: an older one does not repeat what it reports.
  for (const event of left.slice(-MOST_FAILURES).reverse()) pushFailure(draft, event)
}

/** Whether a command does nothing that could be mended: `sleep 5 && echo done`. */
const onlyWaits = ({ command }: Action): boolean =>
  command !== undefined &&
  command.length <= LONGEST_WAIT &&
  command.split(/&&|;|\n/).every((step) => WAIT.test(step))

const LONGEST_WAIT = 200
const WAIT = /^\s*(?:(?:sleep|echo|wait|true|:)(?:\s[^|<>`$]*)?)?$/

/**
 * Names what has to succeed to make up for a failure: the same program with the same first argument
 * or script, or the same tool on a file. Of `git add . && git commit`, both succeeded.
 */
function keysOf({ action }: Placed<CallEvent>): string[] {
  if (action.command === undefined) return [`${action.kind} ${action.paths[0] ?? action.name}`]
  const [steps = ''] = flatten(action.command).split(/;|\|\|/, 1)
  return steps.split(' && ').flatMap((step) => (step.startsWith('cd ') ? [] : nameProgram(step)))
}

function nameProgram(step: string): string {
  const words = step.split(' ').filter((word) => word !== 'env' && !word.includes('='))
  // `npm run lint` is not `npm run build`.
  return words.slice(0, words[1] === 'run' ? 3 : 2).join(' ')
}

/**
 * The first tests that failed, the last lines that report something, and the last that contain a
 * place, in the order of the output.
 */
function readReports(lines: readonly string[]): string[] {
  const rows = lines.map((_, row) => row)
  const isSaying = (line: string) => line.length > 5 && !/^(?:Exit code \d|FAIL$|ok\s)/.test(line)
  const reports = rows
    .filter(
      (row) => isSaying(lines[row]!) && (reportsError(lines[row]!) || tellsExpected(lines[row]!)),
    )
    .slice(-REPORTS_PER_FAILURE)
  const tests = rows.filter((row) => namesFailedTest(lines[row]!)).slice(0, TESTS_PER_FAILURE)
  const places = rows
    .filter((row) => PLACE.test(lines[row]!.slice(0, 200)))
    .slice(-PLACES_PER_FAILURE)
  const chosen = [
    ...new Set([...tests, ...reports, ...places].sort((a, b) => a - b).map((row) => lines[row]!)),
  ]
  return chosen.length > 0 ? chosen : [lines.findLast((line) => line !== '') ?? '']
}

function pushFailure(draft: Draft, event: Placed<CallEvent>): void {
  const { action, outcome, at } = event
  if (!outcome) return
  const lines = outcome.text.split('\n').map((line) => line.trim())
  const reports: string[] = []
  for (const report of readReports(lines)) {
    const said = withoutDuration(report)
    if (report === '' || draft.visible.has(report) || draft.reported.has(said)) continue
    draft.reported.add(said)
    reports.push(report)
  }
  if (reports.length === 0) return
  draft.failures.set(at, reports)
  const group = createGroup(
    'errors',
    at,
    `- ${nameCall(draft, event) || action.name}${describeFailure(event)}`,
  )
  reports.forEach((report, order) => {
    draft.candidates.push({
      kind: 'error',
      group,
      order,
      text: renderReport(report),
      entities: draft.vocabulary.read(report),
      value: 4,
      priority: priorities.openError + (draft.events.length - at) / draft.events.length,
    })
  })
}

const LONGEST_REPORT = 200

/** A line that a failure reported, as it is shown below the failure. */
export const renderReport = (report: string): string =>
  `\t${ECHO.test(report) && report.length > LONGEST_REPORT ? `… ${report.slice(-LONGEST_END).replace(HALF_PAIR, '')}` : clip(report, LONGEST_REPORT)}`

// `Command '['bash', '-c', '…']' timed out after 60 seconds`: what happened stands at the end.
const ECHO = /^(?:error: )?command\b/i
const LONGEST_END = 80
const HALF_PAIR = /^[\udc00-\udfff]/

const ERROR_HINT = /error|fail|exception|panic|traceback/i
const NEWEST_ERRORS = 12
// Code speaks of errors that did not happen.
const NEWEST_MENTIONS = 4
const MENTION = /\b(?:error|panic|exception|traceback|fail)\b[:\s]/i
const LONGEST_ERROR = 240
const SHORTEST_ERROR = 20

/** The newest distinct lines that speak of a failure, with their rank. */
export function findNewestErrors(events: readonly Event[]): Map<string, number> {
  const ranks = new Map<string, number>()
  let mentions = 0
  for (let at = events.length - 1; at >= 0 && ranks.size < NEWEST_ERRORS; at--) {
    const event = events[at]
    const text = event?.type === 'call' ? (event.outcome?.text ?? '') : ''
    if (!ERROR_HINT.test(text) || isRefused(text)) continue
    const lines = text.split('\n')
    for (let row = lines.length - 1; row >= 0 && ranks.size < NEWEST_ERRORS; row--) {
      const line = withoutLineNumber(lines[row]!).trim()
      if (line.length < SHORTEST_ERROR || line.length > LONGEST_ERROR || ranks.has(line)) continue
      if (!ERROR_HINT.test(line) || !mentionsError(line)) continue
      const isReport = reportsError(line)
      if (!isReport && (mentions >= NEWEST_MENTIONS || !MENTION.test(line) || isComment(line)))
        continue
      if (!isReport) mentions++
      ranks.set(line, ranks.size)
    }
  }
  return ranks
}
