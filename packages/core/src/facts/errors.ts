/** The words with which output reports that something failed. */

const REPORT =
  /\b(?:error|panic|exception|traceback|FAIL|fatal|FAILED|TypeError|ReferenceError|SyntaxError|AssertionError|ENOENT|EACCES)\b[:\s(\]]|^(?:E\s{3}|✗|✘|×|not ok\b|npm ERR!|error\[|---? FAIL)|: (?:command not found|No such file or directory|Permission denied)|(?:cannot find|undefined:|unresolved|could not|no such)\b/i
const CLEARLY =
  /(?:^|\s)(?:\w{0,40}Error|error|fatal|panic|FAIL|Traceback|E\d{3,5})\b[:\s(\]]|^(?:E\s{3}|✗|✘|×|not ok\b|--- FAIL|npm ERR!)|(?:undefined|cannot find|not found|No such file)/
const LONGEST_REPORT = 400
const LONGEST_LINE = 2_000

/** Any line that speaks of a failure, code that raises one included. */
export function mentionsError(line: string): boolean {
  return line.length <= LONGEST_REPORT && REPORT.test(line)
}

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

const FAILURE =
  /^[\s<[(*]{0,8}(?:tool_use_error|error|failed|failure|cannot|could not|unable|no match|invalid|traceback|string to replace not found|file (?:not found|does not exist)|enoent)\b/i
const NOT_WRITTEN =
  /\b(?:not found|no match|did not match|no changes|not applied|rejected|refused|denied|interrupted|aborted|cancell?ed)\b/i
const FIRST_WORDS = 200

/** Whether a result says in its first words that its call failed, as where a protocol has no mark for errors. */
export function opensWithFailure(output: string): boolean {
  return FAILURE.test(output.slice(0, FIRST_WORDS))
}

/** Whether the result of a write says that nothing was written. */
export function saysNotWritten(output: string): boolean {
  return NOT_WRITTEN.test(output.slice(0, FIRST_WORDS))
}
