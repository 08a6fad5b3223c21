import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createHome, runPrecis } from './command.suite.ts'

const home = createHome()

describe('precis', () => {
  test('answers --version with the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await runPrecis(home, ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test.each([[], ['--help'], ['help']])(
    'prints its commands and exit codes on standard output: %s',
    async (...words) => {
      const { code, stdout, stderr } = await runPrecis(home, words)
      expect(code).toBe(0)
      for (const name of ['compress', 'inspect', 'check', 'sessions', 'Exit codes']) expect(stdout).toContain(name)
      expect(stderr).toBe('')
    },
  )

  test('suggests the command that was meant', async () => {
    const { code, stderr } = await runPrecis(home, ['inspec'])
    expect(code).toBe(2)
    expect(stderr).toContain('inspect')
  })
})
