/** Which lines of a result are errors: of a command that ran, or of the tool itself. What was only read did not happen. */

import { isRefused } from './answers.ts'
import { findErrorLines } from './error-lines.ts'
import { type Outcome, opensWithFailure } from './outcome.ts'
import { isComplaint, showsOnlyContent } from './shown-content.ts'
import type { Action } from './tool-calls.ts'

// After these a tool repeats what it was given.
const LINES_OF_TOOL = 3

/** `actions`: those whose output it is; none where the call is not known. */
export function findCallErrors({ failed, text }: Outcome, actions: readonly Action[]): string[] {
  if (isRefused(text)) return []
  if (actions.length === 0 || !actions.every(showsOnlyContent)) return findErrorLines(text)
  const command = actions.map((action) => action.command ?? '').join('\n')
  if (command.trim() === '') {
    return failed || opensWithFailure(text) ? findErrorLines(text.split('\n', LINES_OF_TOOL).join('\n')) : []
  }
  return findErrorLines(text).filter((line) => isComplaint(line, command))
}
