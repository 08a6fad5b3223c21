/** How a command ended, as far as it is known. */
import { flatten } from './clip.ts'
import { type CallEvent, isFailure } from './event.ts'
import type { Wording } from './wording.ts'

// As long as an answer that a command is run for: a branch, a version, a count.
const LONGEST_ANSWER = 80
// Claude Code marks every run that ends with another code than 0; what other hosts do not tell is not known.
const MARKS_FAILURES = 'Bash'

/** ` → failed (exit 2)`, ` → "main"`, ` → ok`, or nothing where it is not known. */
export function describeOutcome(wording: Wording, call: CallEvent): string {
  const { action, outcome, isRunning } = call
  if (!outcome) return ''
  if (isFailure(action, outcome))
    return ` → ${wording.failed}${outcome.exitCode === undefined ? '' : ` (exit ${outcome.exitCode})`}`
  if (action.kind !== 'command') return ''
  if (isRunning) return ` → ${wording.running}`
  const answer = readAnswerLine(call)
  if (answer !== undefined) return ` → "${answer}"`
  return outcome.exitCode === 0 || action.name === MARKS_FAILURES ? ` → ${wording.ok}` : ''
}

/** What a command printed, when that is one short line which does not stand in the command. */
export function readAnswerLine({ action, outcome, isRunning }: CallEvent): string | undefined {
  if (action.kind !== 'command' || !outcome || outcome.failed || isRunning) return undefined
  if (outcome.text.length > 2 * LONGEST_ANSWER) return undefined
  const text = outcome.text.trim()
  if (text === '' || text.length > LONGEST_ANSWER || text.includes('\n')) return undefined
  return action.command?.includes(text) ? undefined : flatten(text)
}
