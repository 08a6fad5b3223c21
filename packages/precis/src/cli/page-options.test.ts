import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createClaudeSession, createHome, runPrecis, writeFixture } from './command.suite.ts'

let home: string
let session: string
let opened: string

beforeEach(() => {
  home = createHome()
  session = writeFixture(
    join(home, 'session.jsonl'),
    createClaudeSession({ sessionId: 'aaaaaaaa-1111-4222-8333-444444444444' }),
  )
  opened = join(home, 'opened')
})

/** A fake program that opens pages on this desktop. It records the path and exits with a code. */
function createDesktop(code: number): Readonly<Record<string, string>> {
  const folder = join(home, 'bin')
  mkdirSync(folder)
  for (const name of ['xdg-open', 'open']) {
    chmodSync(
      writeFixture(join(folder, name), `#!/bin/sh\nprintf %s "$1" > "${opened}"\nexit ${code}\n`),
      0o755,
    )
  }
  return { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' }
}

describe.skipIf(process.platform === 'win32')('--open', () => {
  test('opens the page of --html, by its whole path', async () => {
    const words = ['inspect', session, '--html', 'a page.html', '--open']
    const { code, stdout, stderr } = await runPrecis(home, words, { environment: createDesktop(0) })
    expect([code, stdout, stderr]).toEqual([0, 'a page.html\n', ''])
    expect(readFileSync(opened, 'utf8')).toBe(join(home, 'a page.html'))
  })

  test('writes a page of its own, which only the user reads', async () => {
    const { stdout } = await runPrecis(home, ['replay', session, '--open'], {
      environment: createDesktop(0),
    })
    const path = readFileSync(opened, 'utf8')
    expect(stdout).toBe(`${path}\n`)
    expect(path).toMatch(/precis-[^/]+\/replay\.html$/)
    expect(readFileSync(path, 'utf8')).toContain('<!doctype html>')
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })

  test('says why no browser was opened; the page is there', async () => {
    const failing = await runPrecis(home, ['inspect', session, '--open'], {
      environment: createDesktop(3),
    })
    expect(failing.stderr).toMatch(
      /no browser was opened, because (xdg-)?open failed. Open the page yourself/,
    )
    expect([failing.code, existsSync(failing.stdout.trim())]).toEqual([0, true])
  })

  test.skipIf(process.platform === 'darwin')(
    'starts nothing where there is no screen',
    async () => {
      const { PATH = '' } = createDesktop(0)
      const { code, stderr } = await runPrecis(home, ['inspect', session, '--open'], {
        environment: { PATH },
      })
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('because there is no screen here'),
      ])
      expect(existsSync(opened)).toBe(false)
    },
  )

  test.skipIf(process.platform === 'darwin')('names the program that is missing', async () => {
    const environment = { PATH: join(home, 'nothing'), DISPLAY: ':0' }
    const { stderr } = await runPrecis(home, ['inspect', session, '--open'], { environment })
    expect(stderr).toContain('because there is no xdg-open here')
  })
})
