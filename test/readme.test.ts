import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compress } from '@precis/core'
import { afterAll, describe, expect, test } from 'vitest'
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
  test('its first command prints what the page shows', () => {
    const [first] = blocksOf('sh')
    const [, argument] = /^npm ci && npx precis (.*)\n$/.exec(first!)!
    const { stdout, status } = spawnSync(
      process.execPath,
      [resolve(root, 'packages/precis/bin/precis.js'), ...argument!.split(' ')],
      { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' } },
    )
    expect(status).toBe(0)
    expect(withoutId(stdout.trimEnd())).toBe(withoutId(blocksOf('')[0]!.trimEnd()))
  })

  test('its second command is the one that CI runs', () => {
    const second = blocksOf('sh')[1]!.trim()
    expect(readFileSync(resolve(root, '.ci/run'), 'utf8')).toContain(second)
  })

  test('its example of the library runs', async () => {
    const [example] = blocksOf('ts')
    const lines: string[] = []
    const body = example!.replace(/^import .*\n/gm, '')
    const history = Array.from({ length: 80 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${index}: ${'the parser was looked at and is fine '.repeat(20)}`,
    }))
    const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor
    await new AsyncFunction('compress', 'history', 'console', body)(compress, history, {
      log: (line: string) => lines.push(line),
    })
    expect(lines).toEqual([expect.stringMatching(/^\d+ tokens became \d+, \d+ messages are left$/)])
  })
})

function withoutId(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
}
