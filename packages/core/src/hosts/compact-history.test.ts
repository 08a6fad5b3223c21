import { describe, expect, test } from 'vitest'
import type { Conversation } from '../conversation/message.ts'
import { readRows, type SessionRow, writeRows } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compactHistory } from './compact-history.ts'
import { testHost } from './host.suite.ts'

describe('a host that hands over rows', () => {
  testHost<SessionRow>({
    user: (text) => ({ role: 'user', text, toolUses: [], handle: text }),
    answer: (text) => ({ role: 'assistant', text, toolUses: [] }),
    call: (id) => ({
      role: 'assistant',
      text: '',
      toolUses: [{ tool_use_id: id, tool: 'Bash', input: { command: 'ls' } }],
    }),
    result: (id, text) => ({
      role: 'user',
      text: '',
      toolUses: [],
      toolResults: [{ tool_use_id: id, text, isError: false }],
    }),
    read: (rows) => readRows(rows).conversation,
    write: writeRows,
  })
})

const counter = createTokenCounter(findModel('claude-opus-4-5'), { byCharacters: true })

test('what only the provider can read is left to the host', async () => {
  const conversation: Conversation = {
    protocol: 'openai-responses',
    tools: [],
    messages: [
      {
        role: 'assistant',
        origin: 'agent',
        parts: [{ type: 'opaque', kind: 'compaction', text: '{}', compaction: {} }],
      },
    ],
  }
  expect(await compactHistory(conversation, { counter, keeps: 'nothing' })).toMatchObject({
    type: 'left',
    isShort: false,
  })
})

test('a host that takes one text gets one summary', async () => {
  const rows: SessionRow[] = [...Array(20).keys()].flatMap((index): SessionRow[] => [
    { role: 'user', text: `Request ${index}: ${'detail '.repeat(60)}`, toolUses: [] },
    { role: 'assistant', text: `Answer ${index}: ${'word '.repeat(200)}`, toolUses: [] },
  ])
  const found = await compactHistory(readRows(rows).conversation, { counter, keeps: 'nothing' })
  if (found.type === 'left') throw new Error(found.reason)
  expect(
    found.compression.conversation.messages.filter(({ role }) => role === 'user'),
  ).toHaveLength(1)
})
