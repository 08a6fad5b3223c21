import { execFile, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream/start-fake-upstream.ts'
import { root } from './sources.ts'

// Where examples find the packages that they import.
const folder = mkdtempSync(resolve(root, 'node_modules/.docs-examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

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

  const examples = pages
    .filter(({ path }) => path.startsWith('docs/') || path.endsWith('README.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^```ts\n((?:.*\n)*?)```$/gm)].map((block) => [path, block[1]!] as const),
    )
    .map(([path, code], index) => ({ name: `${path.replaceAll('/', '_')}_${index}`, code }))

  test('their examples type-check against the built packages, and run', {
    timeout: 60_000,
  }, async () => {
    expect(examples.length).toBeGreaterThan(0)
    for (const { name, code } of examples)
      writeFileSync(join(folder, `${name}.mts`), `${code}\nexport {}\n`)
    const compilerOptions = {
      noEmit: false,
      composite: false,
      incremental: false,
      declaration: false,
      outDir: 'out',
      rootDir: '.',
      noUnusedLocals: false,
      exactOptionalPropertyTypes: true,
      types: ['node'],
    }
    const config = {
      extends: resolve(root, 'tsconfig.base.json'),
      compilerOptions,
      include: ['*.mts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = resolve(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(await runExamples(examples.map(({ name }) => name))).toEqual([])
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

// Every request goes to the upstream of the test, whatever the address that a client has of its
// own.
const RUNNER = `
const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input)
  const url = new URL(pathname + search, process.env.UPSTREAM)
  return input instanceof Request ? fetch(new Request(url, input), init) : fetch(url, init)
}
const problems = []
for (const name of process.argv.slice(2)) {
  await import('./out/' + name + '.mjs').catch((error) => problems.push(name + ': ' + error.stack))
}
process.stdout.write('\\n' + JSON.stringify(problems))
`

/**
 * What the examples failed with, each run on its own in the folder of a session, against a model
 * that always answers.
 */
async function runExamples(names: readonly string[]): Promise<unknown> {
  const upstream = await startFakeUpstream()
  copyFileSync(resolve(root, 'examples/rate-limiter.jsonl'), join(folder, 'session.jsonl'))
  writeFileSync(join(folder, 'run.mjs'), RUNNER)
  const keys = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none', GEMINI_API_KEY: 'none' }
  const env = { PATH: process.env.PATH, HOME: folder, UPSTREAM: upstream.url, ...keys }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['run.mjs', ...names], {
      cwd: folder,
      env,
    })
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n')))
  } finally {
    await upstream.close()
  }
}
