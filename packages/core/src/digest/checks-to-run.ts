/** Checks that are due: not run since the last change, failed, or named and never run. */

import { isRefused } from '../actions/answers.ts'
import { flatten } from '../facts/flatten.ts'
import { isCheck, isSlip } from './checks.ts'
import { type Draft, listChanged } from './draft.ts'
import { type Check, covers, isFocused, readChecks } from './read-checks.ts'

const MOST_CHECKS = 3
const LONGEST_CHECK = 80
// Each of those is compared with each that passed later.
const MOST_COMPARED = 40

interface CheckRecord {
  readonly text: string
  readonly checks: readonly Check[]
  readonly last: number
  readonly runs: number
  readonly failed: boolean
}

/**
 * The checks of the span, each with its latest run. A failed command with several checks is one
 * check, because precis does not know which of them failed.
 */
function readCheckRuns({ events, root }: Draft): CheckRecord[] {
  const records = new Map<string, CheckRecord>()
  const note = (checks: readonly Check[], last: number, failed: boolean) => {
    const text = checks.map((check) => check.text).join(' && ')
    records.set(text, { text, checks, last, failed, runs: (records.get(text)?.runs ?? 0) + 1 })
  }
  for (const [index, event] of events.entries()) {
    if (event.type !== 'call' || !event.outcome || event.state || !isCheck(event.action)) continue
    const { failed, text } = event.outcome
    if (isRefused(text) || (failed && isSlip(event.action, text))) continue
    const checks = readChecks(event.action.command ?? '', root)
    if (failed && checks.length > 0) note(checks, index, true)
    else for (const check of checks) note([check], index, false)
  }
  return [...records.values()]
}

/**
 * Checks that passed before the last change and were not run after it, those that were run most
 * often, and those whose newest run failed.
 */
export function findChecksToRun(draft: Draft): { readonly due?: string; readonly failed?: string } {
  const change = draft.events.findLastIndex(
    (event) => listChanged(event, draft.isScratch).length > 0,
  )
  const runs = readCheckRuns(draft)
  const passed = runs.filter(({ failed }) => !failed).sort((a, b) => b.last - a.last)
  const isDone = ({ checks, last, failed }: CheckRecord) => {
    const later = passed
      .slice(0, MOST_COMPARED)
      .filter((one) => one.last > (failed ? last : change))
    return checks.every((check) => later.some((one) => covers(one.checks[0]!, check)))
  }
  const name = (records: readonly CheckRecord[]) => {
    const open = records.slice(0, MOST_COMPARED).filter((record) => !isDone(record))
    const names = open.slice(0, MOST_CHECKS).map(({ text }) => text)
    return names.length === 0 ? undefined : names.join('; ')
  }
  const whole = runs.filter(
    ({ text, checks }) => text.length <= LONGEST_CHECK && !checks.some(isFocused),
  )
  whole.sort((a, b) => b.runs - a.runs || b.last - a.last)
  const due = name(whole.filter(({ failed, last }) => !failed && last < change))
  // A check that is listed with its report is repeated only if a list without it would mislead.
  const isTold = ({ last }: CheckRecord) => due === undefined && draft.failures.has(last)
  const failed = name(whole.filter((record) => record.failed && !isTold(record)))
  return {
    ...(due !== undefined && { due: `Checks not run since the last change: ${due}` }),
    ...(failed !== undefined && {
      failed: `Checks that failed when they were last run: ${failed}`,
    }),
  }
}

const MOST_NAMING = 6
const MOST_NAMED = 12

/** Checks that the agent named in its newest words, as code, and never ran. */
export function findNamedChecks({ events }: Draft): string | undefined {
  const ran = events.flatMap((event) => (event.type === 'call' ? (event.action.command ?? []) : []))
  const words = events.flatMap((event) =>
    event.type === 'words' && !event.isCarried ? event.text : [],
  )
  const named = words
    .slice(-MOST_NAMING)
    .flatMap((text) => [...text.matchAll(CODE)].map(([, code]) => flatten(code!)))
  const isNamed = (command: string) =>
    COMMAND.test(command) && isCheck({ kind: 'command', command })
  // Every command that was run is compared with each of them.
  const newest = [...new Set(named.filter(isNamed))].slice(-MOST_NAMED)
  const checks = newest
    .filter((command) => !ran.some((one) => one.includes(command)))
    .slice(-MOST_CHECKS)
  return checks.length === 0 ? undefined : `Checks named and not run: ${checks.join('; ')}`
}

const CODE = /`([^`\n]{5,120})`/g
const COMMAND =
  /^(?:npm|npx|pnpm|yarn|bun|deno|make|just|task|mise|go|cargo|python3?|pytest|tox|uv|poetry|mvn|gradle|\.\/\w[\w./-]*|bundle|rake|php|composer|dotnet|swift|cmake|ctest|bazel|docker)\s+\S/
