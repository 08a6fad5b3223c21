import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message } from '../../conversation/message.ts'
import { readText } from '../../conversation/message.ts'
import { createSummaryMessage, isSummary } from '../../conversation/summary-message.ts'
import { readOutput, shortenResult, testFormat, withMessages } from '../shared/format.suite.ts'
import { anthropicMessages } from './anthropic-messages.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAHCAIAAABszKxQAAAADklEQVR42mNkYGBgYAAAAAUAAQ=='

const body = {
  model: 'claude-opus-4-8',
  max_tokens: 1024,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'read', input_schema: { type: 'object' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look at this', cache_control: { type: 'ephemeral' } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' },
        { type: 'redacted_thinking', data: 'b3BhcXVl' },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
        { type: 'text', text: 'I read two files.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a.ts' } },
        { type: 'tool_use', id: 'toolu_2', name: 'read', input: { path: 'b.ts' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'content of a' },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          content: [{ type: 'text', text: 'no b' }],
          is_error: true,
        },
        { type: 'text', text: '<system-reminder>be careful</system-reminder>' },
      ],
    },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks, next?' },
  ],
}
const compact = JSON.stringify(body)
const indented = `${JSON.stringify(body, null, 2)}\n`

testFormat(anthropicMessages, {
  documents: { 'a compact body': compact, 'an indented body': indented },
})

const parse = (value: object | string) => anthropicMessages.parse(value)
const write = (conversation: Conversation) =>
  anthropicMessages.serialize(conversation) as typeof body

describe('parse', () => {
  const conversation = parse(body)

  test('a record with results and text is two messages', () => {
    expect(conversation.messages.map(({ role, records }) => [role, records])).toEqual([
      ['system', []],
      ['user', [0]],
      ['assistant', [1]],
      ['tool', [2]],
      ['user', [2]],
      ['assistant', [3]],
      ['user', [4]],
    ])
  })

  test('only what the person typed is the word of the user', () => {
    expect(conversation.messages.map(({ origin }) => origin)).toEqual([
      'environment',
      'user',
      'agent',
      'environment',
      'synthetic',
      'agent',
      'user',
    ])
  })

  test('thinking is reasoning with the length of its signature, server tools are opaque', () => {
    const parts = conversation.messages[2]?.parts ?? []
    expect(parts.map(({ type }) => type)).toEqual([
      'reasoning',
      'reasoning',
      'opaque',
      'text',
      'tool-call',
      'tool-call',
    ])
    expect(parts[0]).toMatchObject({ text: 'hm', signatureLength: 8 })
    expect(parts[1]).toMatchObject({ text: '', signatureLength: 8 })
    expect(parts[2]).toMatchObject({ kind: 'server_tool_use' })
  })

  test('an image is measured by its header and the length of its base64', () => {
    expect(conversation.messages[1]?.parts[1]).toMatchObject({
      type: 'image',
      mediaType: 'image/png',
      width: 5,
      height: 7,
    })
  })

  test('a result knows the name of its tool and whether it failed', () => {
    expect(conversation.messages[3]?.parts).toMatchObject([
      { name: 'read', isError: false },
      { name: 'read', isError: true },
    ])
  })

  test('tools and model are taken over', () => {
    expect(conversation.tools).toEqual(['{"name":"read","input_schema":{"type":"object"}}'])
    expect(conversation.model).toBe('claude-opus-4-8')
  })

  test('a role of no provider is refused with its place', () => {
    expect(() => parse({ messages: [{ role: 'wizard', content: 'x' }] })).toThrow(
      /message 0 has role "wizard"/,
    )
  })

  test('blocks 100 000 levels deep are carried', () => {
    const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`
    const text = `{"messages":[{"role":"user","content":[{"type":"future","x":${deep}}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"x":${deep}}},{"type":"text","text":"y"}]}]}`
    const conversation = parse(text)
    expect(anthropicMessages.serialize(conversation)).toBe(text)
    const [first, second] = conversation.messages
    const changed: Message = {
      ...second!,
      role: 'assistant',
      parts: [{ type: 'text', text: 'z' }, ...second!.parts.slice(0, 1)],
    } as Message
    expect(
      readOutput(anthropicMessages.serialize(withMessages(conversation, [first!, changed]))),
    ).toContain(deep)
  })
})

describe('serialize', () => {
  test('a masked result changes its block; the reminder beside it is the same object', () => {
    const conversation = parse(body)
    const messages = conversation.messages.map(shortenResult)
    const { content } = write(withMessages(conversation, messages)).messages[2]!
    expect(content[0]).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: 'short',
    })
    expect(content[1]).toBe(body.messages[2]?.content[1])
    expect(content[2]).toBe(body.messages[2]?.content[2])
  })

  test('a result that is one block or any object counts, and goes out as it came', () => {
    for (const content of [{ type: 'text', text: 'content of a' }, { rows: ['content of a'] }]) {
      const result = { type: 'tool_result', tool_use_id: 'toolu_1', content }
      const conversation = parse({
        messages: [...body.messages.slice(0, 2), { role: 'user', content: [result] }],
      })
      const read = conversation.messages.at(-1)?.parts[0]
      expect(read?.type === 'tool-result' && read.output[0]).toMatchObject({
        text: expect.stringContaining('content of a'),
      })
      const marked = conversation.messages.map(
        (message): Message =>
          message.role === 'tool'
            ? { ...message, parts: message.parts.map((part) => ({ ...part, isError: true })) }
            : message,
      )
      const written = write(withMessages(conversation, marked)).messages.at(-1)?.content
      expect(written).toEqual([{ ...result, is_error: true }])
    }
  })

  test('a result without any output has none, whatever it was read from', () => {
    for (const content of ['text', [{ type: 'text', text: 'a' }], { type: 'text', text: 'a' }]) {
      const result = { type: 'tool_result', tool_use_id: 'toolu_1', content }
      const conversation = parse({
        messages: [...body.messages.slice(0, 2), { role: 'user', content: [result] }],
      })
      const emptied = conversation.messages.map(
        (message): Message =>
          message.role === 'tool'
            ? { ...message, parts: message.parts.map((part) => ({ ...part, output: [] })) }
            : message,
      )
      const [written] = write(withMessages(conversation, emptied)).messages.at(-1)?.content ?? []
      expect(written).toEqual({ ...result, content: Array.isArray(content) ? [] : '' })
    }
  })

  test('what is left of a record goes out alone', () => {
    const conversation = parse(body)
    const rest = conversation.messages.filter(({ role }) => role !== 'tool')
    expect(write(withMessages(conversation, rest)).messages[2]?.content).toEqual([
      body.messages[2]?.content[2],
    ])
  })

  test('a new result joins the record of its neighbour, before the text', () => {
    const conversation = parse({ messages: structuredClone(body.messages) })
    const broken = conversation.messages.map(
      (message): Message =>
        message.role === 'tool' ? { ...message, parts: message.parts.slice(0, 1) } : message,
    )
    const written = write(repairInvariants(withMessages(conversation, broken)))
    expect(written.messages[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'toolu_1' },
      { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true },
      { type: 'text' },
    ])
  })

  test('text before the results of its record is moved behind them by repair', () => {
    const [ask, calls, answer] = body.messages
    const content = Array.isArray(answer?.content) ? answer.content.toReversed() : []
    const messages = [ask, calls, { role: 'user', content }]
    const conversation = parse({ messages })
    const written = write(repairInvariants(conversation))
    expect(written.messages[2]?.content).toMatchObject([
      { type: 'tool_result' },
      { type: 'tool_result' },
      { type: 'text' },
    ])
  })

  test('a system prompt is edited where it lies, and left out when it is dropped', () => {
    const conversation = parse(body)
    const [system, ...rest] = conversation.messages
    const changed = { ...system!, parts: [{ type: 'text', text: 'Be long.' }] } as Message
    expect(write(withMessages(conversation, [changed, ...rest])).system).toEqual([
      { type: 'text', text: 'Be long.' },
    ])
    expect('system' in write(withMessages(conversation, rest))).toBe(false)
  })

  test('the bytes of a body around a summary are kept', () => {
    const conversation = parse(indented)
    const messages = [
      ...conversation.messages.slice(0, 1),
      createSummaryMessage('what was'),
      ...conversation.messages.slice(5),
    ]
    const text = readOutput(anthropicMessages.serialize(withMessages(conversation, messages)))
    const start = indented.indexOf('    {\n      "role": "assistant",\n      "content": "Done."')
    expect(text.startsWith(indented.slice(0, indented.indexOf('"messages"')))).toBe(true)
    expect(text.endsWith(indented.slice(start))).toBe(true)
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    const summary = parse(text).messages[1]
    expect(summary && isSummary(summary)).toBe(true)
  })

  test('numbers that JavaScript cannot hold survive beside an edit of the same message', () => {
    const text =
      '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"id":12345678901234567890, "f":1.0}},{"type":"text","text":"old"}]}]}'
    const conversation = parse(text)
    const [message] = conversation.messages
    const parts = message!.parts.map((part) =>
      part.type === 'text' ? { ...part, text: 'new' } : part,
    )
    const output = anthropicMessages.serialize(
      withMessages(conversation, [{ ...message, parts } as Message]),
    )
    expect(output).toBe(text.replace('"old"', '"new"'))
  })

  test('a bare list has no place for a system prompt, and says so', () => {
    const conversation = parse([{ role: 'user', content: 'x' }])
    const system: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 's' }],
    }
    expect(() => write(withMessages(conversation, [system, ...conversation.messages]))).toThrow(
      /no place for a system/,
    )
  })
})

const cline = '../shared/data/cline/cline-01.json'
test.skipIf(!existsSync(cline))(
  'a recorded Cline session is read (skipped without ../shared/data)',
  { tags: 'slow' },
  () => {
    const text = readFileSync(cline, 'utf8')
    const conversation = parse(text)
    expect(conversation.messages.length).toBeGreaterThan(30)
    expect(anthropicMessages.serialize(conversation)).toBe(text)
    const kept = conversation.messages.slice(4)
    const output = readOutput(anthropicMessages.serialize(withMessages(conversation, kept)))
    expect(text.endsWith(output.slice(output.indexOf('"messages": [\n') + 14))).toBe(true)
    expect(parse(output).messages.map(readText)).toEqual(kept.map(readText))
  },
)
