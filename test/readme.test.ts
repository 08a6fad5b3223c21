import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { buildInstallPages } from '../scripts/build-install-docs.ts'
import { root } from './sources.ts'

const readme = readFileSync(resolve(root, 'README.md'), 'utf8')
const home = mkdtempSync(join(tmpdir(), 'precis-readme-'))
afterAll(() => rmSync(home, { recursive: true }))

/** The fenced blocks of the page in one language. */
function blocksOf(language: string): string[] {
  return [...readme.matchAll(/^```(.*)\n((?:.*\n)*?)```$/gm)]
    .filter((block) => block[1] === language)
    .map((block) => block[2]!)
}

describe('README', () => {
  test('its first command prints what the page shows, and writes nothing into a home', () => {
    const first = blocksOf('sh').find((block) => block.startsWith('npx precis '))!
    const [, argument] = /^npx precis (.*)\n$/.exec(first)!
    const { stdout, status } = spawnSync(
      process.execPath,
      [resolve(root, 'packages/precis/bin/precis.js'), ...argument!.split(' ')],
      { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' } },
    )
    expect(status).toBe(0)
    expect(stdout.trimEnd()).toBe(blocksOf('')[0]!.trimEnd())
    expect(readdirSync(home)).toEqual([])
  })

  test('its last command is the one that CI runs', () => {
    const last = blocksOf('sh').at(-1)!.trim()
    expect(readFileSync(resolve(root, '.ci/run'), 'utf8')).toContain(last)
  })

  test.each(buildInstallPages())(
    '$path says how to install it as the code does',
    ({ current, built }) => {
      expect(current, 'npx tsx scripts/build-install-docs.ts writes it').toBe(built)
    },
  )

  test('its first example of the library runs as it is printed, in a project that installed the package', {
    tags: 'slow',
  }, () => {
    const project = mkdtempSync(join(tmpdir(), 'precis-project-'))
    const run = (command: string, args: readonly string[], cwd: string) => {
      const { stdout, stderr, status } = spawnSync(command, args, { cwd, encoding: 'utf8' })
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
      return stdout
    }
    try {
      // What is packed is what was built; building it again here would pull it away from tests that
      // run beside.
      const packed = run(
        'npm',
        ['pack', '--ignore-scripts', '--pack-destination', project],
        resolve(root, 'packages/core'),
      )
      run('npm', ['init', '-y'], project)
      run('npm', ['install', '--offline', '--no-audit', join(project, packed.trim())], project)
      writeFileSync(join(project, 'example.mjs'), blocksOf('ts')[0]!)
      expect(run(process.execPath, ['example.mjs'], project)).toMatch(
        /^\d+ tokens became \d+, \d+ messages are left\n$/,
      )
    } finally {
      rmSync(project, { recursive: true })
    }
  })
})
