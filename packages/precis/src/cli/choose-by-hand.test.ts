import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import {
  BIN,
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

let home: string
let words: string[]

beforeEach(() => {
  home = createHome()
  const path = writeFixture(
    join(home, 'session.jsonl'),
    createClaudeSession({ sessionId: createUuid(1) }),
  )
  words = ['compress', path, '--interactive', '--out', join(home, 'small.jsonl')]
})

const start = () =>
  startOnTerminal([BIN, ...words], { rows: 40, environment: { HOME: home }, directory: home })

describe('compress --interactive', () => {
  test('without a terminal is wrong usage, and names the options for scripts', async () => {
    const { code, stderr } = await runPrecis(home, words)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Give --keep-turn, --keep-path and --drop-tool instead'),
    ])
  })

  test('marks with Space, shows what it comes to, and compresses on Enter', {
    tags: 'slow',
  }, async () => {
    const terminal = start()
    await terminal.see('keep turn 1')
    await terminal.see('0 tokens stay verbatim')
    const { stdout } = await runPrecis(home, [...words.slice(0, 2), '--dry-run'])
    const [, budget] = /budget: 50% of [\d,]+ = ([\d,]+) tokens/.exec(stdout) ?? []
    await terminal.see(`the result has at most ${budget} tokens`)
    terminal.type(' ')
    await terminal.see(/● +keep turn 1/)
    await terminal.miss(' 0 tokens stay verbatim')
    terminal.press('down')
    terminal.type('  ')
    await terminal.see(/○ +keep turn 2/)
    terminal.press('enter')
    expect((await terminal.exit).code).toBe(0)
    await terminal.see('kept turns: 1')
    expect(existsSync(join(home, 'small.jsonl'))).toBe(true)
    terminal.close()
  })

  test.each([
    ['--budget', '30%'],
    ['--window', '2k'],
  ])(
    'begins with the tokens that compress has with %s %s, and keeps to them',
    {
      tags: 'slow',
    },
    async (...given) => {
      words.push(...given)
      const terminal = start()
      const { stdout } = await runPrecis(home, [...words.slice(0, 2), '--dry-run', ...given])
      const [line = ''] = /budget: .*/.exec(stdout) ?? []
      const budget = line.match(/[\d,]{3,}(?= tokens)|(?<=window of )[\d,]+/g)?.at(-1)
      await terminal.see(`the result has at most ${budget} tokens`)
      terminal.type(' ')
      await terminal.miss(' 0 tokens stay verbatim')
      await terminal.see(`the result has at most ${budget} tokens`)
      terminal.press('escape')
      expect((await terminal.exit).code).toBe(130)
      terminal.close()
    },
  )

  test('leaves with Esc, and nothing is written', { tags: 'slow' }, async () => {
    const terminal = start()
    await terminal.see('keep turn 1')
    terminal.press('escape')
    expect((await terminal.exit).code).toBe(130)
    expect(existsSync(join(home, 'small.jsonl'))).toBe(false)
    terminal.close()
  })
})
