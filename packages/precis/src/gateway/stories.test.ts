/** Problems that other gateways caused for their users. Each is a test here, or in another file. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHome } from '../cli/command.suite.ts'
import { createClaudeModel, createCodexModel, createTurn, FIRST } from './agent-models.suite.ts'
import type { Received } from './gateway.suite.ts'
import {
  type Peer,
  readMetric,
  type SentRequest,
  type ServedGateway,
  send,
  startPeer,
  startServed,
} from './served.suite.ts'

const EVENTS =
  'event: ping\ndata: {"type": "ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
let upstream: Peer
let gateway: ServedGateway
beforeAll(async () => {
  upstream = await startPeer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(EVENTS)
  })
  gateway = await startServed({
    home: createHome(),
    upstream: upstream.url,
    words: ['--window', '8000'],
  })
})
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

function newest(): Received {
  const [got] = upstream.received.slice(-1)
  if (!got) throw new Error('the upstream got nothing')
  return got
}

async function sendOne(request: SentRequest) {
  const answer = await send(gateway, request)
  return { answer, got: newest() }
}

/** A request that does not fit, in a session of its own. */
function createLarge(
  session: string,
  change: (text: string) => string = (text) => text,
): SentRequest {
  const model = createClaudeModel({ session })
  for (let step = 0; step < 20; step++) model.add(createTurn(step))
  const request = model.ask('Now this.')
  return { ...request, body: Buffer.from(change(String(request.body))) }
}

const cutList = (body: Buffer) => {
  const text = String(body)
  return text.slice(text.indexOf('"messages":['), text.lastIndexOf(']'))
}

describe('the client', () => {
  test('1, gets an empty answer with status 200: a stream was asked for and "stream" turned off', {
    tags: 'slow',
  }, async () => {
    const { answer, got } = await sendOne(createLarge('one'))
    expect(answer.headers['x-precis-act']).toBe('guard')
    expect(String(got.body)).toContain('"stream":true')
    expect(String(answer.body)).toBe(EVENTS)
  })

  test('2, 15, is told "Stream must be set to true", or 401, behind a ChatGPT login', async () => {
    const request = createCodexModel({ session: 'two' }, 'trigger').ask('Go on.')
    const headers = {
      ...request.headers,
      authorization: 'Bearer a.b.c',
      'chatgpt-account-id': 'account',
    }
    const { got } = await sendOne({ ...request, headers })
    expect(got.body).toEqual(request.body)
    expect(got.headers).toMatchObject({
      authorization: 'Bearer a.b.c',
      'chatgpt-account-id': 'account',
    })
    expect(got.url).toBe('/backend-api/codex/responses')
  })

  test('10, 12, is turned away by a queue, a rate limit or a limit of size that no provider has', {
    tags: 'slow',
  }, async () => {
    const requests = Array.from({ length: 100 }, (_, index) =>
      createClaudeModel({ session: `ten-${index}` }).ask('Go on.'),
    )
    const answers = await Promise.all(requests.map((request) => send(gateway, request)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const body = Buffer.alloc(20 << 20, ' ')
    body.write('{"model":"m","messages":[]}')
    const { answer, got } = await sendOne({
      path: '/v1/messages',
      headers: { 'x-api-key': 'key-a' },
      body,
    })
    expect([answer.status, body.equals(got.body)]).toEqual([200, true])
  })

  test('14, sees "Context low": tokens are counted of another history than the one that is sent', {
    tags: 'slow',
  }, async () => {
    const large = createLarge('fourteen')
    const { got } = await sendOne(large)
    const { got: counted } = await sendOne({ ...large, path: '/v1/messages/count_tokens' })
    expect(counted.url).toBe('/v1/messages/count_tokens')
    expect(cutList(counted.body)).toBe(cutList(got.body))
  })

  test('17, loses its login: the key of a server takes its place, or half of a beta is lost', async () => {
    const { 'x-api-key': _, ...headers } = createLarge('seventeen').headers
    const own = {
      authorization: 'Bearer sk-ant-oat01-mine',
      'anthropic-beta': 'oauth-2025-04-20,x',
      'anthropic-later': '1',
    }
    const { got } = await sendOne({ ...createLarge('seventeen'), headers: { ...headers, ...own } })
    expect(got.headers).toMatchObject(own)
    expect(got.headers['x-api-key']).toBeUndefined()
  })

  test('25, cannot see whether anything was done', async () => {
    const before = await readMetric(gateway, 'precis_act_tokens_total{act="guard",when="before"}')
    const { answer } = await sendOne(createLarge('twentyfive'))
    expect(answer.headers['x-precis-act']).toBe('guard')
    expect(Number(answer.headers['x-precis-tokens-before'])).toBeGreaterThan(
      Number(answer.headers['x-precis-tokens-after']),
    )
    await expect
      .poll(() => readMetric(gateway, 'precis_act_tokens_total{act="guard",when="before"}'))
      .toBeGreaterThan(before)
  })
})

describe('the bill', () => {
  test('3, grows: blocks of tools that the server runs come back broken', async () => {
    const blocks =
      '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query" : "q"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"Eo8+/=="}]}'
    const said = JSON.stringify(createTurn(19).said)
    const large = createLarge('three', (text) =>
      text.replace(`{"type":"text","text":${said}}`, `${blocks},{"type":"text","text":${said}}`),
    )
    expect(String(large.body)).toContain(blocks)
    const { answer, got } = await sendOne(large)
    expect(answer.headers['x-precis-act']).toBe('guard')
    expect(String(got.body)).toContain(blocks)
  })

  test('4, grows: a request in which nothing is done is written anew, and its prefix with it', async () => {
    const turns: string[] = []
    for (let turn = 0; turn < 18; turn++) {
      turns.push(
        `{ "role":"user", "content": "caf\\u00e9 ${turn} \\/ 1.0" }`,
        '{"content":"ok" ,"role":"assistant"}',
      )
      const list = [...turns, '{"role":"user","content":"on"}'].join(' , ')
      const body = Buffer.from(
        `{"messages" : [${list}],\n "model":"claude-opus-4-5", "temperature":1.0}`,
      )
      const { got } = await sendOne({
        path: '/v1/messages',
        headers: { 'x-api-key': 'key-a' },
        body,
      })
      expect(got.body).toEqual(body)
    }
  })

  test.each([
    [
      '6, grows: reminders of the system make it another session',
      'You are Claude Code.',
      'You are Claude Code. It is 10:41.',
    ],
    [
      '21, grows: a line in the system prompt that is new with every request',
      'You are Claude Code.',
      'x-billing: cch=1f',
    ],
    ['6, grows: another tool does', '"description":"Runs"', '"description":"Runs, or not"'],
  ])('%s', async (name, before, after) => {
    const session = name.replaceAll(/\W/g, '')
    const { got: first } = await sendOne(createLarge(session))
    const { got: second } = await sendOne(
      createLarge(session, (text) => text.replace(before, after)),
    )
    expect(String(second.body)).toContain(after)
    expect(cutList(second.body)).toBe(cutList(first.body))
    expect(String(second.body)).toContain(FIRST)
  })

  test('13, grows: a compaction is followed by the next one', async () => {
    const model = createClaudeModel({ session: 'thirteen' })
    for (let step = 0; step < 12; step++) model.add(createTurn(step))
    const request = model.listCompactions()[0]?.('')
    if (!request) throw new Error('nothing is asked')
    const answer = await send(gateway, request)
    model.goOn(await model.read(answer))
    const next = model.ask('Go on.')
    const { answer: passed, got } = await sendOne(next)
    expect(passed.headers['x-precis-act']).toBeUndefined()
    expect(got.body).toEqual(next.body)
    expect(next.body.length).toBeLessThan(request.body.length / 3)
  })
})

// The file has a test with this name.
const elsewhere: readonly (readonly [number, string, string, string])[] = [
  [
    5,
    'bytes that were sent change behind the back of the cache',
    'guard',
    'begins the same ever after',
  ],
  [
    7,
    'an hour in the cache becomes five minutes',
    'guard',
    'what an act does not touch keeps its bytes: marks for the cache',
  ],
  [8, 'probes stall while something is compressed', 'apart', 'the act goes on without it'],
  [
    9,
    'the first request takes ten minutes',
    'apart',
    'the act goes on without it, and nothing else waits',
  ],
  [11, 'one time-out, and nothing is done for ever after', 'apart', 'begins anew'],
  [
    15,
    'the doctor is green while every request gets 401',
    '../cli/doctor',
    'a provider that fails, or that cannot be reached, is wrong',
  ],
  [
    15,
    'a WebSocket is refused',
    'relay-websocket',
    'has the headers and the protocol of its client',
  ],
  [16, 'Codex gets no item, two, or one that is none', 'answers', "['Codex, by a trigger'"],
  [
    18,
    'a stream is held back until it ends',
    'relay',
    'comes event by event: each is here before the next one is sent',
  ],
  [
    19,
    'marks for the cache are lost, or written by the gateway',
    'guard',
    'what an act does not touch keeps its bytes: marks for the cache',
  ],
  [
    20,
    'signatures of thinking do not hold any more',
    'guard',
    'signatures, unknown members, odd numbers',
  ],
  [22, 'two gateways in a chain act twice', 'exchange', 'act once'],
  // No tool is added or run. What a server streams meanwhile passes event by event, including
  // pings.
  [23, 'a search of the provider hangs', 'relay', 'pings and the head among them'],
  [
    24,
    'what one process knows another one does not',
    'crowd',
    'one knows what the other wrote, and what it was told',
  ],
  // If no gateway is running, "precis wrap" starts one only for its agent.
  [
    26,
    'the gateway is down, and so is the agent',
    '../cli/wrap',
    'starts the agent with its requests going through',
  ],
]

test.each(elsewhere)('%i, %s: the test of it is there', (_, __, file, name) => {
  expect(readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8')).toContain(name)
})
