import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { type Message, renderPart } from '../conversation/message.ts'
import { detectFormat, FormatError, formats } from './index.ts'
import { readOutput } from './shared/format.suite.ts'
import { createNewSession } from './shared/new-session.suite.ts'

const turn = (content: unknown, role = 'user') => ({ role, content })

test('what is no message is named with its article', () => {
  const parse = (record: unknown) => () => formats['anthropic-messages'].parse([record])
  expect(parse(['x'])).toThrow('message 0 has a list')
  expect(parse(5)).toThrow('message 0 has a number')
})

describe('formats', () => {
  test('each is listed under its own name', () => {
    for (const [name, format] of Object.entries(formats)) expect(format.name).toBe(name)
  })
})

describe('detectFormat', () => {
  test('reads the beginning of a document once for all formats', () => {
    const bytes = new TextEncoder().encode(
      '{"type":"user","parentUuid":null,"isSidechain":false}\n',
    )
    let reads = 0
    const read = (start: number, end: number) => {
      reads++
      return bytes.subarray(start, end)
    }
    expect(detectFormat({ byteLength: bytes.length, read })).toBe('claude-code')
    expect(reads).toBe(1)
  })

  test.each([
    ['anthropic-messages', { max_tokens: 1, system: 's', messages: [turn('x')] }],
    ['anthropic-messages', { model: 'claude-opus-4-8', messages: [turn('x')] }],
    [
      'anthropic-messages',
      [turn('x'), turn([{ type: 'tool_use', id: 'a', name: 'n', input: {} }], 'assistant')],
    ],
    ['anthropic-messages', { tools: [{ name: 'n', input_schema: {} }], messages: [turn('x')] }],
    ['openai-chat', { messages: [turn('s', 'system'), turn('x')] }],
    ['openai-chat', [turn('x'), { role: 'assistant', content: null, tool_calls: [] }]],
    ['openai-chat', [turn('x'), turn('y', 'assistant')]],
    [
      'openai-chat',
      { tools: [{ type: 'function', function: { name: 'n' } }], messages: [turn('x')] },
    ],
    [
      'openai-responses',
      { model: 'gpt-5', input: [{ type: 'message', role: 'user', content: 'x' }] },
    ],
    ['openai-responses', { model: 'gpt-5', input: 'x', instructions: 'y' }],
    ['gemini-contents', { contents: [{ role: 'user', parts: [{ text: 'x' }] }] }],
    [
      'gemini-contents',
      [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ text: 'y' }] },
      ],
    ],
  ])('finds %s in %j, as a value and as text', (name, body) => {
    expect(detectFormat(body)).toBe(name)
    expect(detectFormat(JSON.stringify(body))).toBe(name)
    expect(detectFormat(new TextEncoder().encode(JSON.stringify(body, null, 2)))).toBe(name)
  })

  const call = { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'a.ts' }
  const seen = { type: 'input_image', image_url: 'data:image/png;base64,aaaa' }
  const anthropicCall = { type: 'tool_use', id: 'a', name: 'n', input: {} }
  const human = { type: 'human', content: 'x' }

  test.each([
    ['openai-responses', [turn('x'), call, output]],
    ['openai-responses', [turn('s', 'system'), turn('x'), call, output, turn('y', 'assistant')]],
    ['openai-responses', [turn('s', 'developer'), turn([{ type: 'input_text', text: 'x' }])]],
    ['openai-responses', [turn('x'), turn([seen]), turn('y', 'assistant')]],
    [
      'openai-responses',
      [turn('x'), turn([{ type: 'output_text', text: 'y', annotations: [] }], 'assistant')],
    ],
    ['openai-responses', [turn('x'), { ...turn('y'), type: 'message' }]],
    [
      'openai-responses',
      [turn('x'), { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'e' }, call],
    ],
    ['openai-responses', [turn('x'), { id: 'msg_abc123' }, turn('y')]],
    ['openai-responses', [{ type: 'item_reference', id: 'msg_abc123' }, turn('y')]],
    [
      'openai-responses',
      [turn('x'), { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 's', tools: [] }],
    ],
    ['openai-responses', [turn('x'), { id: 'ws_1', type: 'web_search_call', status: 'completed' }]],
    ['openai-responses', [turn([{ type: 'text', text: 'x' }]), call, output]],
    ['openai-responses', [...Array.from({ length: 50 }, () => turn('x')), call, output]],
    ['openai-chat', [turn('s', 'developer'), turn('x')]],
    [
      'openai-chat',
      [turn([{ type: 'input_audio', input_audio: { data: 'aaaa', format: 'wav' } }])],
    ],
    ['openai-chat', [turn('x'), { role: 'assistant', content: 'y', tool_calls: [] }, turn([seen])]],
    ['openai-chat', []],
    [
      'anthropic-messages',
      [...Array.from({ length: 50 }, () => turn('x')), turn([anthropicCall], 'assistant')],
    ],
    [
      'anthropic-messages',
      [turn('x'), turn([{ type: 'web_search_tool_result', content: [] }], 'assistant')],
    ],
    [
      'anthropic-messages',
      [turn('x'), { ...turn([anthropicCall], 'assistant'), type: 'message', stop_reason: 'x' }],
    ],
    ['langchain', [{ type: 'system', content: 's' }, human, { type: 'ai', content: 'y' }]],
    [
      'langchain',
      [turn('x'), { type: 'ai', content: 'y' }, { type: 'tool', content: 'z', tool_call_id: 'c' }],
    ],
    ['gemini-contents', [{ role: 'user', parts: [{ text: 'x' }] }, { role: 'model' }]],
    [
      'ai-sdk',
      [
        turn('x'),
        turn([{ type: 'tool-call', toolCallId: 'c', toolName: 'ls', input: {} }], 'assistant'),
      ],
    ],
  ])('finds %s in the bare list %j, as a value and as text', (name, list) => {
    expect(detectFormat(list)).toBe(name)
    expect(detectFormat(JSON.stringify(list))).toBe(name)
    expect(detectFormat(new TextEncoder().encode(JSON.stringify(list, null, 2)))).toBe(name)
    const { [detectFormat(list)]: format } = formats
    expect(format.serialize(format.parse(list))).toBe(list)
  })

  test('looks at all of it where the beginning is plain text', () => {
    const plain = Array.from({ length: 100 }, () => turn('x'.repeat(5000)))
    expect(detectFormat(JSON.stringify([...plain, call, output]))).toBe('openai-responses')
    expect(detectFormat(JSON.stringify([...plain, turn([anthropicCall], 'assistant')]))).toBe(
      'anthropic-messages',
    )
    expect(detectFormat(JSON.stringify(plain))).toBe('openai-chat')
    expect(
      detectFormat(JSON.stringify([turn([{ ...seen, image_url: 'a'.repeat(1 << 19) }])])),
    ).toBe('openai-responses')
  })

  test('a type of which no text can be made is no type', () => {
    const list = [turn([{ type: { toString: 1 }, text: 'x' }]), call]
    expect(detectFormat(list)).toBe('openai-responses')
    expect(detectFormat(list.slice(0, 1))).toBe('openai-chat')
  })

  test('looks at the beginning only, however long the document', () => {
    const long = 'x'.repeat(1 << 20)
    expect(
      detectFormat(`{"system":"s","messages":[{"role":"user","content":"${long}"}],"contents":[]}`),
    ).toBe('anthropic-messages')
    expect(
      detectFormat(
        `{"messages":[{"role":"system","content":"s"},{"content":"${long}","role":"user"}]}`,
      ),
    ).toBe('openai-chat')
  })

  test.each([
    ['empty', '', /empty/],
    ['empty', ' \n ', /empty/],
    ['binary', new Uint8Array([0x1f, 0x8b, 0, 0, 0xff]), /no UTF-8/],
    ['unknown-format', 'hello', /found no JSON/],
    ['unknown-format', '{"a":1,"b":2}', /JSON object with "a", "b"/],
    ['unknown-format', '[1,2,3]', /holds no messages/],
    ['unknown-format', '{"messages":[{"role":"wizard","content":"x"}]}', /"messages"/],
    [
      'unknown-format',
      '[{"id":"1","role":"user","parts":[{"type":"text","text":"x"}]}]',
      /UI messages/,
    ],
    ['unknown-format', '{"type":"thing"}\n{"type":"thing"}\n', /first entry is of type "thing"/],
  ])('refuses as %s: %j', (code, input, reason) => {
    const refusal = catchError(() => detectFormat(input))
    expect(refusal).toBeInstanceOf(FormatError)
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(reason) })
  })
})

const data = '../shared/data'
const KNOWN: Readonly<Record<string, string>> = {
  'claude-code': 'claude-code',
  codex: 'codex',
  'openai-chat': 'openai-chat',
  cline: 'cline',
  'gemini-cli': 'gemini-cli',
  pi: 'pi',
}
const LOOKS_LIKE: Readonly<Record<string, RegExp>> = {
  openhands: /an OpenHands trajectory/,
  'swe-agent': /a SWE-agent trajectory/,
}
const recorded = [...Object.keys(KNOWN), ...Object.keys(LOOKS_LIKE)]
  .filter((folder) => existsSync(`${data}/${folder}`))
  .flatMap((folder) => readdirSync(`${data}/${folder}`).map((name) => [folder, name] as const))

describe.skipIf(recorded.length === 0)(
  'recorded sessions (skipped without ../shared/data)',
  { tags: 'slow' },
  () => {
    test.each(recorded)('%s/%s is known for what it is', (folder, name) => {
      const bytes = new Uint8Array(readFileSync(`${data}/${folder}/${name}`))
      if (KNOWN[folder]) expect(detectFormat(bytes)).toBe(KNOWN[folder])
      else expect(() => detectFormat(bytes)).toThrow(LOOKS_LIKE[folder])
    })

    test.each(recorded.filter(([folder]) => folder === 'gemini-cli' || folder === 'pi'))(
      '%s/%s comes out as it went in, and half of it is read back as what was written',
      (folder, name) => {
        const format = formats[folder as 'gemini-cli' | 'pi']
        const bytes = new Uint8Array(readFileSync(`${data}/${folder}/${name}`))
        const conversation = format.parse(bytes)
        expect(format.serialize(conversation)).toEqual(bytes)
        expect(checkInvariants(conversation)).toEqual([])
        const middle = conversation.messages.length >> 1
        const start = conversation.messages.findIndex(
          ({ role }, at) => role === 'user' && at >= middle,
        )
        const messages = conversation.messages.slice(Math.max(0, start))
        const written = format.serialize({ ...conversation, messages }, createNewSession(format))
        // Outputs and their records are new, and Gemini CLI's ids too.
        const describeParts = ({ parts }: Message) =>
          parts.map((part) => [
            renderPart(part),
            folder === 'pi' && { ...part, native: undefined, output: undefined },
          ])
        expect(format.parse(readOutput(written)).messages.map(describeParts)).toEqual(
          messages.map(describeParts),
        )
      },
    )
  },
)

function catchError(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
