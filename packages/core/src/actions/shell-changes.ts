/**
 * Reads which files a shell command changes, from its words and its output, and what it writes into
 * them.
 */

import { type FileChange, parseDiff } from './file-changes.ts'
import { joinPath } from './paths.ts'
import { readPrintedChanges } from './printed-changes.ts'
import { readShellSteps, type ShellStep } from './shell-steps.ts'
import type { ShellWord } from './shell-words.ts'

const DEEPEST = 3

/**
 * The changes that a command makes if it succeeds, for the files that it names. Paths are relative
 * to `directory`.
 */
export function readShellChanges(command: string, directory?: string, depth = 0): FileChange[] {
  if (!CHANGES.test(command)) return []
  return readShellSteps(command, directory).flatMap((step, index, steps) => {
    if (!step.isSure) return []
    const words = withoutWrappers(step.words)
    const before = step.isPiped ? steps[index - 1] : undefined
    const name = words[0]?.text.slice(words[0].text.lastIndexOf('/') + 1) ?? ''
    const script = SHELLS.has(name) ? readScript(words) : undefined
    if (script !== undefined && depth < DEEPEST)
      return readShellChanges(script, step.directory, depth + 1)
    const changes = [
      ...(PROGRAMS.get(name)?.(words.slice(1), step, before) ?? []),
      ...readRedirections({ ...step, words }),
    ]
    return changes.flatMap((change) => {
      const path = placeIn(step.directory, change.path)
      return path === undefined ? [] : [{ ...change, path }]
    })
  })
}

/** The changes of an action that has ended, including printed ones. Empty if it failed. */
export function settleChanges(
  { command, changes }: { readonly command?: string; readonly changes: readonly FileChange[] },
  { failed, text }: { readonly failed: boolean; readonly text: string },
): readonly FileChange[] {
  if (failed) return []
  const printed =
    command !== undefined && PRINTS.test(command)
      ? readPrintedChanges(readShellSteps(command), text)
      : []
  const known = new Set(changes.map(({ path }) => path))
  return [...changes, ...printed.filter(({ path }) => !known.has(path))]
}

// Most commands change nothing, and this check is cheaper than reading them.
const CHANGES = />|\b(?:sed|perl|tee|mv|cp|rm|unlink|trash|git|patch|(?:ba|z|da)?sh)\b/
const PRINTS =
  /\b(?:go(?:fmt|imports|fumpt)|prettier|black|ruff|biome|eslint|isort|rustfmt|oxfmt|dprint|dart|terraform|tofu|patch|stash|apply|fmt|format)\b/
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash'])
const WRAPPERS = new Set([
  'sudo',
  'env',
  'nohup',
  'command',
  'exec',
  'nice',
  'builtin',
  'time',
  'timeout',
])

function withoutWrappers(words: readonly ShellWord[]): readonly ShellWord[] {
  let start = 0
  for (let isWrapped = false; start < words.length; start++) {
    const { text } = words[start]!
    const isAssignment = /^[A-Za-z_]\w*=/.test(text)
    if (WRAPPERS.has(text)) isWrapped = true
    else if (!isAssignment && !(isWrapped && /^(?:-|\d+(?:\.\d+)?[smh]?$)/.test(text))) break
  }
  return words.slice(start)
}

/** `bash -lc 'script'` */
function readScript(words: readonly ShellWord[]): string | undefined {
  const flag = words.findIndex(({ text }) => /^-[a-z]*c$/.test(text))
  const script = flag > 0 ? words[flag + 1] : undefined
  return script?.isPlain ? script.text : undefined
}

function change(path: string, type: FileChange['type'], added: readonly string[] = []): FileChange {
  return { path, type, removed: [], added }
}

type ChangeReader = (
  words: readonly ShellWord[],
  step: ShellStep,
  before: ShellStep | undefined,
) => FileChange[]

const PROGRAMS: ReadonlyMap<string, ChangeReader> = new Map<string, ChangeReader>([
  ['sed', readInPlace],
  ['gsed', readInPlace],
  ['perl', readInPlace],
  ['tee', readTee],
  ['mv', (words) => readMove(words, true)],
  [
    'cp',
    (words) => (hasFlag(words, /^(?:-[a-z]*[rRa]|--recursive)/) ? [] : readMove(words, false)),
  ],
  ['rm', (words) => filesOf(words).map((path) => change(path, 'deleted'))],
  ['unlink', (words) => filesOf(words).map((path) => change(path, 'deleted'))],
  ['trash', (words) => filesOf(words).map((path) => change(path, 'deleted'))],
  ['git', readGit],
  ['patch', (_, { input = [] }) => parseDiff(input)],
])

const hasFlag = (words: readonly ShellWord[], flag: RegExp): boolean =>
  words.some(({ text }) => flag.test(text))

/** Words that name files. Leaves out words whose value is known only by running the command. */
function filesOf(words: readonly ShellWord[]): string[] {
  return words.flatMap(({ text, isPlain }) =>
    isPlain && !text.startsWith('-') && isFile(text) ? [text] : [],
  )
}

const isFile = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) && !/^\/dev\/|[\n\0]/.test(text) && text.length <= 300
/** Whether a file is in a temporary folder of the system. */
export const isTemporary = (path: string): boolean =>
  /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/|^(?:[A-Za-z]:|\/[A-Za-z])\/Users\/[^/]+\/AppData\/Local\/Temp\//i.test(
    path,
  )
const isLog = (path: string): boolean => /\.(?:log|out|err|pid)$/.test(path)

/**
 * `sed -i 's/a/b/' file`, `perl -pi -e 's/a/b/' file`. On macOS, a separate suffix follows that may
 * be empty.
 */
function readInPlace(words: readonly ShellWord[]): FileChange[] {
  if (!hasFlag(words, /^(?:-[a-zA-Z0-9]{0,6}i|--in-place)/)) return []
  const operands: ShellWord[] = []
  let isScriptGiven = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (/^(?:-[a-zA-Z0-9]{0,6}[ef]|--expression|--file)$/.test(word.text)) {
      isScriptGiven = true
      at++
    } else if (/^--(?:expression|file)=/.test(word.text)) isScriptGiven = true
    else if (word.text !== '' && !word.text.startsWith('-')) operands.push(word)
  }
  return filesOf(isScriptGiven ? operands : operands.slice(1)).map((path) => change(path, 'edited'))
}

function readTee(
  words: readonly ShellWord[],
  step: ShellStep,
  before: ShellStep | undefined,
): FileChange[] {
  const content = step.input ?? (before && readContent(before))
  const files = filesOf(words).filter(
    (path) => content !== undefined || !(isTemporary(path) || isLog(path)),
  )
  const type = hasFlag(words, /^(?:-a|--append)$/) ? 'edited' : 'created'
  return files.map((path) => change(path, type, content))
}

function readRedirections(step: ShellStep): FileChange[] {
  // In a condition `>` compares.
  if (step.words[0]?.text === '[[') return []
  const content = readContent(step)
  return step.writes.flatMap(({ target, appends }) => {
    const [path] = filesOf([target])
    // Redirected output goes into temporary files and logs, which are not part of the work.
    if (path === undefined || (content === undefined && (isTemporary(path) || isLog(path))))
      return []
    return [change(path, appends ? 'edited' : 'created', content)]
  })
}

/** The lines that a command prints, if the script itself contains them. */
function readContent({ words, input }: ShellStep): readonly string[] | undefined {
  const [name, ...rest] = words
  const operands = rest.filter(({ text }) => !/^-[a-zA-Z]{1,3}$/.test(text))
  if (name === undefined || name.text === ':' || name.text === 'true') return []
  if (name.text === 'cat') return operands.every(({ text }) => text === '-') ? input : undefined
  if ((name.text !== 'echo' && name.text !== 'printf') || !operands.every(({ isPlain }) => isPlain))
    return undefined
  const texts = operands.map(({ text }) => text)
  const given =
    name.text === 'printf' && /^%s(?:\\n)?$/.test(texts[0] ?? '')
      ? texts.slice(1).join('\n')
      : texts.join(' ')
  return given.replaceAll('\\n', '\n').replace(/\n$/, '').split('\n')
}

/** The last word is a directory, or the new name of a single file. */
function readMove(words: readonly ShellWord[], moves: boolean): FileChange[] {
  const at = words.findIndex(({ text }) => text === '-t' || text === '--target-directory')
  const operands = words.filter(
    ({ text }, index) => !text.startsWith('-') && !(at >= 0 && index === at + 1),
  )
  const target = at >= 0 ? words[at + 1] : operands.pop()
  if (!target?.isPlain || !isFile(target.text)) return []
  return filesOf(operands).flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const last = target.text.slice(target.text.lastIndexOf('/') + 1)
    const isFolder =
      at >= 0 ||
      operands.length > 1 ||
      last === '' ||
      (!last.includes('.') && name.includes('.', 1))
    const place = isFolder ? joinPath(target.text, name) : target.text
    const made = isTemporary(place) ? [] : [change(place, 'created')]
    return moves ? [change(path, 'deleted'), ...made] : made
  })
}

function readGit(words: readonly ShellWord[], { input = [] }: ShellStep): FileChange[] {
  const at = words.findIndex(
    ({ text }, index) => !text.startsWith('-') && !/^-[cC]$/.test(words[index - 1]?.text ?? ''),
  )
  const rest = words.slice(at + 1)
  const folder = words[words.findIndex(({ text }) => text === '-C') + 1]
  const directory = words[0] !== folder && folder?.isPlain ? folder.text : ''
  const changes = readGitChanges(words[at]?.text, rest, input)
  return changes.map((one) => ({ ...one, path: joinPath(directory, one.path) }))
}

function readGitChanges(
  command: string | undefined,
  rest: readonly ShellWord[],
  input: readonly string[],
): FileChange[] {
  const separator = rest.findIndex(({ text }) => text === '--')
  const changed = (type: FileChange['type'], words: readonly ShellWord[]) =>
    filesOf(words).flatMap((path) => (path.endsWith('/') ? [] : [change(path, type)]))
  switch (command) {
    case 'rm':
      return hasFlag(rest, /^(?:--cached|-n|--dry-run)$/)
        ? []
        : filesOf(rest).map((path) => change(path, 'deleted'))
    case 'mv':
      return readMove(rest, true)
    case 'checkout': {
      const isOther = rest.slice(0, separator).some(({ text }) => !/^(?:HEAD$|-(?!-?p))/.test(text))
      const type = isOther ? 'edited' : 'restored'
      return separator < 0 ? [] : changed(type, rest.slice(separator + 1))
    }
    case 'restore': {
      const onlyIndex = hasFlag(rest, /^(?:--staged|-S)$/) && !hasFlag(rest, /^(?:--worktree|-W)$/)
      const isSource = (index: number) => /^(?:-s|--source)$/.test(rest[index - 1]?.text ?? '')
      const type = hasFlag(rest, /^(?:-s|--source|-p|--patch)/) ? 'edited' : 'restored'
      const files = rest.filter((_, index) => !isSource(index))
      return onlyIndex ? [] : changed(type, files)
    }
    case 'apply':
      return hasFlag(rest, /^--(?:check|stat|cached)$/) ? [] : parseDiff(input)
    default:
      return []
  }
}

function placeIn(directory: string | undefined, path: string): string | undefined {
  const isWhole = /^(?:[/~]|[A-Za-z]:[\\/])/.test(path)
  return directory === undefined && !isWhole ? undefined : joinPath(directory ?? '', path)
}
