/** Tells which lines of output report a failure. */

const REPORT =
  /\b(?:error|panic|exception|traceback|FAIL|fatal|FAILED|TypeError|ReferenceError|SyntaxError|AssertionError|ENOENT|EACCES)\b[:\s(\]]|^(?:E\s{3}|✗|✘|×|not ok\b|npm ERR!|error\[|---? FAIL)|: (?:command not found|No such file or directory|Permission denied)|(?:cannot find|undefined:|unresolved|could not|no such)\b/i
const CLEARLY =
  /(?:^|\s)(?:\w{0,40}Error|error|fatal|panic|FAIL|Traceback|E\d{3,5})\b[:\s(\]]|^(?:E\s{3}|✗|✘|×|not ok\b|--- FAIL|npm ERR!)|(?:undefined|cannot find|not found|No such file)/
const LONGEST_REPORT = 400
const LONGEST_LINE = 2_000

/** Any line that speaks of a failure, code that raises one included. */
export const mentionsError = (line: string): boolean => line.length <= LONGEST_REPORT && REPORT.test(line)

/** A line that reports a failure, by its shape; what a failed command printed. */
export function reportsError(line: string): boolean {
  return line.length <= LONGEST_REPORT && CLEARLY.test(line) && !looksLikeCode(line)
}

/** `return fmt.Errorf("error: %w", err)` speaks of errors and is none. */
function looksLikeCode(line: string): boolean {
  return /[;{]\s*$|^\s*(?:\/\/|#|\*|func |def |return |if |const |let |var |throw |raise |t\.|expect)|:= |=> |%[wvsd]/.test(
    line,
  )
}

const HINT =
  /rror|atal|panic|FAIL|raceback|E\d{3}|not ok|ERR!|ndefined|annot find|ot found|o such file|^(?:E\s{3}|✗|✘|×)/gim
const SHORTEST_REPORT = 12

/** Lines of output that report a failure, trimmed. Looks closely only where something hints at one. */
export function findErrorLines(output: string): string[] {
  const found: string[] = []
  HINT.lastIndex = 0
  for (let hint = HINT.exec(output); hint; hint = HINT.exec(output)) {
    const start = output.lastIndexOf('\n', hint.index) + 1
    const next = output.indexOf('\n', hint.index)
    const end = next < 0 ? output.length : next
    // A line that is too long is not even copied.
    const line = end - start <= LONGEST_LINE ? output.slice(start, end).trim() : ''
    if (line.length >= SHORTEST_REPORT && reportsError(line)) found.push(line)
    if (next < 0) break
    HINT.lastIndex = end
  }
  return found
}
