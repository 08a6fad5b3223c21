/** Files of agents for tests: a scratch home, and settings as people and programs write them. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, vi } from 'vitest'
import { agents } from './index.ts'
import type { Places } from './shared/installation.ts'

export interface ScratchHome {
  path: string
  readonly places: Places
  write(path: string, text: string | Uint8Array): string
  read(path: string): string
  /** Every file with its text, and every folder. */
  list(): Record<string, string>
  reset(): void
}

export const COMMAND = { program: '/opt/node/bin/node', words: ['/opt/precis/bin/precis.js'] }

/** Replaces the home of the user in every test of the file. */
export function useScratchHome(): ScratchHome {
  const home: ScratchHome = {
    path: '',
    places: { environment: {}, command: COMMAND },
    write(path, text) {
      const whole = join(home.path, path)
      mkdirSync(dirname(whole), { recursive: true })
      writeFileSync(whole, text)
      return whole
    },
    read: (path) => readFileSync(join(home.path, path), 'utf8'),
    list: () => listTree(home.path, ''),
    reset() {
      rmSync(home.path, { recursive: true, force: true })
      mkdirSync(home.path)
    },
  }
  beforeEach(() => {
    home.path = mkdtempSync(join(tmpdir(), 'precis-agents-'))
    vi.stubEnv('HOME', home.path)
    vi.stubEnv('XDG_DATA_HOME', join(home.path, 'data'))
    vi.stubEnv('XDG_CONFIG_HOME', join(home.path, '.config'))
    for (const name of agents.flatMap(({ homeVariables }) => homeVariables)) {
      if (!name.startsWith('XDG_')) vi.stubEnv(name, undefined)
    }
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(home.path, { recursive: true, force: true })
  })
  return home
}

function listTree(root: string, folder: string): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder))) {
    const path = join(folder, name)
    if (lstatSync(join(root, path)).isDirectory())
      Object.assign(tree, { [`${path}/`]: '' }, listTree(root, path))
    else tree[path] = readFileSync(join(root, path), 'latin1')
  }
  return tree
}

const gap = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\n  ',
  '\t',
  ' // why, {not} this\n',
  '/* , } */',
  ' /* two\n lines */ ',
)
const scalar = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('1', '-2.5e3', 'true', 'null'),
)

type Members = Readonly<Record<string, string>>

function renderItems(
  open: string,
  close: string,
  gaps: readonly string[],
  items: readonly string[],
  hasComma: boolean,
): string {
  const [first = '', ...others] = gaps
  const body = items
    .map((item, index) => `${others[index * 2] ?? ''}${item}${others[index * 2 + 1] ?? ''}`)
    .join(',')
  const trailing = hasComma && items.length > 0 ? ',' : ''
  return `${open}${first}${body}${trailing}${others.at(-1) ?? ''}${close}`
}

const gaps = fc.array(gap, { minLength: 12, maxLength: 12 })

/** Objects of JSON with comments. `inside` generates the text of values under names that matter. */
export function arbitraryJsonObject(
  inside: Readonly<Record<string, fc.Arbitrary<string>>>,
): fc.Arbitrary<string> {
  const { value } = fc.letrec<Readonly<Record<'value' | 'list' | 'object', string>>>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
    list: fc
      .tuple(gaps, fc.array(tie('value'), { maxLength: 3 }), fc.boolean())
      .map(([spaces, items, hasComma]) => renderItems('[', ']', spaces, items, hasComma)),
    object: arbitraryMembers(
      fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
    ),
  }))
  const named = fc.record(inside, { requiredKeys: [] })
  const others = fc.dictionary(fc.constantFrom('a', 'b', 'theme', 'x y', '"'), value, {
    maxKeys: 3,
  })
  return arbitraryMembers(
    fc.tuple(named, others).map(([first, second]) => ({ ...first, ...second })),
  )
}

export function arbitraryMembers(members: fc.Arbitrary<Partial<Members>>): fc.Arbitrary<string> {
  return fc.tuple(gaps, members, fc.boolean()).map(([spaces, record, hasComma]) => {
    const items = Object.entries(record).map(
      ([name, text]) =>
        `${JSON.stringify(name)}:${spaces.at(-1)?.includes('\n') ? '' : ' '}${text}`,
    )
    return renderItems('{', '}', spaces, items, hasComma)
  })
}

export function arbitraryList(items: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(gaps, fc.array(items, { maxLength: 3 }), fc.boolean())
    .map(([spaces, list, hasComma]) => renderItems('[', ']', spaces, list, hasComma))
}

/** Adds surrounding text, as in a file. */
export function arbitraryFile(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('', '\u{feff}'), gap, text, gap, fc.constantFrom('\n', '\r\n'))
    .map(
      ([mark, before, body, after, lineBreak]) =>
        mark + `${before}${body}${after}`.replaceAll('\n', lineBreak),
    )
}
