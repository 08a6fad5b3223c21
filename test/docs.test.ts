import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from './sources.ts'

// Where examples find the packages that they import.
const folder = mkdtempSync(resolve(root, 'node_modules/.docs-examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') }))

describe('the pages', () => {
  test.each(pages)('links of $path lead somewhere', ({ path, text }) => {
    const prose = text.replace(/^```.*\n(?:.*\n)*?```$/gm, '')
    const targets = [...prose.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map((link) => link[1]!)
    expect(targets.filter((target) => !existsSync(resolve(root, dirname(path), target)))).toEqual([])
  })

  test('their examples type-check against the built packages', () => {
    const examples = pages
      .filter(({ path }) => path.startsWith('docs/'))
      .flatMap(({ path, text }) => [...text.matchAll(/^```ts\n((?:.*\n)*?)```$/gm)].map((block) => [path, block[1]!]))
    expect(examples.length).toBeGreaterThan(0)
    examples.forEach(([path, code], index) => {
      writeFileSync(join(folder, `${path!.replaceAll('/', '_')}_${index}.ts`), `${code}\nexport {}\n`)
    })
    const compilerOptions = { noEmit: true, noUnusedLocals: false, types: ['node'] }
    const config = { extends: resolve(root, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = resolve(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})
