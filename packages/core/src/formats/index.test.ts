import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { detectFormat, FormatError, formats } from './index.ts'

const turn = (content: unknown, role = 'user') => ({ role, content })

describe('formats', () => {
  test('each is listed under its own name', () => {
    for (const [name, format] of Object.entries(formats)) expect(format.name).toBe(name)
  })
})

describe('detectFormat', () => {
  test.each([
    ['anthropic-messages', { max_tokens: 1, system: 's', messages: [turn('x')] }],
    ['anthropic-messages', { model: 'claude-opus-4-8', messages: [turn('x')] }],
    ['anthropic-messages', [turn('x'), turn([{ type: 'tool_use', id: 'a', name: 'n', input: {} }], 'assistant')]],
    ['anthropic-messages', { tools: [{ name: 'n', input_schema: {} }], messages: [turn('x')] }],
    ['openai-chat', { messages: [turn('s', 'system'), turn('x')] }],
    ['openai-chat', [turn('x'), { role: 'assistant', content: null, tool_calls: [] }]],
    ['openai-chat', [turn('x'), turn('y', 'assistant')]],
    ['openai-chat', { tools: [{ type: 'function', function: { name: 'n' } }], messages: [turn('x')] }],
    ['openai-responses', { model: 'gpt-5', input: [{ type: 'message', role: 'user', content: 'x' }] }],
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

  test('looks at the beginning only, however long the document', () => {
    const long = 'x'.repeat(1 << 20)
    expect(detectFormat(`{"system":"s","messages":[{"role":"user","content":"${long}"}],"contents":[]}`)).toBe(
      'anthropic-messages',
    )
    expect(detectFormat(`{"messages":[{"role":"system","content":"s"},{"content":"${long}","role":"user"}]}`)).toBe(
      'openai-chat',
    )
  })

  test.each([
    ['empty', '', /empty/],
    ['empty', ' \n ', /empty/],
    ['binary', new Uint8Array([0x1f, 0x8b, 0, 0, 0xff]), /no UTF-8/],
    ['unknown-format', 'hello', /found no JSON/],
    ['unknown-format', '{"a":1,"b":2}', /JSON object with "a", "b"/],
    ['unknown-format', '[]', /holds no messages/],
    ['unknown-format', '[1,2,3]', /holds no messages/],
    ['unknown-format', '{"messages":[{"role":"wizard","content":"x"}]}', /"messages"/],
    ['unknown-format', '[{"id":"1","role":"user","parts":[{"type":"text","text":"x"}]}]', /UI messages/],
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
  cline: 'anthropic-messages',
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

describe.skipIf(recorded.length === 0)('recorded sessions (skipped without ../shared/data)', () => {
  test.each(recorded)('%s/%s is known for what it is', (folder, name) => {
    const bytes = new Uint8Array(readFileSync(`${data}/${folder}/${name}`))
    if (KNOWN[folder]) expect(detectFormat(bytes)).toBe(KNOWN[folder])
    else expect(() => detectFormat(bytes)).toThrow(LOOKS_LIKE[folder])
  })
})

function catchError(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
