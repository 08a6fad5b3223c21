import type { FileChange } from './file-changes.ts'
import type { ShellStep } from './shell-steps.ts'

/** Programs that print the files they change, as a pattern for such a line. */
const PRINTERS: readonly {
  readonly program: RegExp
  readonly flag?: RegExp
  readonly line: RegExp
}[] = [
  {
    program: /^(?:gofmt|goimports|gofumpt)$/,
    flag: /^-[a-z]*w/,
    line: /^([\w@+~./-]{1,300}\.go)$/,
  },
  {
    program: /^(?:prettier|format|fmt)(?::[\w:-]{1,40})?$/,
    line: /^([\w@+~./-]{1,300}\.\w{1,8}) \d+(?:\.\d+)?m?s$/,
  },
  { program: /^black$/, line: /^reformatted (\S.{0,300})$/ },
  { program: /^isort$/, line: /^Fixing (\S.{0,300})$/ },
  {
    program: /^(?:rustfmt|fmt)$/,
    flag: /^(?:-v|--verbose)$/,
    line: /^Formatting (\S.{0,300}\.rs)$/,
  },
  { program: /^dart$/, line: /^(?:Changed|Formatted) (\S.{0,300}\.dart)$/ },
  { program: /^(?:terraform|tofu)$/, line: /^([\w@+~./-]{1,300}\.tf(?:vars)?)$/ },
  { program: /^patch$/, line: /^patching file '?([^'\n]{1,300}?)'?$/ },
  { program: /^git$/, flag: /^apply$/, line: /^Applied patch '?([^'\n]{1,300}?)'? cleanly\.$/ },
  {
    program: /^git$/,
    flag: /^stash$/,
    line: /^\t(?:modified|new file|deleted): {1,8}(\S.{0,300})$/,
  },
]

// If such a program gets a single file, its output may report a changed file without its name.
const FORMATTERS = /^(?:black|ruff|biome|prettier|eslint|rustfmt|oxfmt|dprint)$/

const CHANGED_ONE = /\b(?:Fixed|Formatted|Reformatted) 1 file\b|\b1 file (?:reformatted|fixed)\b/i

const ONLY_LOOKS = /^(?:--check|--diff|-d|-l|--list-different|show|list|drop|push)$/

// The name of a program is among the first words: `npx prettier`, `uv run ruff`, `python -m black`.
const FARTHEST = 4

const LONGEST_OUTPUT = 100_000

/** The files that a command reports as changed. */
export function readPrintedChanges(steps: readonly ShellStep[], output: string): FileChange[] {
  const lines = output.slice(0, LONGEST_OUTPUT).split('\n')
  return steps.flatMap(({ words }) => {
    const texts = words.map(({ text }) => text)
    const first = texts.slice(0, FARTHEST)
    const writes = texts.includes('-w') || texts.includes('--write') || texts.includes('--fix')
    if (!writes && texts.some((text) => ONLY_LOOKS.test(text))) return []
    const printed = PRINTERS.flatMap(({ program, flag, line }) => {
      if (
        !first.some((text) => program.test(text)) ||
        (flag && !texts.some((text) => flag.test(text)))
      )
        return []
      return lines.flatMap((text) => line.exec(text.trimEnd())?.[1] ?? [])
    })
    const files = texts.slice(1).filter((text) => /^[\w@+~./-]{1,300}\.\w{1,8}$/.test(text))
    const isOne =
      printed.length === 0 && files.length === 1 && first.some((text) => FORMATTERS.test(text))
    const paths = isOne && CHANGED_ONE.test(output) ? files : printed
    return [...new Set(paths)].map(
      (path): FileChange => ({ path, type: 'edited', removed: [], added: [] }),
    )
  })
}
