import { describe, expect, test } from 'vitest'
import { createMemorySource } from '../../files/read-document.ts'
import { claudeCode } from '../claude-code/claude-code.ts'
import { codex } from '../codex/codex.ts'
import { copilot } from '../copilot/copilot.ts'
import { geminiCli } from '../gemini-cli/gemini-cli.ts'
import { opencode } from '../opencode/opencode.ts'
import { pi } from '../pi/pi.ts'

const toSource = (...entries: object[]) =>
  createMemorySource(Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')))

const FILLER = Array.from({ length: 100 }, () => ({
  type: 'user',
  message: { content: 'x'.repeat(2000) },
}))

describe('the title of a session', () => {
  test('is what the person chose before what a model made up, and the newest of them', () => {
    const summary = { type: 'summary', summary: 'made up' }
    const ai = { type: 'ai-title', aiTitle: 'better' }
    const custom = (customTitle: string) => ({ type: 'custom-title', customTitle })
    expect(claudeCode.readTitle?.(toSource(summary))).toBe('made up')
    expect(claudeCode.readTitle?.(toSource(ai, summary))).toBe('better')
    expect(claudeCode.readTitle?.(toSource(custom('first'), ...FILLER, custom('last'), ai))).toBe(
      'last',
    )
    expect(claudeCode.readTitle?.(toSource(custom('first'), ...FILLER))).toBe('first')
    expect(
      claudeCode.readTitle?.(toSource({ type: 'user', message: { content: '"type":"summary"' } })),
    ).toBeUndefined()
  })

  test('is read as each agent writes it', () => {
    expect(geminiCli.readTitle?.(toSource({ sessionId: 'a', summary: 'G' }))).toBe('G')
    expect(geminiCli.readTitle?.(toSource({ sessionId: 'a' }, { $set: { summary: 'G' } }))).toBe(
      'G',
    )
    expect(pi.readTitle?.(toSource({ type: 'session_info', name: 'P' }))).toBe('P')
    expect(copilot.readTitle?.(toSource({ kind: 0, v: { customTitle: 'C' } }))).toBe('C')
    expect(
      copilot.readTitle?.(toSource({ kind: 0, v: {} }, { kind: 1, k: ['customTitle'], v: 'D' })),
    ).toBe('D')
    expect(codex.readTitle?.(toSource({ type: 'custom-title', customTitle: 'X' }))).toBeUndefined()
  })
})

const readTimes = (text: string, agent = claudeCode) => {
  const times = agent.readTimes(createMemorySource(Buffer.from(text)))
  return times && [times.start.toISOString().slice(0, 16), times.end.toISOString().slice(0, 16)]
}

test.each([
  [
    'lines',
    claudeCode,
    '{"type":"x"}\n{"timestamp":"2026-04-01T10:00:00Z"}\nno json "timestamp"\n{"timestamp":"2026-04-01T11:30:00Z"}\n{"x":1}\n',
  ],
  ['milliseconds', pi, '{"timestamp":1775037600000}\n{"timestamp":1775043000000}\n'],
  [
    'Gemini CLI',
    geminiCli,
    '{\n "startTime": "2026-04-01T10:00:00Z",\n "lastUpdated": "2026-04-01T11:30:00Z"\n}',
  ],
  ['OpenCode', opencode, '{\n"info":{"time":{"created":1775037600000,"updated":1775043000000}}}'],
])('%s have a beginning and an end', (_, agent, text) => {
  expect(readTimes(text, agent)).toEqual(['2026-04-01T10:00', '2026-04-01T11:30'])
})

test.each([
  [''],
  ['{}'],
  ['{"timestamp":"yesterday"}\n'],
  ['{"timestamp":1e300}\n'],
  ['[1,2]'],
  ['{"timestamp":{"a":1}}'],
])('%s has none', (text) => expect(readTimes(text)).toBeUndefined())

test('what a message says about time is none', () => {
  expect(
    readTimes(
      '{"message":"\\"timestamp\\":\\"2020-01-01T00:00:00Z\\""}\n{"timestamp":"2026-04-01T10:00:00Z"}\n',
    ),
  ).toEqual(['2026-04-01T10:00', '2026-04-01T10:00'])
})
