/**
 * Which lines of a result are errors: of a command that ran, or of the tool itself. What was only
 * read did not happen.
 */

import { isRefused } from '../actions/answers.ts'
import { type CallOutcome, opensWithFailure } from '../actions/outcome.ts'
import { readShellSteps, type ShellStep } from '../actions/shell-steps.ts'
import type { Action } from '../actions/tool-calls.ts'
import { findErrorLines } from './error-lines.ts'

// After these a tool repeats what it was given.
const LINES_OF_TOOL = 3

/** `actions`: those that printed the output. Empty if the call is unknown. */
export function findCallErrors(
  { failed, text }: CallOutcome,
  actions: readonly Action[],
): string[] {
  if (isRefused(text)) return []
  if (actions.length === 0 || !actions.every(showsOnlyContent)) return findErrorLines(text)
  const command = actions.map((action) => action.command ?? '').join('\n')
  if (command.trim() === '') {
    return failed || opensWithFailure(text)
      ? findErrorLines(text.split('\n', LINES_OF_TOOL).join('\n'))
      : []
  }
  return findErrorLines(text).filter((line) => isComplaint(line, command))
}

const LOOKS = new Set(
  (
    'cat head tail nl less more bat sed awk rg grep egrep fgrep zgrep ag ack find fd ls tree wc sort uniq cut tr jq yq diff cmp ' +
    'comm column fold file stat du strings xxd od hexdump readlink realpath basename dirname man'
  ).split(' '),
)
// They print nothing, or what the agent wrote itself.
const SILENT = new Set(
  'cd echo printf true : test [ [[ for select export set local read wait sleep pwd which type date mkdir touch'.split(
    ' ',
  ),
)
const SUBCOMMANDS = new Map([
  ['git', /^(?:diff|show|log|blame|grep|ls-files|ls-tree|cat-file|shortlog|reflog)$/],
  ['gh', /^(?:pr|issue|release|repo|api)$/],
  ['glab', /^(?:mr|issue|release|repo|api)$/],
  ['go', /^doc$/],
  ['npm', /^(?:view|info|docs)$/],
])
const ACTING =
  /^(?:create|merge|edit|close|comment|checkout|checks|review|delete|ready|clone|fork|sync|upload)$/
const WRAPPERS = new Set([
  'env',
  'sudo',
  'command',
  'time',
  'nice',
  'nohup',
  'timeout',
  'stdbuf',
  'xargs',
])
const SHELLS = new Set(['bash', 'sh', 'zsh'])
// What a program wrote there did happen.
const RECORDED = /\.(?:log|out|err|output)$/

/**
 * Reads, searches, `cat`, `sed`, `grep`, `git diff`: a call all of whose output is such. Logs are
 * the words of a program.
 */
function showsOnlyContent({
  kind,
  command,
  paths,
}: Pick<Action, 'kind' | 'command' | 'paths'>): boolean {
  if (command !== undefined) return onlyLooks(command)
  return kind === 'read' || kind === 'search'
    ? !paths.some((path) => RECORDED.test(path))
    : kind !== 'other'
}

/** The output of a pipe is the output of its first command, whatever shortens it. */
function onlyLooks(command: string, isNested = false): boolean {
  return readShellSteps(command).every((step) => step.isPiped || looks(step, isNested))
}

function looks({ words }: ShellStep, isNested: boolean): boolean {
  const texts = words.map(({ text }) => text)
  let at = 0
  while (
    WRAPPERS.has(texts[at] ?? '') ||
    /^(?:[A-Za-z_]\w{0,60}=|-|\d+[smh]?$)/.test(texts[at] ?? '')
  )
    at++
  const program = texts[at]?.slice(texts[at]!.lastIndexOf('/') + 1) ?? ''
  const given = texts.slice(at + 1)
  if (program === '' || SILENT.has(program) || given.includes('--help')) return true
  if (SHELLS.has(program))
    return !isNested && /^-l?c$/.test(given[0] ?? '') && onlyLooks(given[1] ?? '', true)
  if (LOOKS.has(program)) return !given.some((word) => RECORDED.test(word))
  const subcommand = SUBCOMMANDS.get(program)
  const first = given.findIndex((word, index) => !word.startsWith('-') && given[index - 1] !== '-C')
  return subcommand?.test(given[first] ?? '') === true && !ACTING.test(given[first + 1] ?? '')
}

// `cat: a.ts: No such file or directory`, `fatal: bad revision 'x'`,
// `zsh:1: no matches found: *.ts`
const OWN_WORDS = /^(?:[\w./-]{1,40}|(?:\/bin\/)?(?:ba|z|)sh: ?(?:line )?\d*): /

/** Whether a line of such output is the command's own complaint. */
function isComplaint(line: string, command: string): boolean {
  if (!OWN_WORDS.test(line)) return false
  const speaker = line.slice(0, line.indexOf(':'))
  return (
    /^(?:fatal|error|(?:\/bin\/)?(?:ba|z|)sh)$/.test(speaker) ||
    command.includes(speaker.slice(speaker.lastIndexOf('/') + 1))
  )
}
