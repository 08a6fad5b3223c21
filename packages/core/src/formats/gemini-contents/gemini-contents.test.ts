import { describe, expect, test } from 'vitest'
import { checkInvariants, repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { testFormat, withMessages } from '../shared/format.suite.ts'
import { geminiContents } from './gemini-contents.ts'

const body = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }] }, { googleSearch: {} }],
  contents: [
    {
      role: 'user',
      parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { functionCall: { name: 'read', args: { path: 'a.ts' } }, thoughtSignature: 'c2ln' },
        { functionCall: { name: 'read', args: { path: 'b.ts' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'read', response: { output: 'content of a' } } },
        { functionResponse: { name: 'read', response: { error: 'no b' } } },
      ],
    },
    {
      role: 'model',
      parts: [
        { executableCode: { code: '1' } },
        { text: 'Fine.', thoughtSignature: 'c2ln' },
        { text: '', thoughtSignature: 'c2ln' },
      ],
    },
    { role: 'user', parts: [{ text: 'Next?' }] },
  ],
  generationConfig: { temperature: 1.0 },
}

testFormat(geminiContents, {
  documents: {
    'a compact body': JSON.stringify(body),
    'an indented body': `${JSON.stringify(body, null, 2)}\n`,
    'a bare list': JSON.stringify(body.contents),
  },
})

const parse = (value: object | string) => geminiContents.parse(value)
const write = (conversation: Conversation, messages: readonly Message[]) =>
  geminiContents.serialize(withMessages(conversation, messages)) as typeof body

describe('parse', () => {
  const conversation = parse(body)
  const [system, user, calls, results, answer] = conversation.messages

  test('the system instruction lies apart, tools are one text per function', () => {
    expect(system).toMatchObject({ role: 'system', records: [] })
    expect(conversation.tools).toEqual([
      '{"name":"read"}',
      '{"name":"write"}',
      '{"googleSearch":{}}',
    ])
  })

  test('responses without ids answer the calls of their name in order', () => {
    expect(checkInvariants(conversation)).toEqual([])
    const ids = [calls, results].map((message) =>
      message?.parts.flatMap((part) => ('callId' in part ? [part.callId] : [])),
    )
    expect(ids[0]).toEqual(ids[1])
    expect(results?.parts).toMatchObject([
      { output: [{ text: 'content of a' }], isError: false },
      { output: [{ text: 'no b' }], isError: true },
    ])
  })

  test('responses with ids answer the calls of their ids in any order', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      {
        role: 'model',
        parts: ['1', '2'].map((id) => ({ functionCall: { id, name: 'f', args: {} } })),
      },
      {
        role: 'function',
        parts: ['2', '1'].map((id) => ({ functionResponse: { id, name: 'f', response: {} } })),
      },
    ]
    expect(checkInvariants(parse(contents))).toEqual([])
    expect(parse(contents).messages[2]?.parts).toMatchObject([{ callId: '2' }, { callId: '1' }])
  })

  test('thoughts and bare signatures are reasoning, code is opaque, media are measured', () => {
    expect(user?.parts[1]).toMatchObject({ type: 'image', mediaType: 'image/png', bytes: 3 })
    expect(calls?.parts[0]).toMatchObject({ type: 'reasoning', text: 'hm' })
    expect(answer?.parts.map(({ type }) => type)).toEqual(['opaque', 'text', 'reasoning'])
  })

  test('the spelling with underscores is read', () => {
    const { messages } = parse({
      system_instruction: { parts: [{ text: 's' }] },
      contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] }],
    })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(messages[1]?.parts[0]).toMatchObject({ type: 'image', bytes: 3 })
  })
})

describe('serialize', () => {
  const conversation = parse(body)
  const [system, user, calls, results, answer, next] = conversation.messages as [
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
  ]

  test('a masked response keeps its shape, its neighbour is the same object', () => {
    const [first, second] = results.parts
    const masked = {
      ...results,
      parts: [{ ...first, output: [{ type: 'text', text: '…' }] }, second],
    } as Message
    const { parts } = write(conversation, [system, user, calls, masked, answer, next]).contents[2]!
    expect(parts[0]).toEqual({ functionResponse: { name: 'read', response: { output: '…' } } })
    expect(parts[1]).toBe(body.contents[2]?.parts[1])
  })

  test('a changed text loses its signature, an untouched call keeps it', () => {
    const [thought, first] = calls.parts
    const changed = {
      ...answer,
      parts: answer.parts.map((part) => (part.type === 'text' ? { ...part, text: '!' } : part)),
    }
    const fewer = { ...calls, parts: [thought, first] } as Message
    const { contents } = write(conversation, [user, fewer, changed as Message])
    expect(contents[1]?.parts[1]).toBe(body.contents[1]?.parts[1])
    expect(contents[2]?.parts[1]).toEqual({ text: '!' })
  })

  test('a repaired call without an id gets its response in the same content, without an invented id', () => {
    const broken = [
      user,
      calls,
      { ...results, parts: results.parts.slice(0, 1) } as Message,
      answer,
    ]
    const repaired = repairInvariants(withMessages(conversation, broken))
    const { parts } = write(conversation, repaired.messages).contents[2]!
    expect(parts).toHaveLength(2)
    expect(parts[1]).toMatchObject({ functionResponse: { name: 'read' } })
    expect(JSON.stringify(parts)).not.toContain('"id"')
  })

  test('results in two contents are joined by repair into one', () => {
    const call = { functionCall: { name: 'f', args: {} } }
    const response = { functionResponse: { name: 'f', response: { output: '1' } } }
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [call, call] },
      { role: 'user', parts: [response] },
      { role: 'user', parts: [response, { text: 'steer' }] },
    ]
    const repaired = repairInvariants(parse(contents))
    expect(geminiContents.serialize(repaired)).toEqual([
      contents[0],
      contents[1],
      { role: 'user', parts: [response, response] },
      { role: 'user', parts: [{ text: 'steer' }] },
    ])
  })

  test.each([
    [{ id: 'a' }, {}],
    [{}, { id: 'a' }],
  ])('a call and a result of which one lacks the id are a pair', (ofCall, ofResponse) => {
    const parsed = parse([
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [{ functionCall: { ...ofCall, name: 'f', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { ...ofResponse, name: 'f', response: { output: '' } } }],
      },
    ])
    expect(repairInvariants(parsed)).toBe(parsed)
  })

  test('neighbours that repair joined are one content', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [{ text: 'first' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '' } } }] },
    ]
    const repaired = repairInvariants(parse(contents))
    expect(geminiContents.serialize(repaired)).toEqual([
      contents[0],
      { role: 'model', parts: [...contents[1]!.parts, ...contents[2]!.parts] },
      contents[3],
    ])
  })

  test('a summary is a content of the user, and a new system prompt goes apart', () => {
    const prompt: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'New.' }],
    }
    const written = write(conversation, [prompt, createSummaryMessage('x'), next])
    expect(written.systemInstruction).toEqual({ parts: [{ text: 'New.' }] })
    expect(written.contents[0]).toMatchObject({ role: 'user' })
    expect(written.contents[1]).toBe(body.contents[4])
  })
})
