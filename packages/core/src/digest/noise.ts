/** Lines of code and output that say nothing. */

const BOILERPLATE =
  /^(?:if err != nil \{|return(?: \(| nil| err| nil, err| true| false| null| undefined)?;?|\} else(?: if .{0,20})? \{|try:?|try \{|else:?|default:|break;?|continue;?|pass|end|fi|done|esac|package \w+|use strict|import \(|"use \w+";?)$/
const IMPORT =
  /^(?:import|from|use|using|#include|export \* from|require)\b|^"[\w./-]+"$|^(?:const|let|var) .{1,80} = require\(/
const SHARE = /\b\d{1,3}%/
const TIMED =
  /\[[=>#. -]{4,}\]|\b(?:duration(?:_ms)?|elapsed|real|user|sys|took|wall time)\b[:\s]{1,3}\d|^\s*\d+(?:\.\d+)?m?s$/i

// `[lint] ERROR task failed`, `npm error command sh -c tsc`: that it failed is told with the
// command.
const RUNNER_TALK =
  /^\[[\w:./-]{1,60}\] ERROR task failed$|^npm (?:error|ERR!) (?:code|command|path|errno|signal|workspace|location|lifecycle|A complete log)\b|^make(?:\[\d+\])?: \*\*\* |^error: (?:script|recipe) ["`']\S{1,80} (?:exited|failed|was terminated)/i

/** Whether a line only says that a program which runs others saw one fail. */
export const isRunnerTalk = (line: string): boolean => RUNNER_TALK.test(line)

// `example.com/x v1.2.0/go.mod h1:2eXP6=`, `"integrity": "sha512-…"`
const LOCKED = / h1:[\w+/]{4,80}=?|^"?integrity"?:? "?sha\d/
// `return valueHint;`, `console.error(error);`, `count++;`
const STATEMENT =
  /^(?:(?:return|await|throw|yield) {1,2}[\w.#$]{1,80}(?:\([\w.#$, ]{0,40}\))?|[\w.#$]{1,80}\([\w.#$, ]{0,40}\)|[\w.#$]{1,80}(?:\+\+|--))[;,]?$/
// `if (numberLikeRe.test(value)) {`
const CONDITION =
  /^(?:\} ?)?(?:else )?(?:if|elif|while|switch|match|case) ?\(?!?[\w.#$]{1,80}(?:\([\w.#$, ]{0,40}\))?\)? ?[{:]?$/
// What `ls -l` prints, and runners of tests around what matters: `✓ test/a.test.ts (26 tests) 21ms`, `RUN v4.1.12`
const RUNNER_FRAME =
  /^(?:[-dl][rwxsStT-]{9}[@+.]?\s|[✓✔√] |PASS\b|RUN {1,4}v?\d|=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|SKIP)|(?:Test Files|Tests|Test Suites|Snapshots|Time|Duration|Start at|Ran all test suites|Finished in)\b[: ]{1,8}|collected \d|running \d{1,6} tests?$|test \S{1,200} \.\.\. ok$|test result: |# (?:tests|pass|fail|suites|cancelled|skipped|todo|duration_ms) |ok \d{1,6} |ok\s{1,4}\S{1,200}\s|\? {1,8}\t? {0,8}\S{1,200}\s{1,8}\[no test files\]|TAP version|\d\.\.\d{1,6}$|={3,200} ?[\w .,]{0,80} ?={3,200}$)/

/**
 * Whether a line of code or output says nothing alone: brackets, imports, bare statements, what any
 * program has, frames of test runners, progress, timings.
 */
export function isNoise(line: string): boolean {
  if (!/[\p{L}\p{N}]{2}/u.test(line) || BOILERPLATE.test(line) || IMPORT.test(line)) return true
  if (LOCKED.test(line) || STATEMENT.test(line) || CONDITION.test(line) || RUNNER_FRAME.test(line))
    return true
  return SHARE.test(line) || isProgress(line)
}

// `needSave = true`, `Prompts: allPrompts,`, `"limit", limit,`, `count int,`, `setTimeout(`, `await queue.addAll([`, `} catch (error) {`
const PARTS = [
  /^[\w.#$]{1,60} :?= (?:true|false|null|nil|undefined|None|\d{1,4}|""|''|[\w$]{1,60});?$/,
  /^[\w.]{1,40}:\s{1,40}[\w.]{1,60}(?:\(\))?,$/,
  /^(?:await |return |yield |go |defer )?[\w.#$]{1,80}\((?:\[|\{|(?:async )?(?:\([\w$, ]{0,40}\)|\w{1,20}) => [{(]?|function ?\([\w$, ]{0,40}\) \{)?$/,
  /^["'`]?[\w.-]{1,60}["'`]?,$/,
  /^["'][\w.-]{1,60}["'], [\w.()[\]]{1,80},?\)*,?$/,
  /^\w{1,40} [\w.*[\]]{1,60},$/,
  /^(?:\} ?)?(?:else )?if \(?[\w.]{1,40}(?:\(\))? ?[!=<>]=?=? ?(?:nil|null|undefined|true|false|None|""|''|\d{1,4})\)?(?: ?\{|:)$/,
  /^return [\w.#$]{1,60}(?:, [\w.#$]{1,60}){1,4};?$/,
  /^(?:\} ?)?(?:catch|except|rescue|finally|ensure)(?:$|:| ?[({]| =>| [A-Z][\w.]{0,60}(?:$|:| as | =>|, ))/,
]
// `* main` is a line of `git branch`.
const COMMENT = /^(?:\/\/|\/\*|\* (?=\S+ ))/
export const isComment = (line: string): boolean => COMMENT.test(line)
const NAME = /[\p{L}\p{N}]_|\p{Ll}\p{Lu}|\d|[\w-]\.\p{L}|`/u
// Code that raises an error is none.
const RAISES =
  /^(?:\+|-)?\s*(?:return .{0,60}\b(?:fmt\.Errorf|errors\.New)\(|(?:throw|raise)\b|t\.(?:Fatal|Error)f?\(|fmt\.Fprint\w{0,3}\(os\.Stderr|(?:console|log|logger|logging|slog)\.\w{1,20}\()/

/**
 * Whether a line of a file that was only looked at is a part of something that tells nothing alone:
 * an assignment of one name to another, a call that goes on, a comment without a name, code that
 * raises an error.
 */
export const isFragment = (line: string): boolean =>
  PARTS.some((part) => part.test(line)) ||
  (isComment(line) && !NAME.test(line.slice(2))) ||
  RAISES.test(line)

// `[sync 60 ms] basic rc=0 failed:`
const ENDED_WELL = /\b(?:rc|exit(?:[ _-]?code)?)\s?[=:]\s?0(?:\s{1,4}\w{1,40}:)?$/i

// `Receiving objects:  45% (9/20)`, `[ 12%] Building CXX object`, `⠹ Installing`, `████░░░░`, `Total 9 (delta 2)`, `Done in 3.1s`
const MOVES =
  /\d{1,3}%\s?(?:\(|\||[█▓▒░=#>-]{2})|^\s*\[?\s{0,3}\d{1,3}%\]?(?:\s|$)|[\u2800-\u28ff]|[█▓▒░▏▎▍▌▋▊▉]{3}/u
const TRANSFER =
  /^(?:remote: )?(?:(?:enumerating|counting|compressing|receiving|writing|resolving|unpacking|updating|checking out|filtering) \w+:|delta compression using|total \d+ \(delta)|^(?:downloading|fetching|uploading|extracting|installing|loading|progress)\b.{0,200}(?:%|\d ?[kmg]i?b\b)/i
const TIMING =
  /^(?:done|finished|completed|ready|built|compiled) (?:in|after) [\d.]+ ?(?:m?s|min|seconds?|minutes?)\b\.?$/i

/**
 * Whether a line of output only says how far a program is, how long it took, or that a part of it
 * went well.
 */
export const isProgress = (line: string): boolean =>
  [MOVES, TRANSFER, TIMING, TIMED, ENDED_WELL].some((one) => one.test(line))

/**
 * What a terminal shows in the end: of a line that was written over again and again what came last.
 */
export function dropOverwritten(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .split('\n')
    .map((line) => {
      const end = line.endsWith('\r') ? line.length - 1 : line.length
      const start = end === 0 ? -1 : line.lastIndexOf('\r', end - 1)
      return start < 0 ? line : line.slice(start + 1)
    })
    .join('\n')
}
