import type { ApiName } from '@precis/core/apis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { readApiRequest } from './api-request.ts'

function read(text: string, api: ApiName = 'anthropic-messages', path = '/v1/messages') {
  return readApiRequest(Buffer.from(text), { api, path, model: undefined })
}

const ODD = `{ "model" : "claude-x", "big": 12345678901234567890.10, "messages":[
  {"role":"user","content":"caf\\u00e9 \\ud83d\\ude00", "n": 1.0 } ,
  {"role":"assistant","content":[{"type":"text","text":"}],{[\\"","cache_control":{"type":"ephemeral","ttl":"1h"}}]},
  {"role":"user","content":"go on"}
 ], "stream":true,"unknown":{"a":[1,2]} }`

describe('the body of a request', () => {
  test('stays byte for byte where nothing of it is replaced', () => {
    const body = read(ODD)
    expect(Buffer.from(body?.replaceMessages(body.request.messages) ?? []).toString()).toBe(ODD)
  })

  test('keeps the bytes of every message that stays, and all around the list', () => {
    const body = read(ODD)
    const [first, , last] = body?.request.messages ?? []
    const summary = { role: 'assistant', content: 'shorter' }
    const text = Buffer.from(
      body?.replaceMessages([first, summary, last].filter((one) => one !== undefined)) ?? [],
    ).toString()
    expect(text).toContain('"big": 12345678901234567890.10')
    expect(text).toContain(
      '{"role":"user","content":"caf\\u00e9 \\ud83d\\ude00", "n": 1.0 },{"role":"assistant","content":"shorter"},{"role"',
    )
    expect(text.endsWith('], "stream":true,"unknown":{"a":[1,2]} }')).toBe(true)
  })

  test.each<[string, ApiName, string, object, number, boolean]>([
    [
      'Chat Completions',
      'openai-chat',
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'a' }] },
      1,
      false,
    ],
    [
      'Responses',
      'openai-responses',
      '/v1/responses',
      { model: 'm', stream: true, input: [{ role: 'user', content: 'a' }] },
      1,
      true,
    ],
    [
      'Gemini',
      'gemini-contents',
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
      1,
      true,
    ],
    [
      'the internal API of Gemini',
      'gemini-contents',
      '/v1internal:generateContent',
      { model: 'm', request: { contents: [{ role: 'user', parts: [{ text: 'a' }] }] } },
      1,
      false,
    ],
  ])('of %s is read', (_, api, path, value, count, isStreamed) => {
    const body = read(JSON.stringify(value), api, path)
    expect(body?.request.messages).toHaveLength(count)
    expect(body?.isStreamed).toBe(isStreamed)
    const added = { role: 'user', added: true }
    const written = body?.replaceMessages([...body.request.messages, added])
    const end = JSON.stringify(value).lastIndexOf(']')
    expect(Buffer.from(written ?? []).toString()).toBe(
      `${JSON.stringify(value).slice(0, end)},${JSON.stringify(added)}${JSON.stringify(value).slice(end)}`,
    )
  })

  test.each([
    ['no JSON', '{"messages":['],
    ['a list', '[]'],
    ['no list of messages', '{"messages":"a"}'],
    ['a list of other things', '{"messages":["a"]}'],
    ['a list of nothing', '{"messages":[]}'],
  ])('is not read where it is %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  test('loses no message and no byte, whatever they hold', { tags: 'property' }, () => {
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.jsonValue(),
    })
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 8 }),
        fc.jsonValue(),
        fc.nat(),
        (messages, other, cut) => {
          const text = JSON.stringify({ other, messages, model: 'm', after: other })
          const body = read(text)
          const given = body?.request.messages ?? []
          expect(Buffer.from(body?.replaceMessages(given) ?? []).toString()).toBe(text)
          const rest = given.slice(cut % given.length)
          const shorter = JSON.stringify({
            other,
            messages: messages.slice(cut % given.length),
            model: 'm',
            after: other,
          })
          expect(Buffer.from(body?.replaceMessages(rest) ?? []).toString()).toBe(shorter)
          expect(Buffer.from(body?.cutMessages() ?? []).toString()).toBe(
            JSON.stringify({ messages }),
          )
        },
      ),
      { numRuns: runs(200) },
    )
  })
})
