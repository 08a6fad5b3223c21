import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../../test/property-runs.ts'
import { apply } from '../../conversation/apply.ts'
import { findCutPoints } from '../../conversation/cut-points.ts'
import type { Message, Part } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { readOutput, testFormat } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { openaiResponses } from './openai-responses.ts'

const PNG = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAFCAYAAAC${'A'.repeat(40)}==`

const user = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
const answer = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  phase: 'commentary',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content: 'gAAA',
}
const call = (id: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  name: 'shell',
  arguments: '{"n": 1.0}',
  call_id: id,
})
const output = (id: string, text = 'done') => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
})
const request = {
  model: 'gpt-5',
  instructions: 'Be brief.',
  input: [
    user('go'),
    reasoning,
    answer('looking'),
    call('a'),
    call('b'),
    output('b'),
    output('a'),
    answer('found'),
  ],
  tools: [{ type: 'function', name: 'shell' }],
  store: false,
}
const spelled = `\ufeff{ "model":"gpt-5",\r\n  "input" : [ {"role":"user","content":"caf\\u00e9"},\r\n {"type":"reasoning","summary":[],"x":1.50} ] }\r\n`

const parts = (message: Message | undefined): readonly Part[] => message?.parts ?? []
const shape = (messages: readonly Message[]) =>
  messages.map((m) => `${m.role} ${m.parts.map((p) => p.type).join('+')}`)
const parse = (input: string | object) => openaiResponses.parse(input)
const written = (output: unknown): { input: Record<string, unknown>[] } =>
  JSON.parse(JSON.stringify(output))

testFormat(openaiResponses, {
  documents: {
    'a compact body': JSON.stringify(request),
    'an indented body': `${JSON.stringify(request, null, 2)}\n`,
    'a bare list': JSON.stringify(request.input),
  },
})

describe('openai-responses', () => {
  test('reads what the model gave in one go as one message', () => {
    const { messages, model, tools } = parse(request)
    expect(shape(messages)).toEqual([
      'system text',
      'user text',
      'assistant reasoning+text+tool-call+tool-call',
      'tool tool-result',
      'tool tool-result',
      'assistant text',
    ])
    expect(messages.map((message) => message.records)).toEqual([
      [],
      [0],
      [1, 2, 3, 4],
      [5],
      [6],
      [7],
    ])
    expect(parts(messages[2])[0]).toMatchObject({ text: 'hm', signatureLength: 4 })
    expect(parts(messages[2])[2]).toMatchObject({ name: 'shell', input: '{"n": 1.0}', callId: 'a' })
    expect(parts(messages[3])[0]).toMatchObject({ name: 'shell', callId: 'b', isError: false })
    expect(model).toBe('gpt-5')
    expect(tools).toEqual(['{"type":"function","name":"shell"}'])
  })

  test('gives text, bytes, a byte source and a native body back as they were', () => {
    const bytes = new TextEncoder().encode(spelled)
    expect(openaiResponses.serialize(parse(spelled))).toBe(spelled)
    expect(openaiResponses.serialize(parse(bytes))).toBe(bytes)
    expect(openaiResponses.serialize(parse(request))).toBe(request)
    const source = {
      byteLength: bytes.length,
      read: (start: number, end: number) => bytes.subarray(start, end),
    }
    const chunks = openaiResponses.serialize(parse(source))
    expect(
      Symbol.iterator in Object(chunks)
        ? Buffer.concat([...(chunks as Iterable<Uint8Array>)])
        : chunks,
    ).toEqual(Buffer.from(bytes))
  })

  test('keeps the bytes of untouched items around a summary', () => {
    const conversation = parse(spelled)
    const edited = apply(conversation, [
      { type: 'replace', start: 1, end: 1, messages: [createSummaryMessage('s')] },
    ])
    const text = readOutput(openaiResponses.serialize(edited))
    expect(text).toContain('{"role":"user","content":"caf\\u00e9"}')
    expect(text).toContain('{"type":"reasoning","summary":[],"x":1.50}')
    const again = parse(text)
    expect(again.messages.map(({ role, origin }) => `${role} ${origin}`)).toEqual([
      'user user',
      'assistant synthetic',
      'user synthetic',
      'assistant agent',
    ])
  })

  test('takes a text as one user message and gives a text back', () => {
    const conversation = parse({ model: 'gpt-5', input: 'hello' })
    expect(shape(conversation.messages)).toEqual(['user text'])
    expect(openaiResponses.serialize(conversation)).toEqual({ model: 'gpt-5', input: 'hello' })
    const longer = {
      ...conversation,
      messages: [createSummaryMessage('s'), ...conversation.messages],
    }
    expect(written(openaiResponses.serialize(longer)).input[1]).toEqual({
      type: 'message',
      role: 'user',
      content: 'hello',
    })
  })

  test('takes a bare list of items', () => {
    const items = [user('go'), answer('ok')]
    const conversation = parse(items)
    expect(openaiResponses.serialize(conversation)).toBe(items)
    expect(
      openaiResponses.serialize({ ...conversation, messages: conversation.messages.slice(1) }),
    ).toEqual([answer('ok')])
  })

  test('writes other instructions only when they were edited', () => {
    const conversation = parse(request)
    const [system, ...rest] = conversation.messages
    const edited = {
      ...conversation,
      messages: [{ ...system, parts: [{ type: 'text', text: 'Be kind.' }] } as Message, ...rest],
    }
    expect(openaiResponses.serialize(edited)).toEqual({ ...request, instructions: 'Be kind.' })
  })

  test('unties a call from reasoning that was removed', () => {
    const conversation = parse(request)
    const messages = conversation.messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, parts: message.parts.filter(({ type }) => type !== 'reasoning') }
        : message,
    )
    const { input } = written(openaiResponses.serialize({ ...conversation, messages }))
    expect(input.map((item) => item.id)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'msg_1',
    ])
    expect(input[2]).toEqual({
      type: 'function_call',
      name: 'shell',
      arguments: '{"n": 1.0}',
      call_id: 'a',
    })
  })

  test.each(['a', 0])('changes nothing but the output of a shortened result of %j', (id) => {
    const items = [
      { ...call('a'), call_id: id },
      { type: 'function_call_output', status: 'completed', call_id: id, output: 'long', extra: 1 },
    ]
    const conversation = parse(items)
    const messages = conversation.messages.map((message) =>
      message.role === 'tool'
        ? {
            ...message,
            parts: message.parts.map(
              (part) => ({ ...part, output: [{ type: 'text', text: '…' }] }) as typeof part,
            ),
          }
        : message,
    )
    expect(openaiResponses.serialize({ ...conversation, messages })).toEqual([
      items[0],
      { ...items[1], output: '…' },
    ])
  })

  test('answers a call in the kind of the call', () => {
    const items = [
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'p' },
    ]
    const conversation = parse(items)
    const stub: Message = {
      role: 'tool',
      origin: 'synthetic',
      parts: [
        {
          type: 'tool-result',
          callId: 'p',
          output: [{ type: 'text', text: 'cleared' }],
          isError: false,
        },
      ],
    }
    const edited = { ...conversation, messages: [...conversation.messages, stub] }
    expect(openaiResponses.serialize(edited)).toEqual([
      ...items,
      { type: 'custom_tool_call_output', call_id: 'p', output: 'cleared' },
    ])
  })

  test('carries pictures, files, refusals and kinds it does not know', () => {
    const items = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: PNG },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'hologram', data: 1 },
      { type: 'compaction', encrypted_content: 'xyz' },
      { type: 'local_shell_call', call_id: 'l', action: { type: 'exec', command: ['ls'] } },
      {
        type: 'local_shell_call_output',
        call_id: 'l',
        output: '{"output":"x","metadata":{"exit_code":2}}',
      },
      { role: 'assistant', content: [] },
    ]
    const conversation = parse(items)
    expect(shape(conversation.messages)).toEqual([
      'user text+image',
      'user file',
      'assistant opaque+opaque+opaque',
      'assistant opaque',
      'assistant tool-call',
      'tool tool-result',
      'assistant opaque',
    ])
    expect(parts(conversation.messages[0])[1]).toMatchObject({
      mediaType: 'image/png',
      width: 10,
      height: 5,
    })
    expect(parts(conversation.messages[1])[0]).toMatchObject({
      mediaType: 'application/pdf',
      bytes: 3,
    })
    expect(parts(conversation.messages[5])[0]).toMatchObject({ isError: true, name: 'local_shell' })
    const reversed = { ...conversation, messages: [...conversation.messages] }
    expect(openaiResponses.serialize(reversed)).toEqual(items)
  })

  test('reads an empty compaction as an item of its answer, so reasoning stays with its call', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'ls', arguments: '{}' }
    const around = (compaction: object) => shape(parse([reasoning, compaction, call]).messages)
    expect(around({ type: 'compaction', encrypted_content: '' })).toEqual([
      'assistant reasoning+opaque+tool-call',
    ])
    expect(around({ type: 'compaction', encrypted_content: 'xyz' })).toHaveLength(3)
  })

  test('writes a message of another document from its own item', () => {
    const first = parse([user('first')])
    const second = parse([user('second')])
    const joined = { ...first, messages: [...first.messages, ...second.messages] }
    expect(openaiResponses.serialize(joined)).toEqual([user('first'), user('second')])
  })

  test('keeps nesting deeper than the stack', () => {
    const deep = `[{"type":"hologram","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}]`
    expect(openaiResponses.serialize(parse(deep))).toBe(deep)
  })

  test('refuses an item that is no object and a conversation of another format', () => {
    expect(() => parse('{"input":[1]}')).toThrow(FormatError)
    expect(() => parse('{"messages":[]}')).toThrow(FormatError)
    expect(() =>
      openaiResponses.serialize({ ...parse(request), document: { format: 'codex' } }),
    ).toThrow(FormatError)
  })

  test('knows its own documents', () => {
    expect(openaiResponses.detect(request)).toBeGreaterThan(0.8)
    expect(openaiResponses.detect(JSON.stringify(request))).toBeGreaterThan(0.8)
    expect(openaiResponses.detect([user('x')])).toBeGreaterThan(0.5)
    expect(openaiResponses.detect({ messages: [{ role: 'user', content: 'x' }] })).toBe(0)
    expect(openaiResponses.detect([{ role: 'user', content: 'x' }])).toBe(0)
    expect(openaiResponses.detect('{"type":"session_meta","payload":{}}\n{"type":"x"}\n')).toBe(0)
  })
})

const text = fc.string({ maxLength: 12 })
const id = fc.constantFrom('a', 'b', 'c')
const item = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    role: fc.constantFrom('user', 'assistant', 'developer'),
    content: text,
  }),
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.array(
      fc.record({ type: fc.constantFrom('input_text', 'refusal', 'input_image'), text }),
      {
        maxLength: 3,
      },
    ),
  }),
  fc.record({
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ text })),
    encrypted_content: text,
  }),
  fc.record({ type: fc.constant('function_call'), call_id: id, name: text, arguments: text }),
  fc.record({
    type: fc.constantFrom('function_call_output', 'computer_call_output'),
    call_id: id,
    output: fc.anything(),
  }),
  fc.record({ type: text, call_id: fc.anything(), content: fc.anything() }),
)
const items = fc
  .array(item, { maxLength: 12 })
  .map((list): Record<string, unknown>[] => JSON.parse(JSON.stringify(list)))

describe('items of the Responses API', () => {
  test('any items come back from their messages, one by one, also when the messages are copies', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(items, (list) => {
        const conversation = openaiResponses.parse(list)
        const copies = conversation.messages.map(
          (message) => ({ ...message, parts: [...message.parts] }) as Message,
        )
        expect(openaiResponses.serialize({ ...conversation, messages: copies })).toEqual(list)
      }),
      { numRuns: runs(300) },
    )
  })

  test('a legal cut drops the items of its messages and no others', { tags: 'property' }, () => {
    fc.assert(
      fc.property(items, fc.nat(), (list, at) => {
        const conversation = openaiResponses.parse(list)
        const cuts = findCutPoints(conversation.messages)
        const cut = cuts.nearestCut(at % (conversation.messages.length + 1), 'backward') ?? 0
        const kept = apply(conversation, [{ type: 'drop', start: 0, end: cut }])
        // If the cut makes an answer the first message, precis writes a request before it.
        const messages = kept.messages.filter(({ records }) => records !== undefined)
        const records = messages.flatMap((message) => message.records ?? [])
        expect(openaiResponses.serialize({ ...kept, messages })).toEqual(
          records.map((record) => list[record]),
        )
      }),
      { numRuns: runs(300) },
    )
  })
})
