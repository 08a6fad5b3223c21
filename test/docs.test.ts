import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkExamples,
  installNewest,
  listCommands,
  listExamples,
  runCommands,
} from './examples.suite.ts'
import { root } from './sources.ts'

const INSTALLATION_MS = 600_000
// A hundred processes take a minute, and on a busy machine many.
const COMMANDS_MS = 1_800_000

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'AGENTS.md',
  'examples/README.md',
  'lab/README.md',
  'packages/core/README.md',
  'packages/precis/README.md',
  'packages/chat/README.md',
  ...readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') }))

const isOfFormat = ({ path }: { path: string }) => path.startsWith(join('docs', 'formats'))

describe('the pages', () => {
  test('every page of docs is reached from its index', () => {
    const reached = new Set<string>(['docs/README.md'])
    for (const path of reached) {
      for (const link of linksOf(pages.find((page) => page.path === path)?.text ?? '')) {
        const target = relative(root, resolve(root, dirname(path), link))
        if (target.endsWith('.md')) reached.add(target)
        if (target === 'docs/decisions')
          for (const page of pages) if (dirname(page.path) === target) reached.add(page.path)
      }
    }
    const orphans = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith('docs/') && !reached.has(path))
    expect(orphans).toEqual([])
  })

  test.each(pages)('links of $path lead somewhere', ({ path, text }) => {
    expect(
      linksOf(text).filter((target) => !existsSync(resolve(root, dirname(path), target))),
    ).toEqual([])
  })

  test.each(pages.filter(isOfFormat))('$path says where its knowledge is from', ({ text }) => {
    const [, source = ''] = text.split('\n## Source of this page\n')
    expect(source).toMatch(/20\d\d/)
    expect(source).toMatch(/\d+\.\d+|not in npm/)
  })

  test('links to a heading name one that is there', () => {
    const headings = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
    const lost = pages.flatMap(({ path, text }) =>
      headingLinksOf(text)
        .filter(({ page, anchor }) => {
          const target = page === '' ? path : relative(root, resolve(root, dirname(path), page))
          return headings.get(target)?.has(anchor) === false
        })
        .map(({ page, anchor }) => `${path}: ${page}#${anchor}`),
    )
    expect(lost).toEqual([])
  })

  test('every function of the reference has an example', () => {
    const reference = pages.filter(({ path }) => dirname(path) === join('docs', 'api'))
    const without = reference.flatMap(({ path, text }) => {
      const [, values = ''] = text.split('\n## Functions and values\n')
      const [own = ''] = /^```ts\n[\s\S]*?^```$/m.exec(text) ?? []
      return (values.split('\n## Types\n')[0] ?? '')
        .split(/^### /m)
        .slice(1)
        .filter((value) => {
          const name = value.slice(0, value.indexOf('\n'))
          return !value.includes('\n[Example](') && !new RegExp(`\\b${name}\\b`).test(own)
        })
        .map((value) => `${path}: ${value.slice(0, value.indexOf('\n'))}`)
    })
    expect(reference.length).toBeGreaterThan(20)
    expect(without).toEqual([])
  })

  test('every public name has one place, but the types that wrappers of clients share', () => {
    const wrappers = /(?:ai-sdk|anthropic|google|langchain|openai|tanstack-ai)\.md$/
    const names = pages
      .filter(({ path }) => dirname(path) === join('docs', 'api') && !wrappers.test(path))
      .flatMap(({ text }) => Array.from(text.matchAll(/^### (\w+)$/gm), ([, name]) => name))
    expect(names.length).toBeGreaterThan(200)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test('their examples type-check against the built packages, and run', {
    tags: 'slow',
    timeout: 60_000,
  }, async () => {
    // Where they find the packages that they import.
    const folder = mkdtempSync(resolve(root, 'node_modules/.docs-examples-'))
    try {
      await checkExamples(
        folder,
        listExamples(pages).filter(({ needsMore }) => !needsMore),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  describe('with the packed packages and the newest of every client', { tags: 'slow' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-newest-'))
    let project = ''
    beforeAll(async () => {
      project = await installNewest(folder)
    }, INSTALLATION_MS)
    afterAll(() => rmSync(folder, { recursive: true }), INSTALLATION_MS)

    test('their examples type-check, and run', async () => {
      await checkExamples(project, listExamples(pages))
    })

    test('the commands that they print run', { timeout: COMMANDS_MS }, async () => {
      expect(await runCommands(project, listCommands(pages))).toEqual([])
    })
  })
})

const withoutCode = (text: string) => text.replace(/^```.*\n(?:.*\n)*?```$/gm, '')

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const titles = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .replace(/\]\([^)]*\)/g, ']')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(
    titles.map((title, at) => {
      const before = titles.slice(0, at).filter((other) => other === title).length
      return before === 0 ? title : `${title}-${before}`
    }),
  )
}

function headingLinksOf(text: string) {
  return [...withoutCode(text).matchAll(/\]\(([^)#:\s]*)#([^)]*)\)/g)].map(
    ([, page = '', anchor = '']) => ({ page, anchor }),
  )
}

/** What a page links to in this repository. */
function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map((link) => link[1]!)
}
