import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMemorySource } from '../files/read-document.ts'
import { findRecordSpans } from './compared-session.ts'

const lines = ['{"a":1}\n', '{"b":2}\n', '{"a":1}\n', '{"c":3}\n', '{"b":2}\n']
const span = (number: number, line: string) => ({
  span: number,
  fate: 'removed' as const,
  label: '',
  record: number,
  bytes: line.length,
  hash: createHash('sha256').update(line).digest('hex'),
})

test('each record that went has its span, and those of the same bytes have theirs in order', () => {
  const gone = [span(1, '{"a":1}\n'), span(2, '{"a":1}\n'), span(3, '{"c":3}\n')]
  const found = findRecordSpans(
    createMemorySource(Buffer.from(lines.join(''))),
    'claude-code',
    gone,
  )
  expect([...found].map(([record, { span: number }]) => [record, number])).toEqual([
    [0, 1],
    [2, 2],
    [3, 3],
  ])
})
