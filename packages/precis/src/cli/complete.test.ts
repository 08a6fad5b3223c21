import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { createClaudeSession, createHome, startPrecis, writeFixture } from './command.suite.ts'

const ID = 'aaaaaaaa-1111-4222-8333-444444444444'

let home: string

beforeEach(() => {
  home = createHome()
  writeFixture(
    join(home, '.claude', 'projects', '-work-shop', `${ID}.jsonl`),
    createClaudeSession({ sessionId: ID }),
  )
  writeFixture(join(home, 'request.json'), '{}')
})

/** In a separate process, because the library prints with `console.log`. */
async function complete(...words: string[]): Promise<string[]> {
  const { stdout } = await startPrecis(home, ['complete', '--', ...words])
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] ?? '')
}

describe('complete', () => {
  test.each(casesOf(['bash', 'zsh', 'fish']))(
    'prints a script for %s that calls precis',
    { tags: 'property' },
    async (shell) => {
      const { code, stdout } = await startPrecis(home, ['complete', shell])
      expect(code).toBe(0)
      expect(stdout).toContain('precis complete --')
    },
  )

  test('refuses a shell it does not know', { tags: 'slow' }, async () => {
    expect((await startPrecis(home, ['complete', 'csh'])).code).toBe(2)
  })

  test('offers commands, options, their values, sessions and files', { tags: 'slow' }, async () => {
    expect(await complete('')).toEqual(
      expect.arrayContaining(['compress', 'inspect', 'check', 'sessions']),
    )
    expect(await complete('compress', '--st')).toEqual(['--strategy'])
    expect(await complete('compress', '--strategy', '')).toContain('middle-out')
    expect(await complete('compress', 'aa')).toEqual([ID])
    expect(await complete('inspect', 'req')).toEqual(['request.json'])
  })
})
