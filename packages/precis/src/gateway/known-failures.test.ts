/**
 * Problems that users of other gateways reported. Each test shows that one does not happen here.
 */
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, openGateway, startUpstream } from './gateway.suite.ts'
import type { ActResult } from './gateway.ts'

const SIGNATURE = 'ErUBCkYIBxgCIkDn+8Zr/WUpJvTr0Zt9hCq4vXh1Q=='

/** Bodies with the spacing of agents, which parsing and writing would change. */
const BODIES: readonly (readonly [symptom: string, path: string, body: string])[] = [
  [
    'a stream that is wanted becomes an answer in one piece',
    '/v1/messages',
    '{"model":"m","stream":true, "tools":[{"name":"recall"}],"messages":[]}',
  ],
  [
    '"Stream must be set to true"',
    '/backend-api/codex/responses',
    '{"model":"m","stream":true,"store":false,"input":[]}',
  ],
  [
    'a block of a tool of the provider is damaged',
    '/v1/messages',
    '{"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"encrypted_content":"Eo8P"}]}]}]}',
  ],
  [
    'the prefix in the cache is lost, for JSON was written anew',
    '/v1/messages',
    '{"b": 1.0,\n "a" :1e2, "text":"\\u00e9\\/", "a": 2}',
  ],
  [
    'a cache of an hour becomes one of five minutes',
    '/v1/messages',
    '{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[]}',
  ],
  [
    'marks of what to cache are lost',
    '/v1/messages',
    '{"messages":[{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"text":"t","type":"text"}]}]}',
  ],
  [
    'signatures of thinking are changed',
    '/v1/messages',
    `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"${SIGNATURE}"},{"type":"redacted_thinking","data":"x+/="}]}]}`,
  ],
  [
    'a line for the bill in the system prompt moves',
    '/v1/messages',
    '{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1;"},{"type":"text","text":"You are"}],"messages":[]}',
  ],
  [
    'ciphertext of another issuer is changed',
    '/v1/responses',
    '{"input":[{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAAAB"},{"type":"reasoning","encrypted_content":"gAAAAAC","summary":[]}]}',
  ],
  [
    'members that nobody knows are dropped',
    '/v1/chat/completions',
    '{"messages":[],"x_unknown":{"deep":[null,1,"2"]},"reasoning_effort":"xhigh"}',
  ],
]

describe('a request', () => {
  test.each(BODIES)('never: %s', async (_, path, body) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url, { acts: { isDue: () => true } })
    await ask(`${url}${path}`, { body })
    expect(String(upstream.received[0]?.body)).toBe(body)
  })

  test.each<[string, string, Record<string, string>]>([
    [
      'a subscription of Claude',
      '/v1/messages',
      {
        authorization: 'Bearer sk-ant-oat01-a',
        'anthropic-beta': 'oauth-2025-04-20,claude-code-20250219',
      },
    ],
    ['a key and a token at once', '/v1/messages', { authorization: 'Bearer a', 'x-api-key': 'b' }],
    [
      'a login of ChatGPT',
      '/v1/responses',
      {
        authorization: 'Bearer eyJ',
        'chatgpt-account-id': 'acc',
        'openai-beta': 'responses=experimental',
      },
    ],
    ['a key of Google', '/v1beta/models/m:generateContent', { 'x-goog-api-key': 'k' }],
    [
      'a bearer of Amazon',
      '/model/anthropic.m/invoke',
      { authorization: 'Bearer bedrock-api-key-x' },
    ],
  ])('never: %s is replaced, or left out', async (_, path, headers) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    await ask(`${url}${path}`, { headers, body: '{}' })
    expect(upstream.received[0]?.headers).toMatchObject(headers)
  })

  test('never: a burst of an agent is queued, limited or refused', { tags: 'slow' }, async () => {
    let most = 0
    let open = 0
    const waiting: (() => void)[] = []
    const upstream = await startUpstream(async (_, response) => {
      most = Math.max(most, ++open)
      // All of them are open before the first one is answered.
      if (open < 300) await new Promise<void>((resolve) => void waiting.push(resolve))
      for (const resume of waiting.splice(0)) resume()
      response.end('{}')
    })
    const { url } = await openGateway(upstream.url)
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => ask(`${url}/v1/messages`, { body: '{}' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(most).toBe(300)
  })

  test('never: while one is compressed everybody waits, also who asks for /livez', async () => {
    let finish: (result: ActResult) => void = () => {}
    const decided = new Promise<ActResult>((resolve) => {
      finish = resolve
    })
    const upstream = await startUpstream((received, response) => response.end(received.body))
    const acts = {
      isDue: ({ body }: { readonly body: Uint8Array }) => String(Buffer.from(body)) === 'slow',
      decide: () => decided,
    }
    const { url } = await openGateway(upstream.url, { acts })
    const slow = ask(`${url}/v1/messages`, { body: 'slow' })
    expect((await ask(`${url}/livez`, { method: 'GET' })).status).toBe(200)
    expect(String((await ask(`${url}/v1/messages`, { body: 'quick' })).body)).toBe('quick')
    finish({ type: 'pass', reason: 'too-late' })
    // What took too long passes unchanged, with no status by the gateway.
    const { status, body } = await slow
    expect([status, String(body)]).toEqual([200, 'slow'])
  })
})

describe('an answer', () => {
  test('never: a stream is held back until it is whole', async () => {
    let finish = () => {}
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: message_start\ndata: {}\n\n')
      finish = () => response.end('event: message_stop\ndata: {}\n\n')
    })
    const { url } = await openGateway(upstream.url, { acts: { isDue: () => true } })
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
    request.end('{"stream":true}')
    const [response] = await once(request, 'response')
    const [first] = await once(response, 'data')
    expect(String(first)).toBe('event: message_start\ndata: {}\n\n')
    finish()
    const [second] = await once(response, 'data')
    expect(String(second)).toBe('event: message_stop\ndata: {}\n\n')
  })

  test('never: words by which an agent recovers are changed', async () => {
    const error =
      '{"type":"error","error":{"type":"invalid_request_error","message":"messages.3: `thinking` blocks cannot be modified"},"request_id":"req_1"}\n'
    const upstream = await startUpstream((_, response) => {
      response.writeHead(400, { 'request-id': 'req_1', 'x-should-retry': 'false' }).end(error)
    })
    const { url } = await openGateway(upstream.url, { acts: { isDue: () => true } })
    const { status, headers, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, headers['request-id'], headers['x-should-retry'], String(body)]).toEqual([
      400,
      'req_1',
      'false',
      error,
    ])
  })

  test('never: limits of the provider are hidden', async () => {
    const limits = {
      'retry-after': '30',
      'anthropic-ratelimit-unified-status': 'rejected',
      'x-codex-primary-used-percent': '99',
    }
    const upstream = await startUpstream((_, response) => response.writeHead(429, limits).end('{}'))
    const { url } = await openGateway(upstream.url)
    const { status, headers } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, headers]).toEqual([429, expect.objectContaining(limits)])
  })
})

test('never: a provider that was away stays away', async () => {
  const server = createServer((_, response) => void response.end('back'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { url } = await openGateway(`http://127.0.0.1:${port}`)
  const status = async () => (await ask(`${url}/v1/messages`, { body: '{}' })).status
  expect(await status()).toBe(200)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  expect(await status()).toBe(502)
  server.listen(port, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  expect(await status()).toBe(200)
})

test('never: a line for people says what was asked, or with which key', async () => {
  const notes: string[] = []
  const { url } = await openGateway('http://127.0.0.1:1', { note: (line) => notes.push(line) })
  const headers = { authorization: 'Bearer sk-secret', 'x-odd': 'secret' }
  await ask(`${url}/v1/messages?key=secret`, { headers, body: '{"secret": true}' })
  await ask(`${url}/v1/secret?key=secret`, { headers, body: 'secret', method: 'PUT' })
  expect(notes).toHaveLength(2)
  expect(notes.join('\n')).not.toContain('secret')
})
