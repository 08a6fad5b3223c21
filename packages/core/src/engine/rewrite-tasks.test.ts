import { expect, test } from 'vitest'
import { formats } from '../formats/index.ts'
import { createBands } from '../strategies/bands.ts'
import type { middleOut } from '../strategies/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { auto } from './ladder.ts'
import { applyRewrites, listRewriteTasks } from './rewrite-tasks.ts'

const long = 'The parser reads one token after the other, and fails at the third. '.repeat(30)
const given = {
  messages: Array.from({ length: 4 }, (_, turn) => [
    { role: 'user', content: `Request ${turn}.` },
    {
      role: 'assistant',
      content: `Answer ${turn}. ${long}`,
      tool_calls: [
        { id: `c${turn}`, type: 'function', function: { name: 'read', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: `c${turn}`, content: `line ${turn}` },
    { role: 'assistant', content: `Done ${turn}.` },
  ]).flat(),
}
const conversation = formats['openai-chat'].parse(given)

test('tasks are the messages of the bands, with their text, size and limit, oldest first', async () => {
  const strategy = createBands({ bands: [{ start: 0, end: 50, level: 0.2 }] })
  const tasks = await listRewriteTasks(conversation, { strategy })
  expect(tasks.map(({ message, turn }) => [message, turn])).toEqual([
    [1, 0],
    [5, 1],
  ])
  for (const { text, tokens, targetTokens, turn } of tasks) {
    expect(text).toMatch(new RegExp(`^Answer ${turn}\\.`))
    expect(targetTokens).toBe(Math.ceil(tokens * 0.2))
  }
})

test('texts take the place of the old ones, and calls, results and other messages are what they were', () => {
  const texts = new Map([
    [5, 'Shorter 1.'],
    [1, 'Shorter 0.'],
    [9, ' '],
  ])
  const { messages } = formats['openai-chat'].serialize(
    applyRewrites(conversation, texts),
  ) as typeof given
  expect(messages).toEqual(
    given.messages.map((message, index) =>
      index === 1 || index === 5 ? { ...message, content: texts.get(index) } : message,
    ),
  )
  expect(messages[9]).toBe(given.messages[9])
})

test('a position that is not there is an error', () => {
  expect(() => applyRewrites(conversation, new Map([[99, 'a']]))).toThrow(RangeError)
})

test('what is bad is named, and what is allowed', async () => {
  const texts: unknown = { 1: 'a' }
  expect(() => applyRewrites(conversation, texts as Map<number, string>)).toThrow(
    'texts is an object. Give a Map',
  )
  const numbers: unknown = new Map([[1, 5]])
  expect(() => applyRewrites(conversation, numbers as Map<number, string>)).toThrow(
    'the text of message 1 is 5. Give a text.',
  )
  const ladder: unknown = auto
  await expect(
    listRewriteTasks(conversation, { strategy: ladder as typeof middleOut }),
  ).rejects.toThrow('Give a strategy that rewrites')
  const counter: unknown = 5
  await expect(
    listRewriteTasks(conversation, { counter: counter as TokenCounter }),
  ).rejects.toThrow('counter is 5. Give a counter')
})
