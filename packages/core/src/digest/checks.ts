/**
 * Commands by which a project verifies itself, and whether one that hides how it ended went wrong.
 */

import type { CallOutcome } from '../actions/outcome.ts'
import type { Action } from '../actions/tool-calls.ts'
import { hosts } from '../conversation/hosts.data.ts'
import { reportsError } from '../facts/error-lines.ts'
import { withoutHeredocs } from './quote-command.ts'

const NAMES =
  'tests?|unittest|vitest|jest|pytest|tox|mocha|rspec|phpunit|ctest|bats|build|lint|check|tsc|tsgo|vet|clippy|verify|typecheck|types|validate|ci|make'
const CHECK = new RegExp(`\\b(?:${NAMES})\\b`, 'i')
// A word that is nothing else: `test`, `:app:test`, `+test`, `--check`.
const WHOLE = new RegExp(
  `^--(?:check-only|syntax-check|verify-no-changes)$|(?:^|[:+])(?:--?)?(?:${NAMES})(?:$|:)`,
  'i',
)
// They run what a project calls as it likes: `npm run source-verify`.
const RUNNER =
  /^(?:npm|pnpm|yarn|bunx?|npx|deno|make|just|task|mise|nx|turbo|rake|gradlew?|mvnw?|cargo|go|uv|poetry|hatch|tox|composer|dotnet|lerna|rush|moon|pre-commit)(?:\.\w{1,4})?$/
const INTERPRETER =
  /^(?:(?:ba|z|da|fi)?sh|node|bun|deno|tsx|ts-node|py|python[23]?(?:\.\d{1,2})?|ruby|perl|php|lua|luajit|Rscript|pwsh|powershell)(?:\.exe)?$/
// What may stand before a program.
const PREFIX =
  /^(?:env|sudo|doas|time|g?timeout|nice|nohup|exec|stdbuf|unbuffer|xvfb-run|valgrind|strace|do|then|else|elif|if|while|until|[!&]|-.*|[\d.]+[smh]?|[A-Za-z_]\w*=.*)$/
// `node -r ./setup.js test.js`
const TAKES_VALUE = /^(?:-[rWXIo]|--(?:require|import|loader)|-[Ee]xecution[Pp]olicy)$/
const NO_CHECK =
  /^\s*(?:(?:do|then|else|elif|if|while|until|!) ){0,4}(?:for|case|test|git|gh|ls|cat|echo|cd|code|rm|mkdir|cp|mv|touch|export|sleep|which|head|tail|chmod|find|rg|grep|sed|awk|nl|wc|sort|tee|diff|open|curl|kill|pkill|jq)\b/
// The names of packages may be those of checks: `pip install pytest`.
const INSTALLS =
  /^\s*(?:sudo )?(?:npm|pnpm|yarn|bun|(?:python3? -m |uv )?pip3?|uv|poetry|cargo|go|gem|bundle|composer|brew|apt(?:-get)?)(?: -\S{1,60}){0,4} (?:i|ci|install|add|remove|uninstall|update|upgrade|get|sync|require)\b/
const LONGEST_LOOK = 400

// `node -e "…"`
const CODE =
  /\b(node|bun|deno|python3?|ruby|perl|php)\b([^'"\n|;&]{0,80} -(?:[ecp]|pe|-eval|-print)[ =])(?:'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$))/g

/** A command without the code that it feeds to its programs. */
export const withoutCode = (command: string): string =>
  withoutHeredocs(command).replace(CODE, '$1$2')

/** Whether a command runs tests, a build or a check. The name of a test file is not enough. */
export function isCheck({ kind, command }: Pick<Action, 'kind' | 'command'>): boolean {
  if (kind !== 'command' || command === undefined || !CHECK.test(command)) return false
  const steps = withoutCode(command)
    .replace(PROSE, '$1')
    .slice(0, LONGEST_LOOK)
    .split(/&&|[;|\n]|\s&\s/)
  return steps.some((step) => !NO_CHECK.test(step) && !INSTALLS.test(step) && runsCheck(step))
}

// `--reason "Merged with a green CI"`, but not `bash -c "npm test"`
const PROSE =
  /((?<!\bRscript)\s(?!-\w{0,3}c\b|--?(?:command|exec|file)\b)--?[\w-]{1,40}[ =])(?:'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$))/gi

/**
 * Whether a program or what it is told to run has the name of a check. What it is told to look at
 * may have any name: `gofmt -w a_test.go`, `-i ~/.ssh/ci-key`.
 */
function runsCheck(step: string): boolean {
  if (!CHECK.test(step)) return false
  let program: string | undefined
  let isRunner = false
  let before = ''
  let isProgramNext = true
  for (const word of step.split(/[\s()"'`]+/).filter((one) => one !== '')) {
    if (program !== undefined && namesCheck(word, isRunner)) return true
    const isNone = PREFIX.test(word) || TAKES_VALUE.test(before)
    before = word
    if (isProgramNext && isNone) continue
    if (isProgramNext && isNamedAsCheck(word)) return true
    program ??= word
    isRunner = RUNNER.test(nameFile(program))
    isProgramNext = INTERPRETER.test(nameFile(word)) || (isRunner && word === 'run')
  }
  return false
}

/** Whether an argument is the name of a check. */
const namesCheck = (word: string, isRunner: boolean): boolean =>
  !/[/\\.=]/.test(word) &&
  (WHOLE.test(word) || (isRunner && !word.startsWith('-') && CHECK.test(word)))

const nameFile = (path: string): string => path.split(/[/\\]/).at(-1) ?? ''

/** By the name of its file, or of a folder: `scripts/test-all.sh`, `tasks/lint/go`. */
const isNamedAsCheck = (path: string): boolean =>
  CHECK.test(nameFile(path)) ||
  // What was built is in `build`.
  path.split(/[/\\]/).some((folder) => folder !== 'build' && WHOLE.test(folder))

const MASKED =
  /\|\s{0,4}(?:head|tail|grep|rg|egrep|tee|cat|less|sed|awk|sort|uniq|wc|cut|jq|xargs)\b[^|]*$|(?:\|\||;)\s{0,4}(?:true|:|echo\b[^;|&]*)\s*$/

/** Whether the exit code of a command comes from another program, as in `npm test | tail`. */
export const isMasked = (command: string): boolean =>
  MASKED.test(command.slice(-LONGEST_LOOK)) && !command.includes('pipefail')

// For these, every run with another code than 0 is marked. For others, a missing mark means
// nothing.
const markingTools = new Set(hosts.flatMap(({ frame }) => frame?.marking ?? []))

/** Whether its code shows that a command went well. If not, only its output can tell. */
export const showsSuccess = ({ name, command = '' }: Action, { exitCode }: CallOutcome): boolean =>
  !isMasked(command) && (exitCode === 0 || markingTools.has(name))

/**
 * `--- FAIL: TestLimit (0.00s)`, `FAILED tests/a.py::test_b`, `× keeps the limit`,
 * `test a::b ... FAILED`
 */
const FAILED_TEST =
  /^(?:--- FAIL: |FAILED \S|[✗✘×✕●] |not ok \d|FAIL {1,4}\S{1,200} > )|^test \S{1,200} \.\.\. FAILED$/

/** Whether a line of output names a test that failed. */
export const namesFailedTest = (line: string): boolean => FAILED_TEST.test(line)

// `FAIL	example.com/pkg [build failed]`, `FAIL src/a.test.js`
const FAILED_PART = /^FAIL(?:ED)?[\t ]+\S/
// No test that passed: `error handling ... ok (2ms)`
const ERROR = /^error\b(?!.{0,200} \.\.\. ok\b)/i
// `Error handling` may be the title of tests. Then they stand below it, further in:
//
//   Error handling
//     ✓ throws
const MAY_BE_TITLE = /^error(?: [a-z-]{1,20}){0,5}$/i
const TEST_MARK = /^(?:[✓✔√✗✘×✕○●▶] |\d{1,4}\) |(?:not )?ok \d)/
const FAILURES = /\b[1-9]\d{0,6} (?:failed|failing|failures?|errors?)\b/i
// Titles without marks have a count at the end.
const PASSED = /\b[1-9]\d{0,6} (?:passed|passing)\b|\b0 (?:failed|failing|failures)\b/i

/** Whether the output of a check whose exit code is not known says that it went wrong. */
export function hidesFailure(action: Action, outcome: CallOutcome): boolean {
  if (outcome.failed || showsSuccess(action, outcome) || !isCheck(action)) return false
  const rows = outcome.text.split('\n')
  const hasPassed = PASSED.test(outcome.text)
  return rows.some((raw, row) => {
    const line = raw.trim()
    return (
      namesFailedTest(line) ||
      FAILED_PART.test(line) ||
      (raw.length < LONGEST_LOOK &&
        (FAILURES.test(line) || (ERROR.test(line) && !isTitle(rows, row, hasPassed)))) ||
      isCompilerError(line)
    )
  })
}

/** Whether its code and its counts say that a check went well, and every step beside it. */
export const hasPassed = (action: Action, outcome: CallOutcome): boolean =>
  isCheck(action) &&
  !HIDES_STEPS.test(withoutCode(action.command ?? '').trim()) &&
  showsSuccess(action, outcome) &&
  PASSED.test(outcome.text) &&
  !FAILURES.test(outcome.text)

// The code is that of the last step.
const HIDES_STEPS = /[;\n]|\|\||[^&>]&(?![&>\d])/

/** Whether a line is the title of tests, and no error. */
function isTitle(rows: readonly string[], row: number, hasPassed: boolean): boolean {
  const indent = indentOf(rows[row]!)
  if (!MAY_BE_TITLE.test(rows[row]!.trim())) return false
  if (indent > 0 && hasPassed) return true
  for (const below of rows.slice(row + 1, row + 1 + MOST_ROWS_BELOW)) {
    if (below.trim() === '') continue
    if (indentOf(below) <= indent) return false
    if (TEST_MARK.test(below.trim())) return true
  }
  return false
}

// A title of other titles is followed by few of them before the first test.
const MOST_ROWS_BELOW = 10

const indentOf = (line: string): number => line.length - line.trimStart().length

const isCompilerError = (line: string): boolean =>
  /: error\b/.test(line.slice(0, LONGEST_LOOK)) && reportsError(line)

// `(eval):cd:1: no such file or directory: src`
const WRONG_FOLDER = /^(?:\S{1,40}:\s?)?(?:line \d{1,5}: )?cd:.{0,300}no such file or directory/im
// `git sttus`, `npm run tset`. What a script of the project lacks is to be mended.
const NO_SUCH_COMMAND =
  /^error: unrecognized subcommand '(\S{1,60})'|^\S{1,40}: '(\S{1,60})' is not a \S{1,40} command|^(?:npm (?:error|ERR!) )?Missing script: "?([^\s"]{1,60})/im
const unknownTools = hosts.flatMap(({ unknownTool }) => unknownTool ?? [])

/**
 * Whether it was run in another folder than the agent thought, or does not exist: nothing is left to
 * mend.
 */
export function isSlip({ command = '' }: Pick<Action, 'command'>, output: string): boolean {
  const beginning = output.slice(0, LONGEST_SLIP)
  if (unknownTools.some((one) => one.test(beginning))) return true
  const missing = NO_SUCH_COMMAND.exec(beginning)?.slice(1).find(Boolean)
  const isSlip =
    missing === undefined
      ? WRONG_FOLDER.test(beginning)
      : command.split(/[\s"';&|()]+/).includes(missing)
  if (!isSlip || FAILURES.test(output)) return false
  // In the wrong folder, a check may have failed all the same.
  return !output.split('\n').some((raw) => {
    const line = raw.trim()
    const isOfSlip = WRONG_FOLDER.test(line) || NO_SUCH_COMMAND.test(line)
    return namesFailedTest(line) || (!isOfSlip && isCompilerError(line))
  })
}

const LONGEST_SLIP = 600
