import { type FormatName, formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { createMemorySource } from '../files/read-document.ts'
import { findRecordChanges, splitDocument } from './hash-pieces.ts'

const session = { sessionId: 's', projectHash: 'p' }
const ask = (id: string) => ({ id, type: 'user', content: [{ text: `asks ${id}` }] })
const answer = (id: string) => ({
  id,
  type: 'gemini',
  content: `answers ${id} "{[,ü`,
  model: 'gemini-3',
})
const history = [ask('a'), answer('b'), ask('c'), answer('d')]
const toLog = (...lines: readonly unknown[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

function split(text: string, format: FormatName = 'gemini-cli') {
  const pieces = splitDocument(createMemorySource(Buffer.from(text)), format)
  return Array.from(pieces, ({ bytes, records }) => ({
    text: Buffer.from(bytes).toString(),
    records,
  }))
}

describe('splitDocument', () => {
  test.each<[string, string]>([
    ['every line', toLog(session, ...history)],
    [
      'the history in one line',
      toLog(session, ask('a'), { $set: { messages: history, lastUpdated: 1 } }, ask('e')),
    ],
    [
      'two such lines',
      toLog(session, { $set: { messages: history.slice(1) } }, { $set: { messages: history } }),
    ],
    [
      'a session that holds messages',
      toLog({ ...session, messages: history }, ask('e'), answer('f')),
    ],
    ['such a session later on', toLog(session, ask('e'), { messages: history, ...session })],
    [
      'values that are no messages',
      toLog(session, { $set: { messages: [1, history[0], { x: 1 }, history[1]] } }),
    ],
    [
      'other lists before',
      toLog(session, { x: [[1]], $set: { messages: history, x: { messages: [1] } } }, ask('e')),
    ],
    ['one object', JSON.stringify({ ...session, messages: history }, null, 2)],
    ['one object in one line', toLog({ ...session, messages: history })],
  ])('the numbers of messages name their pieces: %s', (_, text) => {
    const pieces = split(text)
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    const { messages } = formats['gemini-cli'].parse(createMemorySource(Buffer.from(text)))
    expect(messages.length).toBeGreaterThan(0)
    for (const { parts, records } of messages) {
      const [named, ...others] = pieces.filter((piece) =>
        piece.records.includes(records?.[0] ?? -1),
      )
      expect(others).toEqual([])
      expect(Object.keys(JSON.parse(named?.text ?? ''))).toContain('content')
      for (const part of parts)
        expect(named?.text).toContain(part.type === 'text' ? JSON.stringify(part.text) : '')
    }
  })

  test.each([
    ['an escaped key', `{"\\u0024set":{"messages":${JSON.stringify(history)}}}\n`],
    ['a key given twice', `{"$set":{"messages":[],"messages":${JSON.stringify(history)}}}\n`],
  ])('a line with %s stays whole', (_, line) => {
    expect(split(toLog(session) + line)[1]).toEqual({ text: line, records: [1, 2, 3, 4, 5] })
  })

  test('a line cut off stays whole', () => {
    const cut = toLog({ $set: { messages: history } }).slice(0, -20)
    expect(split(toLog(session) + cut).map(({ text }) => text)).toEqual([toLog(session), cut])
  })

  test('only the list of messages is split, however its keys are nested', () => {
    const nested = { messages: [[1]], $set: { x: { messages: [2] }, messages: history } }
    const elements = split(toLog(session, nested)).filter(({ records }) => records.length > 0)
    expect(elements.slice(1).map(({ text }) => JSON.parse(text).id)).toEqual(['a', 'b', 'c', 'd'])
  })
})

test('a record whose words were replaced is not looked up: the record with the new words is', () => {
  const entry = (id: string, parentId: string | null, fields: object) => ({
    id,
    parentId,
    ...fields,
  })
  const say = (content: string) => ({ type: 'message', message: { role: 'user', content } })
  const text = toLog(
    { type: 'session', version: 3, id: 's', cwd: '/work' },
    entry('a', null, say('the password')),
    entry('b', 'a', say('another request')),
    entry('c', 'b', { type: 'context_edit', targetId: 'a', replacement: { content: 'redacted' } }),
    entry('d', 'c', say('last')),
  )
  const conversation = formats.pi.parse(text)
  const changes = findRecordChanges(
    conversation,
    { messages: conversation.messages.slice(-1) },
    formats.pi,
  )
  expect([...changes].map(([record, { fate }]) => `${record} ${fate}`)).toEqual([
    '3 removed',
    '2 removed',
    '4 kept',
  ])
})

test('a label is what a database returns, also of a name that is cut inside a character', () => {
  const name = `${'x'.repeat(39)}😀tool`
  const call = { type: 'tool_use', id: 't1', name, input: {} }
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'done' }
  const conversation = formats['anthropic-messages'].parse({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ],
  })
  const changes = findRecordChanges(conversation, { messages: [] }, undefined)
  const label = changes.get(1)?.label ?? ''
  expect(label).toContain('x'.repeat(39))
  expect(Buffer.from(label).toString()).toBe(label)
})
