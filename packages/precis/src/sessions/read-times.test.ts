import { expect, test } from 'vitest'
import { createMemorySource } from './read-document.ts'
import { readTimes } from './read-times.ts'

const read = (text: string) => {
  const times = readTimes(createMemorySource(Buffer.from(text)))
  return times && [times.start.toISOString().slice(0, 16), times.end.toISOString().slice(0, 16)]
}

test.each([
  [
    'lines',
    '{"type":"x"}\n{"timestamp":"2026-04-01T10:00:00Z"}\nno json "timestamp"\n{"timestamp":"2026-04-01T11:30:00Z"}\n{"x":1}\n',
  ],
  ['milliseconds', '{"timestamp":1775037600000}\n{"timestamp":1775043000000}\n'],
  ['Gemini CLI', '{\n "startTime": "2026-04-01T10:00:00Z",\n "lastUpdated": "2026-04-01T11:30:00Z"\n}'],
  ['OpenCode', '{\n"info":{"time":{"created":1775037600000,"updated":1775043000000}}}'],
])('%s have a beginning and an end', (_, text) => {
  expect(read(text)).toEqual(['2026-04-01T10:00', '2026-04-01T11:30'])
})

test.each([
  [''],
  ['{}'],
  ['{"timestamp":"yesterday"}\n'],
  ['{"timestamp":1e300}\n'],
  ['[1,2]'],
  ['{"timestamp":{"a":1}}'],
])('%s has none', (text) => expect(read(text)).toBeUndefined())

test('what a message says about time is none', () => {
  expect(
    read('{"message":"\\"timestamp\\":\\"2020-01-01T00:00:00Z\\""}\n{"timestamp":"2026-04-01T10:00:00Z"}\n'),
  ).toEqual(['2026-04-01T10:00', '2026-04-01T10:00'])
})
