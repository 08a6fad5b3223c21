import { expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { opencode } from '../agents/opencode/opencode.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { createMemorySource } from '../files/read-document.ts'
import { openStretches } from './session-stretches.ts'

const line = (type: string, text: string) => `${JSON.stringify({ type, payload: { text } })}\n`
const open = (agent: Agent, text: string) =>
  openStretches(createMemorySource(Buffer.from(text)), agent)
const rest = ['one', 'two', 'three'].map((text) => line('response_item', text))
const long = 'x'.repeat(1e5)

test.each([
  ['of Codex about the session is before every stretch', codex, 'session_meta', true, [2, 2, 3]],
  ['with a message is only where it was', codex, 'response_item', false, [2, 3, 4]],
  [
    'with a message of Claude Code is only where it was, or it would be read as often',
    claudeCode,
    'user',
    false,
    [2, 3, 4],
  ],
] as const)('a long first record %s', (_, agent, type, isRepeated, records) => {
  const head = line(type, long)
  const stretches = open(agent, [head, ...rest].join(''))
  const read = (start: number, end: number) => Buffer.from(stretches.read(start, end)).toString()
  expect(read(2, 4)).toBe([isRepeated ? head : '', ...rest.slice(1)].join(''))
  expect(read(0, 2)).toBe([head, rest[0]].join(''))
  expect([0, 1, 2].map((record) => stretches.findRecord(2, record))).toEqual(records)
})

const LONG_PART = 'x'.repeat(1 << 22)

test.each([
  [
    'stands around the messages of a JSON document',
    opencode,
    JSON.stringify({ info: LONG_PART, messages: [1, 2, 3] }),
    ',"messages":[2,3]}',
  ],
  [
    'begins a log',
    codex,
    [line('session_meta', LONG_PART), ...rest].join(''),
    rest.slice(0, 2).join(''),
  ],
])('what %s is not read for any number of compactions', (_, agent, text, end) => {
  const stretches = open(agent, text)
  const read = () => Buffer.from(stretches.read(1, 3))
  expect(read().toString('latin1', LONG_PART.length).endsWith(end)).toBe(true)
  const readOften = () => Array.from({ length: 16 }, read)
  expect(readOften).toThrow('too many compactions')
})
