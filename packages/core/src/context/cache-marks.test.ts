import { expect, test } from 'vitest'
import { withoutCacheMarks } from './same-content.ts'

const mark = { type: 'ephemeral' }

test('a message without marks is the same object', () => {
  const message = { role: 'user', content: [{ type: 'text', text: 'a' }] }
  expect(withoutCacheMarks(message)).toBe(message)
})

test('marks go from the message, its blocks and the blocks of its results', () => {
  const result = (marks: object) => ({
    type: 'tool_result',
    content: [{ type: 'text', text: 'b', ...marks }],
    ...marks,
  })
  const message = (marks: object) => ({
    role: 'user',
    content: [{ type: 'text', text: 'a', ...marks }, result(marks)],
  })
  expect(withoutCacheMarks(message({ cache_control: mark }))).toEqual(message({}))
})

test('what only looks like a mark in the input of a call stays', () => {
  const message = {
    role: 'assistant',
    content: [{ type: 'tool_use', input: { cache_control: mark } }],
  }
  expect(withoutCacheMarks(message)).toBe(message)
})

test('options of a provider lose their marks and nothing else', () => {
  const message = (providerOptions?: object) => ({
    role: 'user',
    content: 'a',
    ...(providerOptions && { providerOptions }),
  })
  expect(withoutCacheMarks(message({ anthropic: { cacheControl: mark } }))).toEqual(message())
  const others = { anthropic: { sendReasoning: false }, openai: { store: false } }
  expect(
    withoutCacheMarks(
      message({ ...others, anthropic: { cacheControl: mark, sendReasoning: false } }),
    ),
  ).toEqual(message(others))
})

test('objects with a class of their own are not taken apart', () => {
  class Message {
    readonly cache_control = mark
  }
  const message = new Message()
  expect(withoutCacheMarks(message)).toBe(message)
})
