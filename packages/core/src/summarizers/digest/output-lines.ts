import { mentionsError } from '../../facts/errors.ts'
import type { Draft } from './draft.ts'
import type { CallEvent, Event, Placed } from './event.ts'

// Of output this many characters and more before the end of the span only the ends and the errors are looked at:
// little of it is needed again, and looking at all of it is most of the work in spans of millions of characters.
const NEAR_CHARACTERS = 1_500_000
const DISTANT_FIRST_LINES = 40
const DISTANT_LAST_LINES = 15
const ERROR_HINT = /error|fail|exception|panic|traceback/i

/** First event whose output is looked at in full. */
export function findNearStart(events: readonly Event[]): number {
  let characters = 0
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.type === 'call') characters += event.outcome?.text.length ?? 0
    if (characters > NEAR_CHARACTERS) return at + 1
  }
  return 0
}

/** Calls back for each line of what a call printed, with its row. */
export function forEachOutputLine(
  draft: Draft,
  event: Placed<CallEvent>,
  visit: (line: string, row: number) => void,
): void {
  const lines = (event.outcome?.text ?? '').split('\n')
  const isNear = event.at >= draft.nearStart
  lines.forEach((line, row) => {
    const isEnd = row < DISTANT_FIRST_LINES || row >= lines.length - DISTANT_LAST_LINES
    if (isNear || isEnd || (ERROR_HINT.test(line) && mentionsError(line))) visit(line, row)
  })
}
