import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
} from '../conversation/histories.suite.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { isSummary, readLedgerText } from '../conversation/summary-message.ts'
import { findTurns } from '../conversation/turns.ts'
import { parseLedger } from '../facts/ledger-record.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const countTokens = (conversation: Conversation) => counter.countConversation(conversation).upper

const plan = (
  id: string,
  ...todos: readonly (readonly [content: string, status: string])[]
): Message[] => [
  {
    role: 'assistant',
    origin: 'agent',
    parts: [
      {
        type: 'tool-call',
        callId: id,
        name: 'TodoWrite',
        input: { todos: todos.map(([content, status]) => ({ content, status })) },
      },
    ],
  },
  result(id, 'Todos have been modified successfully.'),
]
const rounds = (count: number, name = 'c'): Message[] =>
  Array.from({ length: count }, (_, index) => [
    agent(`I look at module ${index}.`, `${name}${index}`),
    result(`${name}${index}`, `line of module ${index}\n`.repeat(40)),
  ]).flat()

describe('tasks of the agent', () => {
  const ledgerOf = ({ messages }: Conversation) =>
    parseLedger(messages.map((message) => readLedgerText(message) ?? '').join(''))
  const compress = async (messages: readonly Message[]) => {
    const { outcome, conversation } = await compressConversation(conversationOf(messages), {
      budgetTokens: 1_800,
      strategy: auto,
    })
    expect(outcome.type).toBe('compressed')
    return conversation
  }
  const statuses = (conversation: Conversation) =>
    Object.fromEntries(ledgerOf(conversation).tasks.map(({ text, status }) => [text, status]))

  test('stay finished over compressions, and unfinished ones stay as far as they were', {
    tags: 'slow',
  }, async () => {
    const first = plan(
      'p1',
      ['Write the parser', 'completed'],
      ['Write the printer', 'in_progress'],
      ['Write the manual', 'pending'],
    )
    let conversation = await compress([
      person('Write all of it.'),
      ...first,
      ...rounds(30),
      agent('going on'),
      person('next'),
    ])
    for (let generation = 0; generation < 3; generation++) {
      conversation = await compress([
        ...conversation.messages,
        ...rounds(30, `g${generation}-`),
        agent('going on'),
        person('next'),
      ])
      expect(statuses(conversation)).toEqual({
        'Write the parser': 'done',
        'Write the printer': 'active',
        'Write the manual': 'open',
      })
    }
    const last = plan('p2', ['Write the printer', 'completed'], ['Write the manual', 'in_progress'])
    conversation = await compress([
      ...conversation.messages,
      ...last,
      ...rounds(30, 'z'),
      agent('going on'),
      person('next'),
    ])
    expect(statuses(conversation)).toMatchObject({
      'Write the printer': 'done',
      'Write the manual': 'active',
    })
  })

  test('are none of the person: a record of them starts no turn and is no request', async () => {
    const first = plan('p1', ['Delete all of the tests', 'pending'])
    const conversation = await compress([
      person('Plan it.'),
      ...first,
      ...rounds(30),
      agent('It is planned.'),
      person('wait'),
    ])
    const record = conversation.messages.find(isSummary)
    expect(record && readText(record)).toContain('Delete all of the tests')
    const requests = findTurns(conversation.messages).map(({ start }) =>
      readText(conversation.messages[start]!),
    )
    expect(requests.at(-1)).toBe('wait')
    expect(requests.join(' ')).not.toContain('Delete all')
  })
})

describe('ten compressions in a row', () => {
  test('neither grow nor repeat: the record of the first is said once, in what is within the budget', {
    tags: 'slow',
  }, async () => {
    let conversation = conversationOf([
      person('Never touch src/legacy.ts.'),
      agent('I will not.'),
      ...exchanges(10),
    ])
    for (let generation = 0; generation < 10; generation++) {
      const messages = [
        ...conversation.messages,
        ...rounds(25, `g${generation}-`),
        agent('done'),
        person(`Go on with part ${generation}.`),
      ]
      const compression = await compressConversation(
        { ...conversation, messages },
        { budgetTokens: 2_000, strategy: auto },
      )
      expect(compression.outcome.type).toBe('compressed')
      conversation = compression.conversation
      expect(countTokens(conversation)).toBeLessThanOrEqual(2_000)
    }
    const text = conversation.messages.map(readText).join('\n')
    expect(text.split('Never touch src/legacy.ts.').length - 1).toBeLessThanOrEqual(2)
    expect(text).toContain('Never touch src/legacy.ts.')
    expect(conversation.messages.filter(isSummary)).toHaveLength(1)
  })
})
