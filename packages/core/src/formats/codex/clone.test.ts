import { expect, test } from 'vitest'
import { readOutput } from '../shared/format.suite.ts'
import { codex } from './codex.ts'
import {
  document,
  event,
  LINES,
  line,
  newSession,
  readLines,
  SESSION,
  shape,
} from './session.suite.ts'

test('a clone holds every line with its bytes under the new id', () => {
  const conversation = codex.parse(SESSION)
  const output = readOutput(codex.serialize(conversation, newSession))
  const [first, ...rest] = output.trimEnd().split('\n')
  expect(rest).toEqual(LINES.slice(1))
  const { payload, ...envelope } = JSON.parse(LINES[0] ?? '')
  const { timestamp } = newSession
  expect(JSON.parse(first ?? '')).toEqual({
    ...envelope,
    timestamp,
    payload: { ...payload, id: 'new-id', timestamp },
  })
  expect(shape(codex.parse(output))).toEqual(shape(conversation))
})

test('a clone names the new thread where the old one was named, and no other', () => {
  const named = [
    event('thread_settings_applied', { thread_id: 'old-id' }),
    event('sub_agent', { thread_id: 'other' }),
  ]
  const output = codex.serialize(codex.parse(document([...LINES, ...named])), newSession)
  expect(readLines(output).flatMap(({ payload }) => payload.thread_id ?? [])).toEqual([
    'new-id',
    'other',
  ])
})

test('a clone leaves out a line that was cut off, and keeps the line break', () => {
  const cut = `${document(LINES, '\r\n')}${line('response_item', {}).slice(0, -4)}`
  const output = readOutput(codex.serialize(codex.parse(cut), newSession))
  expect(readLines(output)).toHaveLength(LINES.length)
  expect(output.endsWith('}\r\n')).toBe(true)
  expect(output.replaceAll('\r\n', '')).not.toContain('\n')
})
