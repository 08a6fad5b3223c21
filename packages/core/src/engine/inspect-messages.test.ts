import { describe, expect, test } from 'vitest'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { opencode } from '../formats/opencode/opencode.ts'
import { assistant, exported, text, user } from '../formats/opencode/session.suite.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { inspect, inspectMessages } from './inspect.ts'

const counter = createTokenCounter(findModel('gpt-5'))

const ask = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})
const read = (callId: string, name: string, text: string): Message[] => [
  {
    role: 'assistant',
    origin: 'agent',
    parts: [
      { type: 'reasoning', text: 'I have to look.', signatureLength: 0 },
      {
        type: 'tool-call',
        callId,
        name,
        input: { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' },
      },
    ],
  },
  {
    role: 'tool',
    origin: 'environment',
    parts: [{ type: 'tool-result', callId, output: [{ type: 'text', text }], isError: false }],
  },
]
const summary = createSummaryMessage('What came before.')
const messages = [
  summary,
  ask('Look'),
  ...read('1', 'Read', 'old'),
  ...read('2', 'Edit', 'The file was updated.'),
  ...read('3', 'Read', 'new'),
  ...read('4', 'Read', 'new'),
  ask('Thanks'),
]
const conversation: Conversation = {
  protocol: 'anthropic-messages',
  messages,
  tools: ['{"name":"Read"}'],
  workingDirectory: '/work',
}
const inspected = inspectMessages(conversation, counter)

describe('inspectMessages', () => {
  test('adds up to what inspect says, kind by kind and turn by turn', () => {
    const { tokens, byTurn } = inspect(conversation, counter)
    const sums = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0, system: 0 }
    for (const { frame, parts } of inspected) {
      sums[frame.kind] += frame.tokens
      for (const part of parts) sums[part.kind] += part.tokens
    }
    sums.system += counter.countFixed(conversation).upper
    const { total, ...kinds } = tokens
    expect(sums).toEqual(kinds)
    for (const { turn, tokens: expected } of byTurn) {
      const own = inspected.filter((message) => message.turn === turn)
      expect(own.reduce((sum, message) => sum + message.tokens, 0)).toBe(expected)
    }
    expect(total).toBe(counter.countConversation(conversation).upper)
  })

  test('gives each message its own parts, in order', () => {
    expect(inspected.map(({ message }) => message)).toEqual(messages)
    for (const { message, parts } of inspected)
      expect(parts.map(({ part }) => part)).toEqual(message.parts)
  })

  test('knows tool, file and state of a read', () => {
    const reads = inspected.flatMap(({ parts }) =>
      parts.flatMap(({ tool, reads }) => reads.map((read) => [tool, read.path, read.state])),
    )
    expect(reads).toEqual([
      ['Read', 'a.ts', 'stale'],
      ['Read', 'a.ts', 'fresh'],
      ['Read', 'a.ts', 'duplicate'],
    ])
  })

  test('counts turns from one and knows a summary', () => {
    expect(inspected.map(({ turn }) => turn)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
    expect(inspected.map(({ isSummary }) => isSummary).indexOf(true)).toBe(0)
    expect(inspected.filter(({ isSummary }) => isSummary)).toHaveLength(1)
  })

  test.each(['A summary by the agent.', readText(createSummaryMessage('A summary by precis.'))])(
    'knows a summary that is an answer: %s',
    (words) => {
      const boundary = user({ type: 'compaction', auto: true })
      const told = assistant(boundary, [text(words)], { summary: true })
      const next = user(text('Go on.'))
      const done = assistant(next, [text('It is done.')])
      const conversation = opencode.parse(exported([boundary, told, next, done]))
      const summaries = inspectMessages(conversation, counter).filter(({ isSummary }) => isSummary)
      expect(summaries.map(({ message }) => readText(message))).toEqual([words])
    },
  )
})
