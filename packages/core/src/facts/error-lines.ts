/** Finds which lines of output report a failure. */

import { stripTerminalCodes, withoutGutter } from './printed-lines.ts'

const REPORT =
  /\b(?:error|panic|exception|traceback|FAIL|fatal|FAILED|TypeError|ReferenceError|SyntaxError|AssertionError|ENOENT|EACCES)\b[:\s(\]]|^(?:E\s{3}|✗|✘|×|not ok\b|npm ERR!|error\[|---? FAIL)|: (?:command not found|No such file or directory|Permission denied)|(?:cannot find|undefined:|unresolved|could not|no such)\b/i
const LONGEST_REPORT = 400
const LONGEST_LINE = 2_000

/** Any line that speaks of a failure, code that raises one included. */
export const mentionsError = (line: string): boolean =>
  line.length <= LONGEST_REPORT && REPORT.test(line) && !COUNTS_NONE.test(line)

// `basic rc=0 failed:`, `failed: 0`
const COUNTS_NONE =
  /\b(?:rc|exit(?:[ _-]?code)?)\s?[=:]\s?0\b|\b(?:failed|failures?|errors?)["']?\s?[=:]\s?(?:0\b|$)/i

// `TypeError: x`, `error[E0433]: x`, `error TS2322: x`, `fatal: x`
const LABELLED =
  /(?:^|[\s([|>])(?:[\w.$]{0,60}(?:Error|Exception)|error|fatal(?: error)?|panic|ERROR|FATAL|PANIC|Fatal)(?:\[[\w-]{1,40}\]|\([\w-]{1,40}\)| [A-Z]{1,6}\d{2,6})?: {0,4}\S/
// `FAIL src/a.test.ts`, `npm ERR! code 1`, `[error] x`, `2026-01-27 13:36:41 ERROR x`
const OPENING =
  /^(?:\[?(?:ERROR|FATAL|PANIC)\]?[\s:]|CRITICAL:\w|\[error\]|##\[error\]|npm (?:ERR!|error)\s(?!(?:path|location|workspace|cwd|in workspace|at location|command sh|A complete log of)\b)|level=(?:error|fatal)\s|Traceback \(most recent|E\s{3}\S|[✗✘×✕]\s|not ok \d|--- FAIL|FAIL(?:ED)?[\s:]|Segmentation fault|test \S{1,200} \.\.\. FAILED|[[\d][\d\s:.,TZ[\]+/-]{6,40}\[?(?:ERROR|FATAL|CRITICAL|error|fatal)\]?\b)/
// `sh: foo: command not found`, `undefined: id`, `connect ECONNREFUSED 127.0.0.1`
const SPOKEN =
  /: (?:command not found|[Nn]o such file or directory|[Pp]ermission denied|[Nn]ot found|[Cc]annot |[Cc]ould not |[Uu]nable to |undefined: )|^undefined: |command not found: |cannot find (?:module|package|name|crate|symbol)\b|\bis not (?:defined|a function)\b|undefined reference to|^(?:[Cc]annot|[Cc]ould not|[Uu]nable to|[Ff]ailed to|No such) |\bE(?:NOENT|ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|PERM|EXIST|TIMEDOUT|MFILE|AI_AGAIN|NOTFOUND)\b|^[EF]\d{3,5}[:\s]/

/** A line that reports a failure, by its shape, as a failed command prints it. */
export function reportsError(line: string): boolean {
  if (line.length > LONGEST_REPORT || !HINT.test(line)) return false
  const said = withoutGutter(line).trim()
  if (NOTHING.test(said) || BARE.test(said) || looksLikeCode(said)) return false
  if (OPENING.test(said) || LABELLED.test(said)) return true
  return SPOKEN.test(said) && !ASSUMED.test(said)
}

// `Error: (none)`
const NOTHING =
  /\berror["']?: {0,4}(?:\(?(?:none|null|nil|undefined|false|empty)\)?|0|""|'')[,.]?$/i

// `- If a property is not defined, …` says what to do. It did not happen. A label is of one that did:
// `When fetching https://x: Error: connect ECONNREFUSED`.
const ASSUMED = /^(?:[-*•>] |\d{1,3}[.)] )?(?:If|When|Whenever|Unless|In case)\s[^,]{0,400},/

// The end of a line that was wrapped, which does not say what failed.
const BARE =
  /^(?:No such file or directory|Permission denied|[Nn]ot found|File exists|Operation not permitted)(?: \((?:os error|errno) \d{1,4}\))?\.?$/

// `return fmt.Errorf("error: %w", err)` mentions errors but is not one.
const CODE =
  /[;{,(]$|^(?:\/\/|\/\*|#(?!#\[)|\*|"""|[}\])]|func |def |return\b|if |elif |else\b|for |while |const |let |var |throw |raise |except\b|catch\b|try\b|case |t\.|expect\(|assert\(|import |from |export |public |private |static |await |async |class |interface |echo |printf\b)|:= |=> |%[wvsdq]\b|\bnew \w{0,60}Error\(|[Ee]rrors?\.New\(|Errorf\(|(?:console|log|logger|logging|slog)\.\w{1,20}\(|^["'`].{0,400}["'`],?$/

const looksLikeCode = (line: string): boolean => CODE.test(line)

const HINT =
  /rror|atal|panic|PANIC|CRITICAL|FAIL|raceback|xception|E\d{3}|F\d{3}|not ok|ERR!|ndefined|annot |ot (?:found|defined|a function)|ould not|nable to|ailed to|o such|ermission denied|Segmentation|E[A-Z]{4}|[✗✘×✕]|^E\s{3}/m
const SHORTEST_REPORT = 12

/**
 * Lines of output that report a failure, trimmed and without colors. Reads closely only if
 * something suggests one.
 */
export function findErrorLines(output: string): string[] {
  if (!HINT.test(output)) return []
  const found: string[] = []
  for (let start = 0; start < output.length; ) {
    const next = output.indexOf('\n', start)
    const end = next < 0 ? output.length : next
    // A line that is too long is not even copied.
    const line =
      end - start <= LONGEST_LINE ? stripTerminalCodes(output.slice(start, end)).trim() : ''
    // What a terminal shows last: `Rebasing (1/2)\rerror: could not apply`
    const shown = line.slice(line.lastIndexOf('\r') + 1)
    if (shown.length >= SHORTEST_REPORT && reportsError(shown)) found.push(shown)
    start = end + 1
  }
  return found
}
