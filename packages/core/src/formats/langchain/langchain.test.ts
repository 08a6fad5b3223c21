import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  coerceMessageLikeToMessage,
  FunctionMessage,
  HumanMessage,
  isBaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkInvariants, repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { detectFormat } from '../index.ts'
import { testFormat, withMessages } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { toObject } from '../shared/json.ts'
import { langchain } from './langchain.ts'

const call = (id: string, path: string) => ({
  id,
  name: 'read',
  args: { path },
  type: 'tool_call' as const,
})
const createHistory = () => [
  new SystemMessage('Be brief.'),
  new HumanMessage({
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: 'AAAA' },
    ],
    id: 'h1',
  }),
  new AIMessage({
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'text', text: 'Reading both.' },
      { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.ts' } },
    ],
    tool_calls: [call('call_1', 'a.ts'), call('call_2', 'b.ts')],
    additional_kwargs: {
      reasoning_content: 'more thoughts',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    response_metadata: { model_name: 'm', output: [{ type: 'message', content: 'stored' }] },
  }),
  new ToolMessage({
    content: 'content of a',
    tool_call_id: 'call_1',
    name: 'read',
    artifact: { full: 1 },
  }),
  new ToolMessage({
    content: [{ type: 'text', text: 'no such file' }],
    tool_call_id: 'call_2',
    status: 'error',
  }),
  new AIMessage('Fine.'),
  new HumanMessage('Next?'),
]
const history = createHistory()

const stored = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(history)))
testFormat(langchain, {
  documents: {
    'stored messages': `${JSON.stringify(stored, null, 2)}\n`,
    'JSON of LangChain': JSON.stringify({ messages: history }),
    'messages by role': JSON.stringify([
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: '', tool_calls: [call('call_1', 'a.ts')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'content of a' },
      { role: 'assistant', content: 'Fine.' },
    ]),
  },
})

const write = (conversation: Conversation, messages: readonly Message[]) =>
  langchain.serialize(withMessages(conversation, messages)) as BaseMessage[]
const change = (message: Message, edit: (part: Part) => Part[]): Message =>
  ({ ...message, parts: (message.parts as Part[]).flatMap(edit) }) as Message

describe('parse', () => {
  test.each([
    ['instances', history],
    ['stored messages', stored],
    ['JSON of LangChain', JSON.parse(JSON.stringify(history))],
  ])('%s are the same conversation', (_, list) => {
    const { messages } = langchain.parse(list)
    expect(checkInvariants(langchain.parse(list))).toEqual([])
    expect(
      messages.map(({ role, origin, parts }) => [role, origin, parts.map(({ type }) => type)]),
    ).toEqual([
      ['system', 'environment', ['text']],
      ['user', 'user', ['text', 'image', 'file']],
      ['assistant', 'agent', ['reasoning', 'reasoning', 'text', 'tool-call', 'tool-call']],
      ['tool', 'environment', ['tool-result']],
      ['tool', 'environment', ['tool-result']],
      ['assistant', 'agent', ['text']],
      ['user', 'user', ['text']],
    ])
    expect(messages[2]?.parts).toMatchObject([
      { text: 'more thoughts' },
      { signatureLength: 4 },
      {},
      { callId: 'call_1' },
      {},
    ])
    expect(messages[4]?.parts).toMatchObject([{ callId: 'call_2', name: 'read', isError: true }])
    expect(detectFormat(list)).toBe('langchain')
  })

  test('chunks, generic and function messages are read', () => {
    const tool_call_chunks = [
      { id: 'c', name: 'read', args: '{"path":"a"}', index: 0, type: 'tool_call_chunk' as const },
    ]
    const { messages } = langchain.parse([
      new ChatMessage('hello', 'user'),
      new AIMessageChunk({ content: '', tool_call_chunks }),
      new FunctionMessage({ content: 'x', name: 'f' }),
    ])
    expect(messages.map(({ role, origin }) => [role, origin])).toEqual([
      ['user', 'user'],
      ['assistant', 'agent'],
      ['user', 'environment'],
    ])
    expect(messages[1]?.parts).toMatchObject([{ callId: 'c', input: { path: 'a' } }])
  })

  test('a message that no model is sent is refused', () => {
    expect(() => langchain.parse([new RemoveMessage({ id: 'h1' })])).toThrow(FormatError)
    expect(() => langchain.parse([new ChatMessage('x', 'wizard')])).toThrow(/generic/)
    expect(() => langchain.parse(['x'])).toThrow(/a string/)
  })

  test('tools count with the schema that the model is sent', () => {
    const read = tool(() => '', {
      name: 'read',
      description: 'Reads.',
      schema: z.object({ path: z.string().describe('where') }),
    })
    const plain = {
      name: 'read',
      description: 'Reads.',
      schema: { type: 'object', properties: {} },
    }
    const [first, second] = langchain
      .parse({ messages: history, tools: [read, plain] })
      .tools.map((text) => JSON.parse(text))
    expect(first).toMatchObject({
      function: {
        name: 'read',
        description: 'Reads.',
        parameters: { properties: { path: { type: 'string', description: 'where' } } },
      },
    })
    expect(second.function.parameters).toEqual(plain.schema)
  })
})

describe('serialize', () => {
  const conversation = langchain.parse(history)
  const [system, user, calls, first, second, answer, next] = conversation.messages as [
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
  ]

  test('untouched messages around a summary are the very same instances, and LangChain makes one of the summary', () => {
    const written = write(conversation, [system, createSummaryMessage('x'), answer, next])
    expect(written[0]).toBe(history[0])
    expect(written[2]).toBe(history[5])
    expect(written[3]).toBe(history[6])
    expect(coerceMessageLikeToMessage(written[1] as BaseMessage)).toBeInstanceOf(HumanMessage)
  })

  test('an edited instance is another one of its class, and the original stays what it was', () => {
    const cleared = change(first, (part) => [
      { ...part, output: [{ type: 'text', text: '[cleared]' }] } as Part,
    ])
    const written = write(conversation, [system, user, calls, cleared, second, answer, next])[3]
    expect(written).toBeInstanceOf(ToolMessage)
    expect(written).toMatchObject({
      content: '[cleared]',
      tool_call_id: 'call_1',
      name: 'read',
      artifact: { full: 1 },
    })
    expect(written?.toDict().data).toMatchObject({ content: '[cleared]' })
    expect(history[3]?.content).toBe('content of a')
  })

  test('a call that goes is gone from everywhere it is said', () => {
    const bare = change(calls, (part) =>
      part.type === 'tool-call' && part.callId === 'call_1' ? [] : [part],
    )
    const written = write(conversation, [system, user, bare, second, answer, next])[2] as AIMessage
    expect(written).toBeInstanceOf(AIMessage)
    expect(written.tool_calls).toEqual([call('call_2', 'b.ts')])
    expect(JSON.stringify(written)).not.toContain('call_1')
    expect(written.response_metadata).toEqual({ model_name: 'm' })
    expect(written.additional_kwargs).toEqual({ reasoning_content: 'more thoughts' })
  })

  test.each([
    ['number', [1, 2]],
    ['nothing', [undefined, undefined]],
    ['null', [null, null]],
    ['one name', ['c', 'c']],
    ['no name', ['', '']],
  ])('calls whose ids are %s keep their results, in blocks and without', (_, ids) => {
    for (const hasBlocks of [true, false]) {
      const blocks = ids.map((id, at) => ({ type: 'tool_use', id, name: 'read', input: { at } }))
      const calls = ids.map((id, at) => ({ type: 'tool_call', id, name: 'read', args: { at } }))
      const conversation = langchain.parse([
        { type: 'human', content: 'go' },
        { type: 'ai', content: hasBlocks ? blocks : 'I read.', tool_calls: calls },
        ...ids.map((id, at) => ({ type: 'tool', tool_call_id: id, content: `content ${at}` })),
        { type: 'human', content: 'next' },
      ])
      const repaired = repairInvariants(conversation)
      const named = repaired.messages.flatMap(({ parts }) =>
        parts.flatMap((part: Part) => (part.type === 'tool-call' ? [part] : [])),
      )
      expect(named.map(({ input }) => input)).toEqual([{ at: 0 }, { at: 1 }])
      const [, answer, one, two] = write(conversation, repaired.messages).map(toObject)
      const stored = answer?.tool_calls
      const [first, second] = [one?.tool_call_id, two?.tool_call_id]
      expect(stored).toMatchObject([{ id: first }, { id: second }])
      expect(first).not.toBe(second)
      expect(stored).toMatchObject([{ args: { at: 0 } }, { args: { at: 1 } }])
      expect([one, two]).toMatchObject([{ content: 'content 0' }, { content: 'content 1' }])
      const content = Array.isArray(answer?.content) ? answer.content : []
      expect([[], [first, second]]).toContainEqual(content.map(({ id }) => id))
    }
  })

  test('a call without an id stays a call when its message changes', () => {
    const calls = [{ type: 'tool_call', name: 'read', args: { path: 'a' } }, call('c', 'b')]
    const [block, text] = [
      { type: 'tool_use', name: 'read', input: {} },
      { type: 'text', text: 'x' },
    ]
    const conversation = langchain.parse([
      { type: 'ai', content: [text, block], tool_calls: calls },
    ])
    const changed = change(conversation.messages[0]!, (part) =>
      part.type === 'text' ? [] : [part],
    )
    expect(write(conversation, [changed])).toMatchObject([{ content: [block], tool_calls: calls }])
  })

  test('an edited input is edited everywhere', () => {
    const changed = change(calls, (part) => [
      part.type === 'tool-call' ? { ...part, input: { path: '…' } } : part,
    ])
    const written = write(conversation, [
      system,
      user,
      changed,
      first,
      second,
      answer,
      next,
    ])[2] as AIMessage
    expect(written.tool_calls?.map(({ args }) => args)).toEqual([{ path: '…' }, { path: '…' }])
    expect(JSON.stringify(written.content)).toContain('…')
    expect(JSON.stringify(written)).not.toContain('a.ts')
  })

  test('reasoning that goes is gone, also from what LangChain carries beside', () => {
    const bare = change(calls, (part) => (part.type === 'reasoning' ? [] : [part]))
    const written = write(conversation, [
      system,
      user,
      bare,
      first,
      second,
      answer,
      next,
    ])[2] as AIMessage
    expect(written.additional_kwargs).toEqual({})
    expect((written.content as { type: string }[]).map(({ type }) => type)).toEqual([
      'text',
      'tool_use',
    ])
  })

  test('an answer that is changed loses the reasoning that OpenAI keeps, and the ids that tie the rest to it', () => {
    const reasoning = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
    }
    const parsed = langchain.parse([
      new AIMessage({
        id: 'msg_1',
        content: 'x',
        tool_calls: [call('a', 'b'), call('b', 'c')],
        additional_kwargs: { reasoning, __openai_function_call_ids__: { a: 'fc_1', b: 'fc_2' } },
      }),
    ])
    const [message] = parsed.messages as [Message]
    expect(message.parts[0]).toMatchObject({ type: 'reasoning', text: 'hm' })
    const [written] = write(parsed, [{ ...message, parts: message.parts.slice(0, -1) } as Message])
    expect(written).toMatchObject({
      id: undefined,
      additional_kwargs: {},
      tool_calls: [call('a', 'b')],
    })
    expect(write(parsed, [{ ...message, parts: message.parts.slice(0, 1) } as Message])).toEqual([])
  })

  test('a call whose input could not be read is tied to its result, and stays raw while it is there', () => {
    const raw = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'r', arguments: '{' },
    })
    const invalid = (id: string) => ({
      type: 'invalid_tool_call' as const,
      id,
      name: 'r',
      args: '{',
    })
    const parsed = langchain.parse([
      new HumanMessage('x'),
      new AIMessage({
        content: 'Reading.',
        invalid_tool_calls: [invalid('a'), invalid('b')],
        additional_kwargs: { tool_calls: [raw('a'), raw('b')] },
      }),
      new ToolMessage({ tool_call_id: 'a', content: 'malformed' }),
    ])
    expect(repairInvariants(parsed)).toBe(parsed)
    const [, answer] = parsed.messages as [Message, Message]
    const [written] = write(parsed, [{ ...answer, parts: answer.parts.slice(0, -1) } as Message])
    expect(written).toMatchObject({
      content: 'Reading.',
      invalid_tool_calls: [{ id: 'a', args: '{' }],
      additional_kwargs: { tool_calls: [raw('a')] },
    })
  })

  test('a block without a type of its own is read as the one in it', () => {
    const value = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' }
    const [message] = langchain.parse([
      { type: 'ai', content: [{ type: 'non_standard', value }] },
    ]).messages
    expect(message?.parts).toMatchObject([{ kind: 'compaction', compaction: {} }])
  })

  test('an edited chunk keeps no call that its chunks still say', () => {
    const tool_call_chunks = [
      { id: 'c', name: 'read', args: '{}', index: 0, type: 'tool_call_chunk' as const },
    ]
    const parsed = langchain.parse([new AIMessageChunk({ content: 'x', tool_call_chunks })])
    const [message] = parsed.messages as [Message]
    const [written] = write(parsed, [
      change(message, (part) => (part.type === 'tool-call' ? [] : [part])),
    ])
    expect(written).toBeInstanceOf(AIMessageChunk)
    expect((written as AIMessageChunk).tool_calls).toEqual([])
  })

  test('stored messages stay stored, new ones too', () => {
    const parsed = langchain.parse(stored)
    const repaired = repairInvariants(withMessages(parsed, parsed.messages.toSpliced(4, 1)))
    const messages = [parsed.messages[0]!, createSummaryMessage('x'), ...repaired.messages.slice(2)]
    const revived = mapStoredMessagesToChatMessages(
      langchain.serialize(withMessages(parsed, messages)) as never,
    )
    expect(revived.every(isBaseMessage)).toBe(true)
    expect(revived.map(({ type }) => type)).toEqual([
      'system',
      'human',
      'ai',
      'tool',
      'tool',
      'ai',
      'human',
    ])
    expect(revived[4]).toMatchObject({ tool_call_id: 'call_2', name: 'read', status: 'error' })
    expect(revived[3]).toMatchObject({ content: 'content of a', artifact: { full: 1 } })
  })

  test('JSON of LangChain stays that', () => {
    const parsed = langchain.parse(JSON.parse(JSON.stringify(history)))
    const [, summary] = write(parsed, [parsed.messages[0]!, createSummaryMessage('x')])
    expect(coerceMessageLikeToMessage(summary as never)).toBeInstanceOf(HumanMessage)
  })

  test('an image of another format becomes what every chat model of LangChain takes', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
    const image: Part = {
      type: 'image',
      mediaType: 'image/png',
      bytes: 3,
      native: { record: 0, index: 0, block: { type: 'image', source } },
    }
    const [written] = write(langchain.parse([]), [
      { role: 'user', origin: 'user', parts: [image] } as Message,
    ])
    expect(written?.content).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ])
  })
})
