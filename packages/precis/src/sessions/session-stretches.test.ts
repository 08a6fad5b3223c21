import { expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { opencode } from '../agents/opencode/opencode.ts'
import { createMemorySource } from '../files/read-document.ts'
import { openStretches } from './session-stretches.ts'

const line = (text: string) => `${JSON.stringify({ type: 'user', text })}\n`
const open = (...lines: readonly string[]) =>
  openStretches(createMemorySource(Buffer.from(lines.join(''))), claudeCode)
const rest = ['one', 'two', 'three'].map(line)

test.each([
  ['is before every stretch', 'head', line('head'), [2, 2, 3]],
  [
    'that is long is only where it was, or it would be read as often',
    'x'.repeat(1e5),
    '',
    [2, 3, 4],
  ],
])('a first record %s', (_, text, head, records) => {
  const stretches = open(line(text), ...rest)
  const read = (start: number, end: number) => Buffer.from(stretches.read(start, end)).toString()
  expect(read(2, 4)).toBe([head, ...rest.slice(1)].join(''))
  expect(read(0, 2)).toBe([line(text), rest[0]].join(''))
  expect([0, 1, 2].map((record) => stretches.findRecord(2, record))).toEqual(records)
})

test('what stands around the messages of a JSON document is not read for any number of compactions', () => {
  const text = JSON.stringify({ info: 'x'.repeat(1 << 25), messages: [1, 2, 3] })
  const stretches = openStretches(createMemorySource(Buffer.from(text)), opencode)
  const read = () => JSON.parse(Buffer.from(stretches.read(1, 3)).toString()).messages
  expect(read()).toEqual([2, 3])
  expect(read).toThrow('too many compactions')
})
