import { describe, expect, test } from 'vitest'
import { checkInvariants, repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { detectFormat } from '../index.ts'
import { testFormat, withMessages } from '../shared/format.suite.ts'
import { aiSdk } from './ai-sdk.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqGeoBwACRAEiyZGQZgAAAABJRU5ErkJggg=='
const call = (toolCallId: string, path: string) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'read',
  input: { path },
})
const result = (toolCallId: string, output: object) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output,
})

const modelMessages = [
  {
    role: 'system',
    content: 'Be brief.',
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image', image: `data:image/png;base64,${PIXEL}` },
      { type: 'file', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'x-future', value: 1 },
    ],
  },
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'hm',
        providerOptions: { anthropic: { signature: 'c2lnbmF0dXJl' } },
      },
      { type: 'text', text: 'Reading both.' },
      call('call_1', 'a.ts'),
      call('call_2', 'b.ts'),
      { ...call('srv_1', 'web'), providerExecuted: true },
      result('srv_1', { type: 'json', value: [] }),
      { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'call_2' },
    ],
  },
  {
    role: 'tool',
    content: [
      result('call_1', { type: 'json', value: { lines: ['one', 'two'] } }),
      result('call_2', { type: 'error-text', value: 'no such file' }),
      { type: 'tool-approval-response', approvalId: 'x', approved: true },
    ],
  },
  { role: 'assistant', content: 'Fine.' },
  { role: 'user', content: 'Next?' },
]

const promptOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', content: [call('call_1', 'a.ts')] },
    {
      role: 'tool',
      content: [
        result('call_1', {
          type: 'content',
          value: [
            { type: 'text', text: 'a picture' },
            { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
            { type: 'custom', providerOptions: {} },
          ],
        }),
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'And?' }] },
  ],
  tools: [{ type: 'function', name: 'read', inputSchema: { type: 'object' } }],
  maxOutputTokens: 100,
}

testFormat(aiSdk, {
  documents: {
    'a list of model messages': `${JSON.stringify(modelMessages, null, 2)}\n`,
    'model messages with a system prompt apart': JSON.stringify({
      system: 'Be kind.',
      messages: modelMessages,
    }),
    'what a model is called with': JSON.stringify(promptOptions),
  },
})

const write = (conversation: Conversation, messages: readonly Message[]) =>
  aiSdk.serialize(withMessages(conversation, messages)) as Record<string, unknown>[]
const change = (message: Message, edit: (part: Part) => Part): Message =>
  ({ ...message, parts: (message.parts as Part[]).map(edit) }) as Message

describe('parse', () => {
  const { messages, protocol } = aiSdk.parse(modelMessages)

  test('each record is one message, and obeys the rules', () => {
    expect(messages.map(({ role, records }) => [role, records?.[0]])).toEqual([
      ['system', 0],
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['assistant', 4],
      ['user', 5],
    ])
    expect(protocol).toBe('openai-chat')
    expect(checkInvariants({ ...aiSdk.parse(modelMessages) })).toEqual([])
  })

  test('images and files are measured, whatever holds them', () => {
    expect(messages[1]?.parts).toMatchObject([
      { type: 'text' },
      { type: 'image', mediaType: 'image/png', width: 1, height: 1 },
      { type: 'file', mediaType: 'application/pdf', bytes: 3 },
      { type: 'opaque', kind: 'x-future' },
    ])
    const bytes = new Uint8Array(Buffer.from(PIXEL, 'base64'))
    const forms = [
      { type: 'image', image: bytes },
      { type: 'image', image: bytes.buffer, mediaType: 'image/png' },
      { type: 'image', image: new URL('https://example.org/a.png') },
      { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image/png' },
    ]
    const [message] = aiSdk.parse([{ role: 'user', content: forms }]).messages
    expect(message?.parts).toMatchObject([
      { type: 'image', width: 1, bytes: bytes.length },
      { type: 'image', width: 1, bytes: bytes.length },
      { type: 'image', bytes: 0 },
      { type: 'image', width: 1, bytes: bytes.length },
    ])
  })

  test('what the provider ran itself is opaque, and so are approvals', () => {
    expect(messages[2]?.parts.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
      'tool-call',
      'opaque',
      'opaque',
      'opaque',
    ])
    expect(messages[2]?.parts[0]).toMatchObject({ signatureLength: 12 })
    expect(messages[3]?.parts).toMatchObject([
      {
        callId: 'call_1',
        name: 'read',
        isError: false,
        output: [{ text: '{"lines":["one","two"]}' }],
      },
      { callId: 'call_2', isError: true, output: [{ text: 'no such file' }] },
      { type: 'opaque', kind: 'tool-approval-response' },
    ])
  })

  test('tool schemas are counted', () => {
    expect(aiSdk.parse(promptOptions).tools).toEqual([JSON.stringify(promptOptions.tools[0])])
  })
})

describe('a compaction of the provider', () => {
  const anthropic = { type: 'compaction' }
  const openai = { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'gAAA' }
  const ofAnthropic = { type: 'text', text: 'So far: a.', providerOptions: { anthropic } }
  const ofOpenAI = { type: 'custom', kind: 'openai.compaction', providerOptions: { openai } }

  test.each([
    ['Anthropic', ofAnthropic, 'So far: a.'],
    ['OpenAI', ofOpenAI, undefined],
  ])('of %s is one, and stays as it was', (_, native, text) => {
    const [message] = aiSdk.parse([{ role: 'assistant', content: [native] }]).messages
    expect(message?.parts).toMatchObject([
      { type: 'opaque', kind: 'compaction', compaction: { text } },
    ])
    expect(write(aiSdk.parse([]), [message as Message])[0]?.content).toEqual([native])
  })

  test('keeps its id where the reasoning before it goes', () => {
    const stored = { type: 'reasoning', text: '', providerOptions: { openai: { itemId: 'rs_1' } } }
    const parsed = aiSdk.parse([
      { role: 'assistant', content: [stored, ofOpenAI, { type: 'text', text: 'x' }] },
    ])
    const [message] = parsed.messages as [Message]
    const shorter = { ...message, parts: message.parts.slice(0, -1) } as Message
    expect(write(parsed, [shorter])[0]?.content).toEqual([ofOpenAI])
  })
})

describe('serialize', () => {
  const conversation = aiSdk.parse(modelMessages)
  const [system, user, calls, results, answer, next] = conversation.messages as [
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
  ]

  test('untouched messages around a summary are the very same objects, and the summary is a list as prompts have', () => {
    const written = write(conversation, [system, createSummaryMessage('x'), answer, next])
    expect(written[0]).toBe(modelMessages[0])
    expect(written[1]).toMatchObject({ role: 'user', content: [{ type: 'text' }] })
    expect(written[2]).toBe(modelMessages[4])
    expect(written[3]).toBe(modelMessages[5])
  })

  test('a cleared result is text, and its neighbours are the very same parts', () => {
    const cleared = change(results, (part) =>
      part.type === 'tool-result' && part.callId === 'call_1'
        ? { ...part, output: [{ type: 'text', text: '[cleared]' }] }
        : part,
    )
    const [, , , written] = write(conversation, [system, user, calls, cleared, answer, next])
    expect(written?.content).toEqual([
      result('call_1', { type: 'text', value: '[cleared]' }),
      modelMessages[3]!.content[1],
      modelMessages[3]!.content[2],
    ])
    expect((written!.content as unknown[])[1]).toBe(modelMessages[3]!.content[1])
  })

  test('a result of several items loses its image and keeps the rest', () => {
    const parsed = aiSdk.parse(promptOptions)
    const messages = parsed.messages.map((message) =>
      change(message, (part) =>
        part.type === 'tool-result'
          ? { ...part, output: part.output.filter(({ type }) => type !== 'image') }
          : part,
      ),
    )
    const { prompt } = aiSdk.serialize(withMessages(parsed, messages)) as typeof promptOptions
    expect(prompt[3]?.content).toEqual([
      result('call_1', {
        type: 'content',
        value: [
          { type: 'text', text: 'a picture' },
          { type: 'custom', providerOptions: {} },
        ],
      }),
    ])
  })

  test('an edited text or call loses the id under which OpenAI keeps the old one', () => {
    const providerOptions = { openai: { itemId: 'item_1', phase: 'x' } }
    const [stored] = aiSdk.parse([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'long', providerOptions },
          { ...call('a', 'b'), providerOptions },
        ],
      },
    ]).messages as [Message]
    const edited = change(stored, (part) => {
      if (part.type === 'text') return { ...part, text: 'short' }
      return part.type === 'tool-call' ? { ...part, input: '{"path":"c"}' } : part
    })
    expect(write(aiSdk.parse([{}].slice(1)), [edited])[0]?.content).toEqual([
      { type: 'text', text: 'short', providerOptions: { openai: { phase: 'x' } } },
      { ...call('a', 'c'), providerOptions: { openai: { phase: 'x' } } },
    ])
  })

  test('a message that is changed loses the reasoning that OpenAI keeps, and the ids that tie the rest to it', () => {
    const tied = (itemId: string) => ({ providerOptions: { openai: { itemId } } })
    const parsed = aiSdk.parse([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', ...tied('rs_1') },
          { ...call('a', 'b'), ...tied('fc_1') },
          { ...call('b', 'c'), ...tied('fc_2') },
        ],
      },
    ])
    const [message] = parsed.messages as [Message]
    const shorter = { ...message, parts: message.parts.slice(0, -1) } as Message
    expect(write(parsed, [shorter])[0]?.content).toEqual([
      { ...call('a', 'b'), providerOptions: { openai: {} } },
    ])
  })

  test('reasoning goes with what it led to', () => {
    const signed = {
      type: 'reasoning',
      text: 'hm',
      providerOptions: { anthropic: { signature: 'c2ln' } },
    }
    const parsed = aiSdk.parse([
      { role: 'assistant', content: [{ type: 'text', text: 'x' }, signed, call('a', 'b')] },
    ])
    const [message] = parsed.messages as [Message]
    const shorter = { ...message, parts: message.parts.slice(0, -1) } as Message
    expect(write(parsed, [shorter])[0]?.content).toEqual([{ type: 'text', text: 'x' }])
  })

  test('results that precis adds join those that are there', () => {
    const oneResult = { ...results, parts: results.parts.slice(0, 1) } as Message
    const repaired = repairInvariants(
      withMessages(conversation, [system, user, calls, oneResult, answer, next]),
    )
    const written = write(conversation, repaired.messages)
    expect(written.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(written[3]?.content).toMatchObject([
      { toolCallId: 'call_1' },
      { toolCallId: 'call_2', toolName: 'read', output: { type: 'error-text' } },
    ])
  })

  test('a system prompt apart stays apart', () => {
    const body = { system: [{ role: 'system', content: 'a' }], messages: modelMessages.slice(1) }
    const parsed = aiSdk.parse(body)
    expect(parsed.messages[0]).toMatchObject({ role: 'system', parts: [{ text: 'a' }] })
    expect(aiSdk.serialize(withMessages(parsed, parsed.messages.slice(0, 2)))).toEqual({
      system: body.system,
      messages: [modelMessages[1]],
    })
  })
})

describe('parts of other formats', () => {
  const source = { type: 'base64', media_type: 'image/png', data: PIXEL }
  const text = { type: 'text', text: 'x' } as const
  const image = (native: unknown): Part => ({
    type: 'image',
    mediaType: 'image/png',
    bytes: 70,
    native,
  })

  test.each([
    ['Anthropic', { type: 'image', source }, PIXEL],
    ['a Claude Code session', { record: 1, index: 0, block: { type: 'image', source } }, PIXEL],
    [
      'Chat Completions',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      PIXEL,
    ],
    [
      'a reference',
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      'https://example.org/a.png',
    ],
    [
      'a Codex session',
      {
        ordinal: 3,
        index: 0,
        item: { content: [{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }] },
      },
      PIXEL,
    ],
    ['Gemini', { inlineData: { mimeType: 'image/png', data: PIXEL } }, PIXEL],
  ])('an image of %s becomes a file of an image type', (_, native, data) => {
    const message = { role: 'user', origin: 'user', parts: [text, image(native)] } as Message
    const [written] = write(aiSdk.parse([]), [message])
    expect(written?.content).toMatchObject([
      text,
      { type: 'file', data, mediaType: expect.stringMatching(/^image\//) },
    ])
  })

  test('an image in a result becomes an item of its output', () => {
    const output = [text, image({ type: 'image', source })]
    const part = { type: 'tool-result', callId: 'a', name: 'look', output, isError: false }
    const [written] = write(aiSdk.parse([]), [
      { role: 'tool', origin: 'environment', parts: [part] } as Message,
    ])
    expect(written?.content).toEqual([
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName: 'look',
        output: {
          type: 'content',
          value: [text, { type: 'image-data', data: PIXEL, mediaType: 'image/png' }],
        },
      },
    ])
  })

  test('an image without data says that it was there', () => {
    const message = { role: 'user', origin: 'user', parts: [image(undefined)] } as Message
    expect(write(aiSdk.parse([]), [message])[0]?.content).toEqual([
      { type: 'text', text: '[image image/png]' },
    ])
  })

  test('a string of JSON becomes the object that the SDK takes', () => {
    const parts = [{ type: 'tool-call', callId: 'a', name: 'read', input: '{"path":"b"}' }]
    const [written] = write(aiSdk.parse([]), [
      { role: 'assistant', origin: 'agent', parts } as Message,
    ])
    expect(written?.content).toEqual([call('a', 'b')])
  })

  test('signed reasoning of another format has no place, unsigned becomes reasoning', () => {
    const signed = {
      type: 'reasoning',
      text: 'a',
      signatureLength: 9,
      native: { type: 'thinking' },
    }
    const open = { type: 'reasoning', text: 'b', signatureLength: 0 }
    const [written] = write(aiSdk.parse([]), [
      { role: 'assistant', origin: 'agent', parts: [signed, open, text] } as Message,
    ])
    expect(written?.content).toEqual([{ type: 'reasoning', text: 'b' }, text])
  })
})

test('a list that could be any format is not claimed', () => {
  expect(detectFormat([{ role: 'user', content: 'x' }])).toBe('openai-chat')
  expect(detectFormat({ system: 's', messages: [{ role: 'user', content: 'x' }] })).toBe(
    'anthropic-messages',
  )
  expect(detectFormat({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] })).toBe(
    'ai-sdk',
  )
})
