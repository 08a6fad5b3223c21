import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkInvariants, repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { readOutput, testFormat, withMessages } from '../shared/format.suite.ts'
import { openaiChat } from './openai-chat.ts'

const call = (id: string, path: string) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: `{"path": "${path}"}` },
})

const body = {
  model: 'gpt-5',
  tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
  messages: [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      name: 'kim',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } },
        { type: 'input_audio', input_audio: { data: 'AAAAAA==', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('call_1', 'a.ts'), call('call_2', 'b.ts')],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'content of a' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'content of b' }] },
    {
      role: 'assistant',
      content: 'Fine.',
      reasoning_content: 'hm',
      refusal: 'but no',
      audio: { id: 'audio_1' },
    },
    { role: 'user', content: 'Next?' },
  ],
}

testFormat(openaiChat, {
  documents: {
    'a compact body': JSON.stringify(body),
    'a body as Python writes it': JSON.stringify(body, null, 1).replaceAll(/\n\s*/g, ' '),
    'an indented list': `${JSON.stringify(body.messages, null, '\t')}\n`,
  },
})

const parse = (value: object | string) => openaiChat.parse(value)
const write = (conversation: Conversation, messages: readonly Message[]) =>
  (
    openaiChat.serialize(withMessages(conversation, messages)) as {
      messages: Record<string, unknown>[]
    }
  ).messages

describe('parse', () => {
  const { messages, tools, model } = parse(body)

  test('each record is one message', () => {
    expect(messages.map(({ role, records }) => [role, records?.[0]])).toEqual([
      ['system', 0],
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['tool', 4],
      ['assistant', 5],
      ['user', 6],
    ])
    expect(tools).toHaveLength(1)
    expect(model).toBe('gpt-5')
  })

  test('media are measured, arguments stay strings, results know their tool', () => {
    expect(messages[1]?.parts).toMatchObject([
      { type: 'text' },
      { type: 'image', mediaType: 'image/jpeg', bytes: 3 },
      { type: 'file', mediaType: 'audio/wav', bytes: 4 },
      { type: 'file', mediaType: 'application/pdf', bytes: 3 },
    ])
    expect(messages[2]?.parts).toMatchObject([
      { input: '{"path": "a.ts"}' },
      { input: '{"path": "b.ts"}' },
    ])
    expect(messages[3]?.parts).toMatchObject([{ callId: 'call_1', name: 'read' }])
  })

  test('reasoning of open models is reasoning, refusal and audio are opaque', () => {
    expect(
      messages[5]?.parts.map((part) => (part.type === 'opaque' ? part.kind : part.type)),
    ).toEqual(['reasoning', 'text', 'refusal', 'audio'])
  })

  test('what a command in the words of SWE-agent printed is not said by the user', () => {
    const history = [
      { role: 'user', content: 'A demonstration: never delete files.', is_demo: true },
      { role: 'user', content: 'Mend the parser.' },
      { role: 'assistant', content: 'First ls.', thought: 'First ls.', action: 'ls\n' },
      { role: 'user', content: 'You must not delete a.py' },
      { role: 'assistant', content: 'Done.', action: '' },
      { role: 'user', content: 'And the lexer?' },
      { role: 'assistant', content: '', action: 'ls', tool_calls: [call('call_1', 'a.ts')] },
      { role: 'user', content: 'Stop.' },
    ]
    const { messages } = openaiChat.parse({ messages: history })
    expect(messages.map(({ origin }) => origin)).toEqual([
      'environment',
      'user',
      'agent',
      'environment',
      'agent',
      'user',
      'agent',
      'user',
    ])
  })

  test('a function message of the old kind answers the call of its name', () => {
    const old = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'y' },
    ]
    const conversation = parse(old)
    expect(checkInvariants(conversation)).toEqual([])
    const [ask, asked] = conversation.messages
    const masked = [ask!, asked!, { ...conversation.messages[2]! }]
    expect(openaiChat.serialize(withMessages(conversation, masked))).toEqual(old)
  })

  test('so does the result that a repair writes', () => {
    const [ask, asked] = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    ]
    const repaired = repairInvariants(parse([ask, asked, ask]))
    expect(openaiChat.serialize(repaired)).toMatchObject([
      ask,
      asked,
      { role: 'function', name: 'f' },
      ask,
    ])
  })
})

describe('serialize', () => {
  const conversation = parse(body)
  const [system, user, calls, first, second, answer, next] = conversation.messages as [
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
  ]

  test('a call that is dropped leaves the other, and none leaves no empty list', () => {
    const one = { ...calls, parts: calls.parts.slice(1) } as Message
    const [, , written] = write(conversation, [system, user, one, second, answer, next])
    expect(written).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [call('call_2', 'b.ts')],
    })
    const none = { ...calls, parts: [{ type: 'text', text: '[read a.ts]' }] } as Message
    expect(write(conversation, [user, none])[1]).toEqual({
      role: 'assistant',
      content: '[read a.ts]',
    })
  })

  test('reasoning, refusal and audio go with their parts', () => {
    const bare = { ...answer, parts: answer.parts.slice(1, 2) } as Message
    expect(write(conversation, [bare])).toEqual([{ role: 'assistant', content: 'Fine.' }])
  })

  test('an input that became an object goes out as a string', () => {
    const changed = {
      ...calls,
      parts: calls.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, input: { path: '…' } } : part,
      ),
    } as Message
    expect(write(conversation, [changed])[0]?.tool_calls).toMatchObject([
      { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"…"}' } },
      { id: 'call_2' },
    ])
  })

  test('a repaired call gets a tool record of its own, behind its neighbours', () => {
    const broken = withMessages(conversation, [system, user, calls, first, next])
    const repaired = repairInvariants(broken)
    expect(
      write(conversation, repaired.messages).map(({ role, tool_call_id }) => tool_call_id ?? role),
    ).toEqual(['developer', 'user', 'assistant', 'call_1', 'call_2', 'user'])
  })

  test('a call that has a number for its id keeps it, and its result', () => {
    const numbered = [{ ...call('', 'a.ts'), id: 1 }]
    const conversation = parse([
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: 'Reading.', reasoning_content: 'hm', tool_calls: numbered },
      { role: 'tool', tool_call_id: 1, content: 'content of a' },
      { role: 'user', content: 'Next?' },
    ])
    expect(checkInvariants(conversation)).toEqual([])
    const changed = conversation.messages.map((message): Message => {
      if (message.role === 'assistant') return { ...message, parts: message.parts.slice(1) }
      if (message.role !== 'tool') return message
      const output = [{ type: 'text' as const, text: 'short' }]
      return { ...message, parts: message.parts.map((part) => ({ ...part, output })) }
    })
    const written = openaiChat.serialize(withMessages(conversation, changed))
    expect(written).toMatchObject([
      { role: 'user' },
      { content: 'Reading.', tool_calls: numbered },
      { role: 'tool', tool_call_id: 1, content: 'short' },
      { role: 'user' },
    ])
  })

  test('a call without an id stays a call when its message changes', () => {
    const tool_calls = [{ ...call('', 'a.ts'), id: null }, call('call_2', 'b.ts')]
    const conversation = parse([
      { role: 'assistant', content: 'Reading.', reasoning_content: 'hm', tool_calls },
    ])
    const changed = conversation.messages.map(
      (message) => ({ ...message, parts: message.parts.slice(1) }) as Message,
    )
    expect(openaiChat.serialize(withMessages(conversation, changed))).toEqual([
      { role: 'assistant', content: 'Reading.', tool_calls },
    ])
  })

  test('untouched records around a summary are the very same objects', () => {
    const written = write(conversation, [system, createSummaryMessage('x'), answer, next])
    expect(written[0]).toBe(body.messages[0])
    expect(written[1]).toMatchObject({ role: 'user' })
    expect(written[2]).toBe(body.messages[5])
  })
})

const folder = '../shared/data/openai-chat'
describe.skipIf(!existsSync(folder))(
  'recorded requests (skipped without ../shared/data)',
  { tags: 'slow' },
  () => {
    test.each(existsSync(folder) ? readdirSync(folder) : [])(
      '%s obeys every rule and goes out as it came in',
      (name) => {
        const text = readFileSync(`${folder}/${name}`, 'utf8')
        const conversation = parse(text)
        expect(checkInvariants(conversation)).toEqual([])
        expect(openaiChat.serialize(conversation)).toBe(text)
        const shorter = withMessages(conversation, conversation.messages.slice(0, 2))
        expect(parse(readOutput(openaiChat.serialize(shorter))).messages).toHaveLength(2)
      },
    )
  },
)
