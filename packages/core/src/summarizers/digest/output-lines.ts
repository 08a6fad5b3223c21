/** What calls printed, line by line. */
import { mentionsError } from '../../facts/errors.ts'
import type { CallEvent, Event } from './event.ts'

const ERROR_HINT = /error|fail|exception|panic|traceback/i
const NEWEST_ERRORS = 12
const LONGEST_ERROR = 240
const SHORTEST_ERROR = 20

/** The newest distinct lines that speak of a failure, with their rank. */
export function findNewestErrors(events: readonly Event[]): Map<string, number> {
  const ranks = new Map<string, number>()
  for (let at = events.length - 1; at >= 0 && ranks.size < NEWEST_ERRORS; at--) {
    const event = events[at]
    const text = event?.type === 'call' ? (event.outcome?.text ?? '') : ''
    if (!ERROR_HINT.test(text)) continue
    const lines = text.split('\n')
    for (let row = lines.length - 1; row >= 0 && ranks.size < NEWEST_ERRORS; row--) {
      const line = withoutLineNumber(lines[row]!).trim()
      if (line.length < SHORTEST_ERROR || line.length > LONGEST_ERROR || ranks.has(line)) continue
      if (ERROR_HINT.test(line) && mentionsError(line)) ranks.set(line, ranks.size)
    }
  }
  return ranks
}

const LINE_NUMBER = /^\s{0,8}L?(\d{1,6})(?:→|:|-|\||\t) ?/

/** A line of a file without the number a tool put before it. */
export function withoutLineNumber(line: string): string {
  const number = LINE_NUMBER.exec(line)
  return number ? line.slice(number[0].length) : line
}

/** Calls back for each line of what a call printed, with its row. */
export function forEachOutputLine({ outcome }: CallEvent, visit: (line: string, row: number) => void): void {
  outcome?.text.split('\n').forEach(visit)
}
