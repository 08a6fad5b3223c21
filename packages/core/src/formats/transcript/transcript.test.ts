import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import type { Message } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { formats, type RequestFormat } from '../index.ts'
import { FormatError } from '../shared/format.ts'
import { openTranscript } from './transcript.ts'

interface Sample {
  readonly system?: unknown
  readonly tools?: readonly object[]
  readonly list: string
  readonly natives: readonly object[]
}

const text = 'Look at the parser, please.'

const samples: Partial<Record<RequestFormat, Sample>> = {
  'anthropic-messages': {
    list: 'messages',
    system: 'Be careful.',
    tools: [{ name: 'read', input_schema: {} }],
    natives: [
      { role: 'user', content: text },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'x' },
          { type: 'text', text: 'and go on' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: 'Thanks.' },
    ],
  },
  'openai-chat': {
    list: 'messages',
    tools: [{ type: 'function', function: { name: 'read' } }],
    natives: [
      { role: 'system', content: 'Be careful.' },
      { role: 'user', content: text },
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      { role: 'function', name: 'read', content: 'x' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks.' },
    ],
  },
  'openai-responses': {
    list: 'input',
    system: 'Be careful.',
    tools: [{ type: 'function', name: 'read' }],
    natives: [
      { type: 'message', role: 'user', content: text },
      { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'secret' },
      { type: 'function_call', id: 'f', call_id: 'a', name: 'read', arguments: '{}' },
      { type: 'function_call', id: 'g', call_id: 'b', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'x' },
      { type: 'function_call_output', call_id: 'b', output: 'y' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
      { type: 'message', role: 'user', content: 'Thanks.' },
    ],
  },
  'gemini-contents': {
    list: 'contents',
    system: { parts: [{ text: 'Be careful.' }] },
    tools: [{ functionDeclarations: [{ name: 'read' }] }],
    natives: [
      { role: 'user', parts: [{ text }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'read', args: {} } },
          { functionCall: { name: 'read', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read', response: { output: 'x' } } },
          { functionResponse: { name: 'read', response: { output: 'y' } } },
        ],
      },
      { role: 'model', parts: [{ text: 'Done.' }] },
      { role: 'user', parts: [{ text: 'Thanks.' }] },
    ],
  },
  'ai-sdk': {
    list: 'messages',
    system: 'Be careful.',
    natives: [
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'read',
            output: { type: 'text', value: 'x' },
          },
        ],
      },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks.' },
    ],
  },
}

const systemKeys: Partial<Record<RequestFormat, string>> = {
  'openai-responses': 'instructions',
  'gemini-contents': 'systemInstruction',
}

const cases = Object.entries(samples) as [RequestFormat, Sample][]
/**
 * A live history numbers its own records, and native blocks contain these numbers in one format.
 * Leaves both out.
 */
const bare = (messages: readonly Message[]) =>
  JSON.parse(
    JSON.stringify(messages, (key, value) =>
      key === 'records' || key === 'native' ? undefined : value,
    ),
  )

describe.each(cases)('a live history of %s', (format, { list, natives, system, tools }) => {
  const open = (messages: readonly object[]) =>
    openTranscript(format, {
      messages,
      ...(system !== undefined && { system }),
      ...(tools && { tools }),
    })

  test('appended piece by piece is what a request with all of it is', () => {
    const transcript = open([])
    for (const native of natives) transcript.append([native])
    const body = {
      [list]: natives,
      ...(system !== undefined && { [systemKeys[format] ?? 'system']: system }),
      ...(tools && { tools }),
    }
    const parsed = formats[format].parse(body)
    expect(bare(transcript.conversation.messages)).toEqual(bare(parsed.messages))
    expect(transcript.conversation.tools).toEqual(parsed.tools)
    expect(transcript.conversation.protocol).toBe(parsed.protocol)
    expectSame(transcript.natives, natives)
  })

  test('gives the same objects while nothing changes', () => {
    const transcript = open(natives)
    const { conversation, natives: listed } = transcript
    transcript.append([])
    expect(transcript.conversation).toBe(conversation)
    expect(transcript.natives).toBe(listed)
    transcript.append([natives[0] ?? {}])
    expect(transcript.conversation).not.toBe(conversation)
    expect(listed).toHaveLength(natives.length)
  })

  test('keeps the records of messages that stay, over and over', () => {
    const transcript = open(natives)
    for (let generation = 0; generation < 5; generation++) {
      const { messages } = transcript.conversation
      const keptHead = transcript.natives[0]
      const summary = createSummaryMessage(`generation ${generation}`)
      // The head, the latest summary, and the last exchange.
      const head = messages.slice(0, messages.findIndex(({ role }) => role === 'user') + 1)
      transcript.replace([...head, summary, ...messages.slice(-2)])
      expect(transcript.natives[0]).toBe(keptHead)
      expectSame(transcript.natives.slice(-2), natives.slice(-2))
      expect(JSON.stringify(transcript.natives)).toContain(`generation ${generation}`)
      const written = transcript.natives
      transcript.replace(transcript.conversation.messages)
      expectSame(transcript.natives, written)
    }
  })

  test('pairs results with calls that stood before a change', () => {
    const end = natives.findIndex((native) => JSON.stringify(native).includes('"x"'))
    const transcript = open(natives.slice(0, end))
    const { messages } = transcript.conversation
    transcript.replace([
      createSummaryMessage('before'),
      ...messages.filter(({ role }) => role !== 'system'),
    ])
    transcript.append(natives.slice(end))
    const calls = transcript.conversation.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
    )
    const answered = transcript.conversation.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
    )
    expect(calls.length).toBeGreaterThan(0)
    expect(answered.map(({ callId }) => callId)).toEqual(calls)
    expect(answered.every(({ name }) => name === 'read')).toBe(true)
  })

  test('writes a masked result again, and later ones still find their calls', () => {
    const transcript = open(natives)
    const masked = transcript.conversation.messages.map((message): Message => {
      if (message.role !== 'tool') return message
      return {
        ...message,
        parts: message.parts.map((part) =>
          part.type === 'tool-result'
            ? { ...part, output: [{ type: 'text' as const, text: 'masked' }] }
            : part,
        ),
      }
    })
    transcript.replace(masked)
    expect(JSON.stringify(transcript.natives)).toContain('masked')
    const { messages } = transcript.conversation
    const ids = (type: 'tool-call' | 'tool-result') =>
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === type ? [part.callId] : [])),
      )
    expect(ids('tool-result')).toEqual(ids('tool-call'))
    const untouched = natives.filter((native) => !JSON.stringify(native).match(/"[xy]"/))
    expectSame(
      transcript.natives.filter((native) => natives.includes(native)),
      untouched,
    )
  })

  test('comes back as it was, with what was appended since behind', () => {
    const transcript = open(natives)
    const before = transcript.mark()
    const { messages } = transcript.conversation
    transcript.replace([...messages.slice(0, 1), createSummaryMessage('all of it')])
    const after = transcript.mark()
    const late = natives.at(-1) ?? {}
    transcript.append([late])
    expect(transcript.since(after)).toHaveLength(1)
    transcript.restore(before, after)
    expectSame(transcript.natives, [...natives, late])
    expect(bare(transcript.conversation.messages.slice(0, messages.length))).toEqual(bare(messages))
  })
})

describe('a live history', () => {
  test('of the Responses API knows reasoning that a later item needs, however the items are appended', () => {
    const items = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action: { type: 'exec' } },
    ]
    const atOnce = openTranscript('openai-responses', { messages: items })
    const oneByOne = openTranscript('openai-responses', {})
    for (const item of items) oneByOne.append([item])
    expect(atOnce.messages[0]?.parts[0]).toMatchObject({ isNeeded: true })
    expect(oneByOne.messages[0]?.parts[0]).toMatchObject({ isNeeded: true })
  })

  test('of the Responses API joins items of one go of the model, unless a mark lies between', () => {
    const [request = {}, reasoning = {}, first = {}, second = {}] =
      samples['openai-responses']?.natives ?? []
    const transcript = openTranscript('openai-responses', { messages: [request, reasoning] })
    transcript.append([first])
    expect(transcript.messages).toHaveLength(2)
    const mark = transcript.mark()
    transcript.append([second])
    expect(transcript.messages).toHaveLength(3)
    expect(transcript.since(mark)).toHaveLength(1)
    expectSame(transcript.natives, [request, reasoning, first, second])
  })

  test('takes nothing that its format does not know, and is as before', () => {
    const transcript = openTranscript('openai-chat', {
      messages: [{ role: 'user', content: 'hello' }],
    })
    expect(() =>
      transcript.append([
        { role: 'user', content: 'more' },
        { role: 'narrator', content: 'x' },
      ]),
    ).toThrow(FormatError)
    expect(transcript.natives).toHaveLength(1)
    expect(transcript.conversation.messages).toHaveLength(1)
  })

  test('is no stored session', () => {
    expect(() => openTranscript('claude-code' as RequestFormat, {})).toThrow(
      /how an agent stores sessions/,
    )
  })

  test('takes time in proportion to what is appended', { tags: 'slow' }, async () => {
    const append = (count: number) => {
      const transcript = openTranscript('openai-chat', {})
      for (let index = 0; index < count; index++)
        transcript.append([{ role: 'user', content: `message ${index}` }])
    }
    await expectLinearGrowth((count) => count, append, 1_000)
  })
})

function expectSame(found: readonly object[], expected: readonly object[]): void {
  expect(found.map((native) => expected.indexOf(native))).toEqual(
    expected.map((_, index) => expected.indexOf(expected[index] ?? {})),
  )
}
