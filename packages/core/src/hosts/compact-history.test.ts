import { describe, expect, test } from 'vitest'
import type { Conversation } from '../conversation/message.ts'
import { formats, readRows, type SessionRow, writeRows } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compactHistory } from './compact-history.ts'
import { testHost, WINDOW_TOKENS } from './host.suite.ts'

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
    async compact(rows) {
      const found = await compactHistory(readRows(rows).conversation, {
        counter: createTokenCounter(
          { ...findModel('claude-opus-4-5'), contextWindowTokens: WINDOW_TOKENS },
          { byCharacters: true },
        ),
        keeps: 'tail',
      })
      return found.type === 'left' ? undefined : writeRows(found.compression.conversation)
    },
    read: (rows) => readRows(rows).conversation,
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

test('what an operator said in the middle is in the summary, and the prompt of the host is not', async () => {
  const say = (role: 'system' | 'user' | 'assistant', text: string) => ({ role, content: text })
  const history = [...Array(20).keys()].flatMap((index) => [
    say('user', `Request ${index}`),
    say('assistant', `Answer ${index}: ${'word '.repeat(200)}`),
  ])
  const order = say('system', 'The deployment is frozen until Monday.')
  const messages = [say('system', 'Be brief.'), ...history.toSpliced(5, 0, order)]
  for (const keeps of ['tail', 'nothing'] as const) {
    const found = await compactHistory(formats['openai-chat'].parse({ messages }), {
      counter,
      keeps,
    })
    if (found.type === 'left') throw new Error(found.reason)
    const text = JSON.stringify(found.compression.conversation.messages)
    expect(text).toContain('frozen until Monday')
    expect(text).not.toContain('Be brief.')
  }
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
