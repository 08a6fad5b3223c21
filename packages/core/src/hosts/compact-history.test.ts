import { expect, test } from 'vitest'
import type { Conversation } from '../conversation/message.ts'
import { formats, readRows, type SessionRow } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compactHistory } from './compact-history.ts'

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

test('names an option that cannot be', async () => {
  const conversation = formats['openai-chat'].parse({ messages: [] })
  for (const [name, value] of [
    ['counter', 5],
    ['keeps', 'head'],
    ['pins', 'a'],
    ['budgetTokens', -1],
  ] as const) {
    const options = { counter, keeps: 'tail', [name]: value } as const
    await expect(
      compactHistory(conversation, options as Parameters<typeof compactHistory>[1]),
    ).rejects.toThrow(`Compacting: ${name}`)
  }
})
