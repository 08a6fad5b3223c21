import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  renderStatusLine,
  type SessionEnd,
  type StatusLine,
} from '../agents/claude-code/print-statusline.ts'
import { createHome, runPrecis, startPrecis, writeFixture } from './command.suite.ts'

const MINUTE_MS = 60_000
const NOW = Date.parse('2026-01-01T12:00:00.000Z')
const STATUS: StatusLine = {
  model: { id: 'claude-opus-4-5-20251101' },
  context_window: {
    context_window_size: 200_000,
    used_percentage: 50,
    current_usage: {
      input_tokens: 1000,
      cache_creation_input_tokens: 9000,
      cache_read_input_tokens: 90_000,
    },
  },
}

function createEnd(agoMs: number, isLong = false): SessionEnd {
  return { timeMs: NOW - agoMs, isLong, usage: { cache_read_input_tokens: 90_000 } }
}

const render = (status: StatusLine, end?: SessionEnd, columns = 200) =>
  renderStatusLine(status, { end, columns, hasColors: false, nowMs: NOW })

describe('the status line', () => {
  test.each([
    // 100,000 tokens and a summary of 3,000: per million, $0.50 from the cache, $6.25 into it, and
    // $25 for output.
    [
      createEnd(28_000),
      '█████░░░░░ 50 % │ cache warm · 4:32 left │ compact now $0.13, in 5 min $0.70',
    ],
    [createEnd(5 * MINUTE_MS), '█████░░░░░ 50 % │ cache cold │ compact now $0.70'],
    [
      createEnd(20 * MINUTE_MS, true),
      '█████░░░░░ 50 % │ cache warm · 40:00 left │ compact now $0.13, in 40 min $1.07',
    ],
    [undefined, '█████░░░░░ 50 %'],
  ])('shows window, cache and prices: %#', (end, line) => {
    expect(render(STATUS, end)).toBe(line)
  })

  test('takes no more columns than there are', () => {
    for (let columns = 0; columns < 100; columns++) {
      expect(render(STATUS, createEnd(0), columns).length).toBeLessThanOrEqual(columns)
    }
    expect(render(STATUS, createEnd(0), 40)).toBe('█████░░░░░ 50 % │ cache warm · 5:00 left')
  })

  test.each<[string, StatusLine]>([
    ['nothing', {}],
    ['null', { model: null, context_window: null }],
    [
      'other types',
      { model: { id: 7 }, context_window: { context_window_size: 'big', used_percentage: '5' } },
    ],
  ])('is empty where all that is known is %s', (_, status) => {
    expect(render(status)).toBe('')
  })

  test('goes by the share that the agent tells where no request is known, as after a compaction', () => {
    const context_window = {
      context_window_size: 200_000,
      used_percentage: 12,
      current_usage: null,
    }
    expect(render({ ...STATUS, context_window })).toBe('█░░░░░░░░░ 12 %')
    expect(render({ ...STATUS, context_window, model: { id: 'a-model-nobody-knows' } })).toBe(
      '█░░░░░░░░░ 12 %',
    )
  })
})

describe('precis statusline', () => {
  const answer = (ageMs: number, usage: object, more: object = {}) =>
    `${JSON.stringify({ type: 'assistant', timestamp: new Date(Date.now() - ageMs).toISOString(), message: { usage }, ...more })}\n`
  const print = async (
    home: string,
    input: unknown,
    environment: Record<string, string> = { NO_COLOR: '1' },
  ) =>
    await startPrecis(home, ['statusline'], {
      stdin: typeof input === 'string' ? input : JSON.stringify(input),
      environment,
    })

  test('finds the lifetime of the cache at the end of a session, whatever stands before it', async () => {
    const home = createHome()
    const long = {
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_1h_input_tokens: 5 },
    }
    const path = writeFixture(
      join(home, 's.jsonl'),
      `${'x'.repeat(400_000)}\n${answer(90_000, long)}`,
    )
    appendFileSync(path, answer(61_000, { cache_read_input_tokens: 9 }))
    appendFileSync(path, answer(0, { cache_read_input_tokens: 9 }, { isSidechain: true }))
    appendFileSync(path, '{"type":"user","message":{"content":"cut of')
    const { code, stdout } = await print(home, { ...STATUS, transcript_path: path })
    expect(stdout).toMatch(/cache warm · 58:\d\d left │ compact now \$0\.13, in 59 min \$1\.07\n$/)
    expect(code).toBe(0)
  })

  test.each([
    '',
    'no JSON',
    '[]',
    'null',
    '{"transcript_path":"/nowhere"}',
    '{"transcript_path":7}',
  ])('prints nothing and does not fail when it is told %s', async (input) => {
    expect(await print(createHome(), input)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('has colors unless they are not wanted, and the width that it is told', async () => {
    const home = createHome()
    expect((await print(home, STATUS, {})).stdout).toContain('\u001b[')
    expect((await print(home, STATUS, { NO_COLOR: '1', COLUMNS: '14' })).stdout).toBe('')
  })

  test('is installed where there is no other, and taken away without a trace', async () => {
    const home = createHome()
    await runPrecis(home, ['install', 'claude-code'])
    const path = join(home, '.claude/settings.json')
    expect(JSON.parse(readFileSync(path, 'utf8')).statusLine.command).toMatch(
      /precis\.js statusline$/,
    )
    await runPrecis(home, ['uninstall', 'claude-code'])
    const own = '{"statusLine":{"type":"command","command":"my-line"}}'
    writeFixture(path, own)
    const { code, stdout } = await runPrecis(home, ['install', 'claude-code'])
    expect(code).toBe(0)
    expect(stdout).toContain('yours stays')
    expect(JSON.parse(readFileSync(path, 'utf8')).statusLine.command).toBe('my-line')
    expect((await runPrecis(home, ['uninstall', 'claude-code'])).code).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(own)
  })
})
