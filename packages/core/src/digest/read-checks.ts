/** What a check covers: whether a passed check makes up for a failed one. */

import { flatten } from '../facts/flatten.ts'
import { isCheck, withoutCode } from './checks.ts'

/** One check of a command: `cd app && npm run lint && npm test | tail` has two. */
export interface Check {
  /** The command itself, without parts that shorten its output. */
  readonly text: string
  readonly directory: string
  readonly tool: string
  readonly kind: 'compile' | 'lint' | 'test' | 'all'
  /** Packages, files and names that it is limited to. Empty for all. */
  readonly targets: readonly string[]
  /** The flags that pick single tests. */
  readonly focus: string
}

const LONGEST_LOOK = 400
const BEFORE =
  /^(?:do |then |else |elif |if |while |until |! |env |time |timeout \S{1,8} |[A-Za-z_]\w{0,60}=\S{0,200} ){1,8}/
// Not a line of a message or of a file: `- Run the tests`, `CI's linter`.
const PROGRAM = /^(?!-|\d+\. |[A-Z][a-z]{0,20} [a-z]+ )[\w./~@:+-]+(?:\s|$)/
const SHORTENED = /\s{0,4}(?:\d?>|\|).*$/
// One test that was looked at for a while is not how a project verifies itself.
const FOCUSED = /\s(?:-run|-t|-k|--grep|--filter|-m)[\s=]|::/

/** The checks of a command, in order, each once. */
export function readChecks(command: string, root?: string): Check[] {
  const checks = new Map<string, Check>()
  let place = ''
  const script = withoutCode(command).slice(0, LONGEST_LOOK)
  for (const step of script.split(/&&|\|\||[;\n]/)) {
    const whole = flatten(step)
    if (whole.startsWith('cd ')) place = whole.slice('cd '.length).replace(/\/$/, '')
    const text = whole.replace(SHORTENED, '').replace(BEFORE, '')
    if (!PROGRAM.test(text) || !isCheck({ kind: 'command', command: text })) continue
    const directory = `${place}/` === root || place === '.' ? '' : place
    const check = readCheck(directory, text)
    checks.set(check.text, check)
  }
  return [...checks.values()]
}

function readCheck(directory: string, step: string): Check {
  const focus = FOCUSED.exec(step)
  const words = (focus ? step.slice(0, focus.index) : step).split(' ')
  return {
    text: directory === '' ? step : `cd ${directory} && ${step}`,
    directory,
    tool: findTool(words),
    kind: findKind(words.join(' ')),
    targets: readTargets(words),
    focus: focus ? step.slice(focus.index) : '',
  }
}

export const isFocused = ({ focus }: Check): boolean => focus !== ''

const TOOLS: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['go', new Set(['go', 'golangci-lint', 'gotestsum', 'staticcheck'])],
  [
    'js',
    new Set(
      'npm npx pnpm yarn bun bunx deno node tsc tsgo vitest jest mocha eslint biome'.split(' '),
    ),
  ],
  ['rust', new Set(['cargo'])],
  ['python', new Set('python python3 pytest tox uv poetry ruff mypy pyright'.split(' '))],
  ['java', new Set('mvn gradle ./gradlew ./mvnw'.split(' '))],
  ['dotnet', new Set(['dotnet'])],
  ['swift', new Set(['swift', 'xcodebuild'])],
]
/** `make test` or a script of the project's own: it may run any tool. */
const RUNNER = 'runner'

const findTool = ([word = '']: readonly string[]): string =>
  TOOLS.find(([, names]) => names.has(word.toLowerCase()))?.[0] ?? RUNNER

function findKind(text: string): Check['kind'] {
  if (/\b(?:lint|clippy|vet|ruff|eslint|biome)\b/i.test(text)) return 'lint'
  if (/\b(?:tests?|vitest|jest|pytest|tox|mocha|rspec|phpunit|ctest|gotestsum)\b/i.test(text))
    return 'test'
  return /\b(?:check|ci|verify|validate)\b/i.test(text) && !text.startsWith('cargo ')
    ? 'all'
    : 'compile'
}

// `./...`, `.`: everything
const EVERYTHING = /^\.\/?(?:\.\.\.)?$/

/** `./pkg/...`, `src/a.test.ts`, the `unit` of `test:unit`, and everything after `--`. */
function readTargets(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  const isTarget = (word: string, index: number) =>
    index > 0 && !word.startsWith('-') && /[/.]/.test(word)
  const own = words.slice(0, end < 0 ? undefined : end)
  const scripts = own.flatMap((word) =>
    /^[\w-]+:[\w:-]+$/.test(word) ? word.slice(word.indexOf(':') + 1) : [],
  )
  const after = end < 0 ? [] : words.slice(end + 1).filter((word) => !word.startsWith('-'))
  return [...own.filter(isTarget), ...scripts, ...after].filter((word) => !EVERYTHING.test(word))
}

/**
 * Whether all that a check looks at was looked at by another one: of the same tool, as far or
 * farther.
 */
export function covers(wide: Check, narrow: Check): boolean {
  if (wide.text === narrow.text) return true
  if (wide.tool !== narrow.tool && wide.tool !== RUNNER) return false
  if (wide.directory !== '' && wide.directory !== narrow.directory) return false
  const isSameKind = wide.kind === narrow.kind
  // Tests are compiled, and `go vet` compiles what it looks at.
  const compiles =
    narrow.kind === 'compile' &&
    (wide.kind === 'test' || (wide.kind === 'lint' && wide.tool === 'go'))
  if (!isSameKind && !compiles && wide.kind !== 'all') return false
  if (isSameKind && isFocused(wide) && wide.focus !== narrow.focus) return false
  return reaches(wide.targets, narrow.targets)
}

function reaches(wide: readonly string[], narrow: readonly string[]): boolean {
  if (wide.length === 0) return true
  const isInside = (target: string) =>
    wide.some((one) => {
      const folder = one.replace(/(?:\/?\.\.\.|\/)$/, '')
      return target === one || target === folder || target.startsWith(`${folder}/`)
    })
  return narrow.length > 0 && narrow.every(isInside)
}
