import { createTokenCounter, findModel, findOverflow } from '@precis/core'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { casesOf } from '../../../../test/property-runs.ts'
import { createHome } from '../cli/command.suite.ts'
import {
  type AgentModel,
  createClaudeModel,
  createCodexModel,
  createGeminiModel,
  createOpencodeModel,
  createTurn,
  FIRST,
} from './agent-models.suite.ts'
import { type SentRequest, type ServedGateway, send, startServed } from './served.suite.ts'

const WINDOW = 12_000
const MODELS = [
  ['anthropic-messages', (session: string) => createClaudeModel({ session })],
  ['openai-responses', (session: string) => createCodexModel({ session }, 'trigger')],
  ['gemini-contents', (session: string) => createGeminiModel({ credential: session })],
  ['openai-chat', (session: string) => createOpencodeModel({ session }, 'openai-chat')],
] as const

let home: string
let upstream: FakeUpstream
let gateway: ServedGateway
const start = (words: readonly string[]) => startServed({ home, upstream: upstream.url, words })

async function ask(request: SentRequest, served = gateway) {
  const before = upstream.requests.length
  const answer = await send(served, request)
  return { answer, got: upstream.requests.slice(before).map(({ raw }) => raw) }
}

const newest = (got: readonly string[]) => got.at(-1) ?? 'nothing'

/** The list of messages as bytes, except its end. */
function cutList(body: string): string {
  const list = /"(?:messages|input|contents)":\[/.exec(body)
  if (!list) throw new Error(`no list in ${body.slice(0, 100)}`)
  const end = body.lastIndexOf(']')
  return body.slice(list.index, end)
}

/** Asks for an answer in one piece, because an error then has its status. */
const whole = (request: SentRequest): SentRequest => ({
  ...request,
  body: Buffer.from(String(request.body).replace('"stream":true', '"stream":false')),
})

/** Adds more text than fits in any window, in a part that no compression changes. */
function withInstructions(request: SentRequest): SentRequest {
  const body: unknown = JSON.parse(String(request.body))
  const text = 'You do as you are told. '.repeat(WINDOW)
  const instructions = {
    system: text,
    instructions: text,
    systemInstruction: { parts: [{ text }] },
    tools: [{ type: 'function', name: 'a', function: { name: 'a', description: text } }],
  }
  const given = Object.entries(instructions).filter(([name]) => name in Object(body))
  return {
    ...request,
    body: Buffer.from(JSON.stringify({ ...Object(body), ...Object.fromEntries(given) })),
  }
}

function addTurns(model: AgentModel, from: number, to: number): void {
  for (let step = from; step < to; step++) model.add(createTurn(step))
}

describe('a window that was given', () => {
  beforeAll(async () => {
    home = createHome()
    upstream = await startFakeUpstream()
    gateway = await start(['--window', String(WINDOW)])
  })
  afterAll(async () => {
    await gateway.end()
    await upstream.close()
  })

  test('a request over it is made to fit once, and begins the same ever after: over a kill, and in a second instance', {
    tags: 'slow',
  }, async () => {
    const sessions = MODELS.map(([api, create]) => {
      const model = create(`sticky-${api}`)
      addTurns(model, 0, 8)
      const small = model.ask('Go on.')
      addTurns(model, 8, 24)
      return { api, model, small, large: model.ask('Now this.'), sent: '' }
    })
    for (const session of sessions) {
      const { api, small, large } = session
      expect((await ask(small)).got).toEqual([String(small.body)])
      const { answer, got } = await ask(large)
      expect(answer.headers['x-precis-act']).toBe('guard')
      session.sent = newest(got)
      expect(session.sent.length).toBeLessThan(4 * WINDOW)
      expect(session.sent).toContain(FIRST)
      expect(checkInvariants(formats[api].parse(JSON.parse(session.sent)))).toEqual([])
    }
    const second = await start(['--window', String(WINDOW)])
    await gateway.end('SIGKILL')
    gateway = await start(['--window', String(WINDOW)])
    for (const { model, small, large, sent } of sessions) {
      expect(newest((await ask(large, second)).got)).toBe(sent)
      expect(newest((await ask(large)).got)).toBe(sent)
      const onward = await ask(model.askOn({ ...createTurn(24), words: 'Now this.' }))
      expect(cutList(newest(onward.got)).startsWith(cutList(sent))).toBe(true)
      // After the user went back to before it, the request is as the client wrote it.
      expect((await ask(small)).got).toEqual([String(small.body)])
      expect(newest((await ask(large, second)).got)).toBe(sent)
    }
    await second.end()
  })

  describe.each(casesOf(MODELS))('%s', { tags: 'property' }, (api, create) => {
    test('requests side by side get the same bytes', async () => {
      const model = create(`beside-${api}`)
      addTurns(model, 0, 24)
      const request = model.ask('Now this.')
      const before = upstream.requests.length
      await Promise.all(Array.from({ length: 6 }, () => send(gateway, request)))
      const bodies = upstream.requests.slice(before).map(({ raw }) => raw)
      expect(bodies).toHaveLength(6)
      expect(new Set(bodies).size).toBe(1)
      expect(newest(bodies).length).toBeLessThan(4 * WINDOW)
    })

    test('a fork has the same beginning, and its own end', { tags: 'slow' }, async () => {
      const model = create(`fork-${api}`)
      addTurns(model, 0, 24)
      const sent = newest((await ask(model.ask('Now this.'))).got)
      const fork = newest((await ask(model.ask('Rather that.'))).got)
      expect(fork.replace('Rather that.', 'Now this.')).toBe(sent)
      addTurns(model, 24, 26)
      const onward = newest((await ask(model.ask('On with both.'))).got)
      expect(onward).toContain(FIRST)
    })

    test('what cannot fit is refused in the words of the provider, which never hears of it', async () => {
      const { answer, got } = await ask(withInstructions(create(`huge-${api}`).ask('Now this.')))
      expect(got).toEqual([])
      expect(answer.status).toBe(400)
      const text = String(answer.body)
      expect(findOverflow({ status: 400, body: text })).toMatchObject({
        of: 'tokens',
        limitTokens: WINDOW,
      })
      if (api === 'openai-chat' || api === 'openai-responses')
        expect(text).toContain('context_length_exceeded')
    })
  })

  test('what an act does not touch keeps its bytes: marks for the cache, signatures, unknown members, odd numbers', async () => {
    const turns = Array.from({ length: 24 }, (_, step) => {
      const { output, said } = createTurn(step)
      const marked = `{"type":"text","text":"${JSON.stringify(output).slice(1, -1)}" , "cache_control" : {"ttl":"1h","type":"ephemeral"}}`
      const user = `{"role":"user","content":[${step % 12 === 0 ? marked : JSON.stringify({ type: 'text', text: output })}]}`
      const signed = `{"type":"thinking","thinking":"\\u0041h","signature":"Eq+/${step}==","later":1.50e1}`
      return [
        user,
        `{"content":[${signed},{"type":"text","text":"${said}"}],"role":"assistant" , "x":[ ] }`,
      ]
    }).flat()
    const head =
      '{"model":"claude-opus-4-5","max_tokens":100,"beta_thing":{"b":2,"a":1.0}, "messages" : ['
    const body = `${head}${[...turns, '{"role":"user","content":"Now this."}'].join(' ,')}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`
    const headers = { 'x-api-key': 'bytes', 'anthropic-version': '2023-06-01' }
    const { answer, got } = await ask({ path: '/v1/messages', headers, body: Buffer.from(body) })
    expect(answer.headers['x-precis-act']).toBe('guard')
    const sent = newest(got)
    expect(sent.startsWith(head)).toBe(true)
    expect(sent.endsWith(body.slice(body.lastIndexOf(']') - 90))).toBe(true)
    const list = sent.slice(head.length)
    for (const message of turns.filter((turn) => list.includes(turn.slice(40, 140))))
      expect(list).toContain(message)
    expect(turns.filter((turn) => list.includes(turn)).length).toBeGreaterThan(1)
    expect(checkInvariants(formats['anthropic-messages'].parse(JSON.parse(sent)))).toEqual([])
  })
})

describe('a window that the provider says', () => {
  const LIMIT = 9_000
  beforeAll(async () => {
    home = createHome()
    upstream = await startFakeUpstream(undefined, { windowTokens: LIMIT })
    gateway = await start([])
  })
  afterAll(async () => {
    await gateway.end()
    await upstream.close()
  })

  test('is heeded at once, and ever after, over a kill', { tags: 'slow' }, async () => {
    const sessions = MODELS.map(([api, create]) => {
      const model = create(`said-${api}`)
      addTurns(model, 0, 24)
      return { model, request: whole(model.ask('Now this.')), sent: '' }
    })
    for (const session of sessions) {
      const { request } = session
      const { answer, got } = await ask(request)
      expect(answer.status).toBe(200)
      expect(answer.headers['x-precis-act']).toBe('guard')
      expect(got).toHaveLength(2)
      expect(got[0]).toBe(String(request.body))
      session.sent = newest(got)
      expect(session.sent).toContain(FIRST)
      // After that, the upstream need not refuse it again.
      expect((await ask(request)).got).toEqual([session.sent])
    }
    await gateway.end('SIGKILL')
    gateway = await start([])
    for (const { model, request, sent } of sessions) {
      const onward = await ask(whole(model.askOn({ ...createTurn(24), words: 'Now this.' })))
      expect(onward.got).toHaveLength(1)
      expect(cutList(newest(onward.got)).startsWith(cutList(sent))).toBe(true)
      expect((await ask(request)).got).toEqual([sent])
    }
  })

  test.each(casesOf(MODELS))(
    'is told to the client in its own words where nothing can fit: %s',
    { tags: 'property' },
    async (api, create) => {
      const request = withInstructions(create(`told-${api}`).ask('Now this.'))
      const { answer, got } = await ask(request)
      expect(got).toEqual([String(request.body)])
      expect(answer.headers['x-precis-act']).toBeUndefined()
      expect(String(answer.body)).toMatch(
        /context_length_exceeded|prompt is too long|exceeds the maximum number of tokens/,
      )
    },
  )

  test('is heeded by the next request where an answer had begun', { tags: 'slow' }, async () => {
    const model = createCodexModel({ session: 'begun', credential: 'begun' }, 'trigger')
    addTurns(model, 0, 24)
    const request = model.ask('Now this.')
    const { answer, got } = await ask(request)
    expect(got).toEqual([String(request.body)])
    expect(String(answer.body)).toContain('context_length_exceeded')
    const again = await ask(request)
    expect(again.answer.headers['x-precis-act']).toBe('guard')
    expect(upstream.requests.at(-1)?.isOverflow).toBe(false)
  })
})

test('what is known of a model alone changes no request that might fit', {
  tags: 'slow',
}, async () => {
  home = createHome()
  upstream = await startFakeUpstream()
  gateway = await start([])
  const counter = createTokenCounter(findModel('claude-opus-4-5'))
  const count = ({ body }: SentRequest) =>
    counter.countConversation(formats['anthropic-messages'].parse(JSON.parse(String(body))))
  const model = createClaudeModel({ session: 'might' })
  addTurns(model, 0, 250)
  for (let step = 250; count(model.ask('Now this.')).upper < 205_000; step += 10)
    addTurns(model, step, step + 10)
  const request = model.ask('Now this.')
  expect(count(request).lower).toBeLessThan(200_000)
  expect((await ask(request)).got).toEqual([String(request.body)])
  await gateway.end()
  await upstream.close()
})
