import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { createHome } from '../cli/command.suite.ts'
import {
  createClaudeModel,
  createCodexModel,
  createGeminiModel,
  createOpencodeModel,
  createTurn,
} from './agent-models.suite.ts'
import { ask } from './gateway.suite.ts'
import {
  type Peer,
  type SentRequest,
  type ServedGateway,
  send,
  startPeer,
  startServed,
} from './served.suite.ts'

let upstream: Peer
let gateway: ServedGateway
beforeAll(async () => {
  upstream = await startPeer()
  gateway = await startServed({
    home: createHome(),
    upstream: upstream.url,
    words: ['--window', '500k'],
  })
})
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

async function expectPassed(request: SentRequest): Promise<void> {
  const before = upstream.received.length
  const answer = await send(gateway, request)
  expect(answer.headers['x-precis-act']).toBeUndefined()
  expect(answer.status).toBe(200)
  const got = upstream.received.slice(before)
  expect(got.map(({ body }) => body.equals(request.body))).toEqual([true])
}

const models = [
  createClaudeModel({ session: 'any' }),
  createCodexModel({ session: 'any' }, 'trigger'),
  createCodexModel({ session: 'any' }, 'prompt'),
  createGeminiModel({}),
  createOpencodeModel({ session: 'any' }, 'openai-chat'),
]
for (const model of models) for (const step of [0, 1]) model.add(createTurn(step))
const compactions = models.flatMap((model) =>
  model.listCompactions().map((create) => create('<state_snapshot>\nno\n</state_snapshot>')),
)
// Each mark makes the gateway parse the request, but none is as an agent sends it.
const MARKS = Buffer.from(
  '"compaction_trigger" CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. You are a context summarization agent.',
)
const paths = fc.constantFrom(
  '/v1/messages',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/responses/compact',
  '/v1beta/models/m:generateContent',
)
const headersOf = fc.constantFrom(...compactions.map(({ headers }) => headers))

describe('a request that is none of an agent passes byte for byte, and the gateway stands', () => {
  test('whatever bytes it is made of', { tags: 'property' }, async () => {
    const bytes = fc.uint8Array({ maxLength: 3000 })
    await fc.assert(
      fc.asyncProperty(paths, headersOf, bytes, bytes, (path, headers, before, after) =>
        expectPassed({ path, headers, body: Buffer.concat([before, MARKS, after]) }),
      ),
    )
  })

  test('whatever JSON it is made of', { tags: 'property' }, async () => {
    const names = [
      'messages',
      'input',
      'contents',
      'system',
      'instructions',
      'tools',
      'stream',
      'model',
      'request',
      '__proto__',
    ]
    const value = fc.jsonValue({ maxDepth: 6 })
    const members = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(paths, headersOf, members, (path, headers, list) => {
        // Names may occur twice.
        const text = list.map(
          ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`,
        )
        return expectPassed({
          path,
          headers,
          body: Buffer.from(`{${[...text, `"x":${JSON.stringify(String(MARKS))}`].join(',')}}`),
        })
      }),
    )
  })

  test('however it differs from what an agent sends', { tags: 'property' }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...compactions),
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        async (request, at, bytes) => {
          const before = upstream.received.length
          const whole = Buffer.from(request.body)
          const place = at % whole.length
          const body = Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place)])
          const answer = await send(gateway, { ...request, body })
          expect(answer.status).toBe(200)
          // Bytes inside a text of the conversation must not change the kind of a request.
          if (answer.headers['x-precis-act'] === 'answer') return
          expect(upstream.received.slice(before).map((one) => one.body)).toEqual([body])
        },
      ),
    )
  })

  test.each(
    casesOf<[string, (mark: string) => string]>(
      [
        [
          'half a character',
          (mark: string) => `{"messages":[{"role":"user","content":"\\ud83d"}],"x":"${mark}"}`,
        ],
        ['cut short', (mark: string) => `{"messages":[{"role":"user","content":"${mark}`],
        [
          'nested a million deep',
          (mark: string) =>
            `{"messages":${'['.repeat(500_000)}${']'.repeat(500_000)},"x":"${mark}"}`,
        ],
        [
          'a list of a hundred thousand',
          (mark: string) =>
            `{"model":"m","messages":[${'{"role":"user","content":"a"},'.repeat(100_000)}{}],"x":"${mark}"}`,
        ],
      ],
      2,
    ),
  )('such as one that is %s', { tags: 'property' }, async (_, create) => {
    const body = Buffer.from(create('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'))
    for (const path of ['/v1/messages', '/v1/chat/completions'])
      await expectPassed({ path, headers: { 'x-api-key': 'a' }, body })
    expect((await ask(`${gateway.url}/readyz`, { method: 'GET' })).status).toBe(200)
  })
})
