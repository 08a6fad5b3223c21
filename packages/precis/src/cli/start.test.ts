import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BIN, createHome, runPrecis, startPrecis } from './command.suite.ts'

const home = createHome()

describe('precis', () => {
  test('answers --version with the version of the package', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    expect(await runPrecis(home, ['--version'])).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  test.each([['--help'], ['help']])(
    'prints its commands and exit codes on standard output: %s',
    async (...words) => {
      const { code, stdout, stderr } = await runPrecis(home, words)
      expect(code).toBe(0)
      for (const name of ['compress', 'inspect', 'check', 'sessions', 'Exit codes'])
        expect(stdout).toContain(name)
      expect(stderr).toBe('')
    },
  )

  test('suggests the command that was meant', async () => {
    const { code, stderr } = await runPrecis(home, ['inspec'])
    expect(code).toBe(2)
    expect(stderr).toContain('inspect')
    const searched = await runPrecis(home, ['search', 'x'])
    expect(searched.code).toBe(2)
    expect(searched.stderr).toContain('"precis sessions --search <text>"')
    const converted = await runPrecis(home, ['convert', 'x'])
    expect(converted.stderr).toContain('"precis compress <session> --to <agent>"')
  })

  test('says of a wrong argument what it may be', async () => {
    const { code, stderr } = await runPrecis(home, ['uninstall', 'emacs'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^precis: argument 'emacs' is invalid\. Give one of claude-code, /),
    ])
  })
})

test('a standard output that cannot be written fails with its reason, and without a stack', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'sessions', '--json'], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  expect([status, stderr]).toEqual([1, 'precis: Writing to standard output: the disk is full.\n'])
})

describe('a folder of the user that is relative', () => {
  test('is ignored, as its specification says: nothing is written into the current folder', {
    tags: 'slow',
  }, async () => {
    const directory = createHome()
    const environment = { XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: '.', XDG_CACHE_HOME: 'cache' }
    await startPrecis(home, ['chat', '--demo'], { directory, environment })
    expect(readdirSync(directory)).toEqual([])
    expect(readdirSync(join(home, '.local', 'share', 'precis'))).toContain('chats')
  })

  test.each(['', 'home'])('is not the home: HOME="%s"', async (HOME) => {
    const words = ['install', 'claude-code', '--dry-run', '--json']
    const { stdout } = await startPrecis(home, words, { environment: { HOME } })
    expect(stdout).toContain(join(userInfo().homedir, '.claude.json'))
  })
})
