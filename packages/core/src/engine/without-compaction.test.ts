import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Message } from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import { PROVIDER, readUserWords } from '../facts/user-words.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'
import { withoutCompaction } from './without-compaction.ts'

const block = (text?: string, filler = 0): Message => ({
  role: 'assistant',
  origin: 'synthetic',
  parts: [
    {
      type: 'opaque',
      kind: 'compaction',
      text: `{"content":"${'word '.repeat(filler)}"}`,
      compaction: { text },
    },
  ],
})

const compress = (messages: readonly Message[], budgetTokens: number) =>
  compressConversation(conversationOf(messages, 'anthropic-messages'), {
    budgetTokens,
    strategy: auto,
  })

describe('a compaction of the provider', () => {
  test('is quoted with what was said before it where it has to go', () => {
    const given = conversationOf([
      system('s'),
      person('port 8443'),
      block('half done'),
      ...exchanges(1),
    ])
    const [prompt, summary] = withoutCompaction(given).messages
    expect(prompt).toEqual(system('s'))
    expect(readLedgerText(summary!)).toBe(
      `## The words of the user\n> [1] port 8443\n> [1, ${PROVIDER}] half done`,
    )
    expect(withoutCompaction(conversationOf(exchanges(2))).messages).toHaveLength(4)
  })

  test('goes out from between a call and its result, and the rest has a user at its beginning', () => {
    const within = conversationOf(
      [person('a'), agent('', 'c1'), block(), result('c1'), agent('b')],
      'anthropic-messages',
    )
    const bare = conversationOf([block(), agent('b'), person('c')], 'anthropic-messages')
    for (const given of [within, bare]) {
      const left = withoutCompaction(given)
      expect(checkInvariants(left)).toEqual([])
      expect(left.messages.some(({ parts }) => parts.some((part) => part.compaction))).toBe(false)
    }
    expect(withoutCompaction(within).messages.map(({ role }) => role)).toContain('tool')
  })

  test('leaves what an operator said before it where the provider takes it', async () => {
    const order: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'frozen' }],
      isListed: true,
    }
    const before = [agent('', 'c1'), result('c1'), order, agent('b'), person('a')]
    const { outcome, conversation } = await compress(
      [...before, block('half done'), ...exchanges(30)],
      900,
    )
    expect(outcome.type).toBe('compressed')
    expect(checkInvariants(conversation)).toEqual([])
  })

  test('stays while there is room, and a summary stands behind it', async () => {
    const { conversation, report } = await compress(
      [person('a'), block('half done'), ...exchanges(30)],
      900,
    )
    expect(report.compaction).toBe('kept')
    const summary = conversation.messages.findIndex(
      (message) => readLedgerText(message) !== undefined,
    )
    expect(summary).toBeGreaterThan(
      conversation.messages.findIndex(({ parts }) => parts.some((part) => part.compaction)),
    )
  })

  test('is told as lost, or counts among the words that are quoted, where it has no room', async () => {
    const lost = await compress([person('a'), block(undefined, 2_000), ...exchanges(30)], 900)
    expect(lost.report.compaction).toBe('lost')
    expect(lost.report.problems.at(-1)).toMatch(/is lost/)
    const quoted = await compress([person('a'), block('half done', 2_000), ...exchanges(30)], 900)
    expect(quoted.report.compaction).toBe('quoted')
    expect(readUserWords(quoted.conversation.messages).words.map(({ text }) => text)).toContain(
      'half done',
    )
  })
})

test('what an operator says in the middle is quoted beside the words of the user, and counts with them', async () => {
  const order = system('The deployment is frozen until Monday.')
  const { conversation, report } = await compress(
    [...exchanges(8), order, agent('ok'), ...exchanges(20)],
    1_200,
  )
  const texts = readUserWords(conversation.messages).words.map(({ text }) => text)
  expect(texts).toContain('The deployment is frozen until Monday.')
  expect(report.receipt.words.total).toBe(29)
  const tools: Message = {
    role: 'system',
    origin: 'environment',
    parts: [{ type: 'opaque', kind: 'tool_removal', text: '{"type":"tool_removal"}' }],
  }
  const taken = await compress([...exchanges(8), tools, agent('ok'), ...exchanges(20)], 1_200)
  expect(taken.report.receipt.words.total).toBe(29)
  const repeated = await compress(
    [...exchanges(8), order, agent('ok'), ...exchanges(9), order, agent('ok'), ...exchanges(9)],
    1_200,
  )
  expect(repeated.report.receipt.words.total).toBe(27)
})
