/**
 * Writes what the doc comments of core say: `docs/api`, a page for each sub-path, and the tables of
 * options. It reads the built declarations. Run:
 * `npm run build && npx tsx scripts/build-library-docs.ts`
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltPage, replaceBlock } from './marked-block.ts'
import {
  type Declaration,
  listEntries,
  listMembers,
  readEntryDoc,
  readExports,
} from './read-declarations.ts'

/** The tables of options, and the interface that each is of. */
const TABLES: readonly (readonly [page: string, subPath: string, name: string])[] = [
  ['docs/compress.md', '.', 'CompressMessagesOptions'],
  ['docs/context.md', '.', 'ContextOptions'],
]

const pathOf = (page: string): string => fileURLToPath(new URL(`../${page}`, import.meta.url))

/**
 * Every page by its path from the root of the repository. `current` is empty where there is none.
 */
export function buildLibraryPages(): BuiltPage[] {
  const entries = listEntries().map(([subPath, file]) => ({
    subPath,
    names: readExports(file),
    example: EXAMPLE.exec(readEntryDoc(file))?.[0] ?? '',
  }))
  const examples = listExamples()
  const current = entries.filter(({ names }) => names.length > 0)
  const pages = current.map(
    (entry) => [`docs/api/${fileOf(entry.subPath)}`, renderPage(entry, examples)] as const,
  )
  const index = ['docs/api/README.md', renderIndex(current)] as const
  const reference = [index, ...pages].map(([page, built]) => ({
    path: pathOf(page),
    current: readPage(pathOf(page)),
    built,
  }))
  const tables = TABLES.map(([page, subPath, name]) => {
    const declaration = entries
      .find((entry) => entry.subPath === subPath)
      ?.names.find((found) => found.name === name)
    if (!declaration)
      throw new Error(`Building the options of "${page}": "${subPath}" has no ${name}.`)
    const path = pathOf(page)
    const current = readFileSync(path, 'utf8')
    const block = { name: 'options', script: 'scripts/build-library-docs.ts', path }
    return { path, current, built: replaceBlock(current, renderOptions(declaration), block) }
  })
  return [...reference, ...tables]
}

const fileOf = (subPath: string): string =>
  subPath === '.' ? 'core.md' : `${subPath.slice(2).replaceAll('/', '-')}.md`

function readPage(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

interface Entry {
  readonly subPath: string
  readonly names: readonly Declaration[]
  /** A program that uses some of them; empty if pages have one for each. */
  readonly example: string
}

const EXAMPLE = /^```ts\n[\s\S]*?^```$/m

interface PageExample {
  /** From the folder of the reference. */
  readonly link: string
  readonly code: string
}

/** Of the pages that people write. */
function listExamples(): readonly PageExample[] {
  return readdirSync(pathOf('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(pathOf(`docs/${name}`), 'utf8')
      const blocks = text.matchAll(new RegExp(EXAMPLE, 'gm'))
      return Array.from(blocks, ([code]) => ({ link: `../${name}`, code }))
    })
}

const isUsed = (name: string, code: string): boolean =>
  new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '@precis/core`, 'm').test(code)

function renderIndex(entries: readonly Entry[]): string {
  const rows = entries.map(({ subPath, names }) => {
    const values = names.filter(({ kind }) => kind === 'value').map(({ name }) => `\`${name}\``)
    return `| [\`@precis/core${subPath.slice(1)}\`](${fileOf(subPath)}) | ${values.join(', ') || 'types alone'} |`
  })
  return [
    '# Reference',
    'Every public name of `@precis/core`, from its doc comment. Written by `scripts/build-library-docs.ts`.',
    'The root has what most hosts need, and the sub-paths have the rest. Each name has one place.',
    `${['| import | has |', '|---|---|', ...rows].join('\n')}\n`,
  ].join('\n\n')
}

function renderPage({ subPath, names, example }: Entry, pages: readonly PageExample[]): string {
  const section = (title: string, kind: Declaration['kind']) => {
    const own = names.filter((declaration) => declaration.kind === kind)
    const render = (declaration: Declaration) =>
      renderDeclaration(
        declaration,
        isUsed(declaration.name, example)
          ? undefined
          : pages.find(({ code }) => isUsed(declaration.name, code)),
      )
    return own.length === 0 ? [] : [`## ${title}`, ...own.map(render)]
  }
  const parts = [
    `# @precis/core${subPath.slice(1)}`,
    'From the doc comments, by `scripts/build-library-docs.ts`. [All pages](README.md)',
    ...(example === '' ? [] : [example]),
    ...section('Functions and values', 'value'),
    ...section('Types', 'type'),
  ]
  return `${parts.join('\n\n')}\n`
}

function renderDeclaration(
  { name, doc, text }: Declaration,
  example: PageExample | undefined,
): string {
  const prose = doc.replaceAll('<', '&lt;')
  // Not "ts": that is for examples, which the tests run.
  return [
    `### ${name}`,
    ...(prose ? [prose] : []),
    `\`\`\`typescript\n${text}\n\`\`\``,
    ...(example ? [`[Example](${example.link})`] : []),
  ].join('\n\n')
}

function renderOptions(declaration: Declaration): string {
  const rows = listMembers(declaration).map(
    ({ name, isOptional, type, doc }) =>
      `| \`${name}\`${isOptional ? '' : ' (needed)'} | \`${type.replaceAll('|', '\\|')}\` | ${renderCell(doc)} |`,
  )
  return ['| option | type | |', '|---|---|---|', ...rows].join('\n')
}

const renderCell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace('@deprecated ', 'Deprecated: ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(pathOf('docs/api'), { recursive: true, force: true })
  for (const { path, built } of buildLibraryPages()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, built)
  }
}
