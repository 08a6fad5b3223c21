/** What a line of output says: nothing, something that other lines say too, or where it stands. */

import { mentionsError } from '../facts/error-lines.ts'
import { isNoise, isRunnerTalk } from './noise.ts'

const LONGEST_OUTPUT_LINE = 300
const SHORTEST_OUTPUT_LINE = 12

/** What lines that differ only in numbers have in common. Undefined for one that says nothing. */
export function keyOfLine(text: string): string | undefined {
  if (text.length < SHORTEST_OUTPUT_LINE || text.length > LONGEST_OUTPUT_LINE) return undefined
  if (isHostTalk(text) || isLog(text) || isDiffFrame(text) || isNoise(text) || isRunnerTalk(text))
    return undefined
  return isTestCount(text) ? TESTS : text.replace(/(?<!\w)\d+(?!\w)/g, '0')
}

// `4  Tests  168 passed | 1 expected fail (169)`, `9 passed in 0.31s`: the newest one counts.
const TEST_COUNTS =
  /^(?:\d{1,4}\s{1,8})?(?:tests?|test files|test suites|[=\s]{1,8})?:?\s{0,8}\d{1,6} (?:passed|failed|passing|failing)\b/i
const TESTS = 'tests'

const isTestCount = (line: string): boolean =>
  TEST_COUNTS.test(line) && !/[a-z]\.[a-z]|\//i.test(line)

/** Of `src/a.ts:12: count++` what stands there, of `+ count++` what a change adds. */
export const withoutPlace = (line: string): string => line.replace(PLACE_BEFORE, '').trim()
const PLACE_BEFORE = /^(?:[\w@+~./-]{1,200}[:-]\d{1,6}(?:[:-]|$)|[+-](?=\s))\s*/

/** A line of a search that names its file. */
export const NAMED =
  /^[\w@+~./-]{0,200}[\w-]\.\w{1,8}(?::\d|-\d+-|:|$)|^(?:[MADRC?]{1,2}|\d+) {0,4}[\w./-]+\.\w+/

/** Searches print whole paths. Paths in the working directory are made relative to it. */
export function withoutRoot(line: string, root: string | undefined): string {
  return root !== undefined && line.startsWith(root) ? line.slice(root.length) : line
}

const HOST_TALK =
  /^(?:<[a-z_-]{1,40}>|agentId: |Found \d+ |Todos have been modified|\[?\d* ?lines? (?:truncated|omitted))/

/** Whether the host wrote the line, about the call itself. */
const isHostTalk = (line: string) => HOST_TALK.test(line)

// Before the time is what a logger writes there, no name and no words:
// `2026-01-27 13:36:41 INFO …`, `[Nest] 79324  - 02/13/2026, 3:01:25 AM     LOG …`
const DATED =
  /^(?:\[[^\]]{1,30}\] ?|\d{1,8}(?:: ?| {1,4})|[-:] {1,4}|(?:TRACE|DEBUG|INFO|LOG|NOTICE)[: ]{1,4}|[A-Za-z][\w.-]{0,30} {0,8}\| ){0,4}\s{0,8}\[?\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}(?:,? {1,2}|T)\d{1,2}:\d\d/

/** Whether it says when something happened that was no failure. */
const isLog = (line: string): boolean => DATED.test(line) && !mentionsError(line)

const DIFF_FRAME =
  /^(?:diff --git |index [\da-f]{6,40}\.\.|(?:---|\+\+\+) (?:[ab]\/|\/dev\/)|@@ |similarity index |(?:new|deleted) file mode )/

const isDiffFrame = (line: string) => DIFF_FRAME.test(line)

export const isBarePath = (line: string) => line.includes('/') && !/\s/.test(line)
