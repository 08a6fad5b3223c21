import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const CONFIGURATION = '.config/precis/config.json'
const ID = 'eeeeeeee-1111-4222-8333-444444444444'
// As JSON text. Some agents write it twice, for themselves and for the screen.
const SUMMARY_TEXT = /<conversation-summary by=.*?<\/conversation-summary>/g

let home: string
let session: string

beforeEach(() => {
  home = createHome()
  session = writeFixture(
    join(home, 'session.jsonl'),
    createClaudeSession({ sessionId: ID, turns: 20 }),
  )
})

const run = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await runPrecis(home, [...words, '--json'])
  return { code, stderr, report: JSON.parse(stdout || '{}') }
}
const readEntries = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a configuration', () => {
  test('changes what compress does, and a flag is stronger', { tags: 'slow' }, async () => {
    const weaker = { strategy: 'top-down-truncation', budget: '20%' }
    writeFixture(join(home, CONFIGURATION), JSON.stringify(weaker))
    const flags = ['--strategy', 'one-shot', '--budget', '3000']
    const [configured, flagged] = await Promise.all([
      run('compress', session, '--dry-run'),
      run('compress', session, '--dry-run', ...flags),
    ])
    expect(configured.report.strategy).toBe('top-down-truncation')
    expect(configured.report.budgetTokens).toBeLessThanOrEqual(
      configured.report.before.tokens * 0.2,
    )
    expect(flagged.report).toMatchObject({ strategy: 'one-shot', budgetTokens: 3000 })
  })

  test('decides how many messages stay at both ends', async () => {
    const keep = { head: { messages: 6 }, tail: { messages: 18 } }
    writeFixture(
      join(home, CONFIGURATION),
      JSON.stringify({ strategy: 'middle-out', budget: '60%', keep }),
    )
    const out = join(home, 'small.jsonl')
    expect((await run('compress', session, '--out', out)).code).toBe(0)
    const entries = readEntries(out).filter(({ type }) => type === 'user' || type === 'assistant')
    const place = entries.findIndex((entry) =>
      JSON.stringify(entry).includes('<conversation-summary by='),
    )
    // One more message, by the agent, is between the summary and the user's next request.
    expect([place, entries.length - place - 1]).toEqual([6, 19])
  })
})

describe.each([
  ['Claude Code', createClaudeSession],
  ['Codex', createCodexSession],
])('a session of %s', (_, create) => {
  test('goes on after a compression, and is compressed again with one summary', {
    tags: 'slow',
  }, async () => {
    const input = writeFixture(join(home, 'input.jsonl'), create({ sessionId: ID, turns: 16 }))
    const first = join(home, `${createUuid(81)}.jsonl`)
    expect(
      (await run('compress', input, '--strategy', 'middle-out', '--budget', '40%', '--out', first))
        .code,
    ).toBe(0)
    const second = join(home, `${createUuid(82)}.jsonl`)
    const again = await run(
      'compress',
      first,
      '--strategy',
      'middle-out',
      '--budget',
      '50%',
      '--out',
      second,
    )
    expect(again.code).toBe(0)
    expect(again.report.after.tokens).toBeLessThanOrEqual(again.report.budgetTokens)
    expect((await runPrecis(home, ['check', second])).code).toBe(0)
    const told = (path: string) => new Set(readFileSync(path, 'utf8').match(SUMMARY_TEXT))
    expect([told(first).size, told(second).size]).toEqual([1, 1])
    expect([...told(second)]).not.toEqual([...told(first)])
  })

  test('without its tools keeps every turn, and its original is as it was', async () => {
    const input = writeFixture(join(home, 'input.jsonl'), create({ sessionId: ID, turns: 8 }))
    const before = readFileSync(input)
    const out = join(home, `${createUuid(83)}.jsonl`)
    expect((await run('clone', input, '--profile', 'emergency', '--out', out)).code).toBe(0)
    const text = readFileSync(out, 'utf8')
    expect(text).not.toMatch(/"type":"(?:tool_use|tool_result|function_call|function_call_output)"/)
    expect((await run('inspect', out)).report.turns).toBe(8)
    expect(readFileSync(input).equals(before)).toBe(true)
  })
})

describe('a session without any message', () => {
  const queue = ['enqueue', 'dequeue'].map((operation) =>
    JSON.stringify({
      type: 'queue-operation',
      operation,
      timestamp: '2026-04-01T10:00:00.000Z',
      sessionId: ID,
    }),
  )

  test('has no turns, and nothing is done to it', async () => {
    writeFileSync(session, `${queue.join('\n')}\n`)
    const [inspection, ...others] = await Promise.all([
      run('inspect', session),
      run('compress', session, '--dry-run'),
      run('clone', session, '--profile', 'routine', '--dry-run'),
    ])
    expect(inspection).toMatchObject({ code: 0, report: { turns: 0, messages: 0 } })
    for (const { code, report } of others) {
      expect(code).toBe(0)
      expect(report.after).toEqual(report.before)
    }
  })
})

describe('a clone', () => {
  test('is whole where the note of its origin cannot be written', async () => {
    const out = join(home, 'clone.jsonl')
    mkdirSync(join(home, 'clone.precis.json'))
    const { code, stderr } = await run('clone', session, '--profile', 'routine', '--out', out)
    expect(code).toBe(0)
    expect(stderr).toContain('the clone was written, but not where it comes from')
    expect(readEntries(out).length).toBeGreaterThan(20)
  })

  test('of a session that is not there is refused, and leaves nothing', async () => {
    const out = join(home, 'clone.jsonl')
    const names = [join(home, 'missing.jsonl'), createUuid(99)]
    const refused = await Promise.all(
      names.map((name) => run('clone', name, '--profile', 'routine', '--out', out)),
    )
    refused.forEach(({ code, report }, index) => {
      expect(code).toBe(4)
      expect(report.error.message).toContain(names[index])
    })
    expect(() => readFileSync(out)).toThrow('ENOENT')
  })
})
