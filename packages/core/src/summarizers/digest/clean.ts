import type { Action } from '../../facts/tool-calls.ts'
import { redactSecrets } from '../../secrets/redact-secrets.ts'
import { stripTerminalCodes } from '../terminal-codes.ts'

// What some readers take for a line end; only a line feed may be one here.
const OTHER_LINE_ENDS = /[\r\v\f\u0085\u2028\u2029]+/g

/** Text as a digest may quote it: no secrets, no terminal codes, no line ends but the plain one. */
export function cleanText(text: string): string {
  return redactSecrets(stripTerminalCodes(text).replaceAll('\r\n', '\n').replace(OTHER_LINE_ENDS, ' '))
}

/** The same for all that a call says. */
export function cleanAction(action: Action): Action {
  const { command, purpose, changes, tasks } = action
  const paths = action.paths.map(cleanLine)
  const namesOnly = command === undefined && purpose === undefined && changes.length === 0 && tasks.length === 0
  // Most calls name a file and say nothing else.
  if (namesOnly && paths.every((path, index) => path === action.paths[index])) return action
  return {
    ...action,
    ...(command !== undefined && { command: cleanText(command) }),
    ...(purpose !== undefined && { purpose: cleanText(purpose) }),
    paths,
    changes: changes.map((change) => ({
      ...change,
      path: cleanLine(change.path),
      removed: cleanLines(change.removed),
      added: cleanLines(change.added),
    })),
    tasks: tasks.map((task) => (task.text === undefined ? task : { ...task, text: cleanText(task.text) })),
  }
}

function cleanLine(text: string): string {
  return cleanText(text).replaceAll('\n', ' ')
}

/** All at once: a private key spans several lines. */
function cleanLines(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : cleanText(lines.join('\n')).split('\n')
}
