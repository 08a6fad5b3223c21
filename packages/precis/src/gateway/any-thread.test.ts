import { findOverflow } from '@precis/core'
import { createMemoryStore } from '@precis/core/following'
import { describe, expect, test } from 'vitest'
import { anthropicMessages } from '../../../../test/fake-upstream/anthropic-messages.ts'
import { geminiContents } from '../../../../test/fake-upstream/gemini-contents.ts'
import { openaiChat } from '../../../../test/fake-upstream/openai-chat.ts'
import { openaiResponses } from '../../../../test/fake-upstream/openai-responses.ts'
import type { Wire } from '../../../../test/fake-upstream/wire.ts'
import { casesOf } from '../../../../test/property-runs.ts'
import { createActHost } from './act-host.ts'
import {
  createClaudeModel,
  createCodexModel,
  createGeminiModel,
  createOpencodeModel,
  createTurn,
} from './agent-models.suite.ts'
import { readApiRequest } from './api-request.ts'
import type { ActRequest } from './gateway.ts'
import type { SentRequest } from './served.suite.ts'
import { RequestShortener } from './shorten-request.ts'

const OWNER = { id: 'a'.repeat(64), session: 'any', agent: undefined }
const THREADS = [0, 1] as const
type Thread = (typeof THREADS)[number]

interface UpstreamOptions {
  readonly limitTokens: number
  /** Tokens of a body, as the upstream counts them. */
  readonly count: (body: string) => number
}

/** What an upstream gets if either of two threads may handle the requests. */
function openThreads(api: ActRequest['api'], wire: Wire, { limitTokens, count }: UpstreamOptions) {
  const store = createMemoryStore()
  const note = (text: string) => expect.fail(text)
  const threads = THREADS.map(
    () => new RequestShortener(createActHost({ archive: undefined, store, note })),
  )
  const decide = async (thread: Thread, request: ActRequest) => {
    const body = readApiRequest(request.body, request) ?? expect.fail('no request')
    const result = await threads[thread]?.shorten(request, body, false)
    return result?.type === 'replace' ? Buffer.from(result.body) : undefined
  }
  return async ({ path, body }: SentRequest, first: Thread, second: Thread = first) => {
    const model = wire.findModel(path, JSON.parse(String(body)))
    const from = { api, purpose: 'generate', path, model, headers: {} } as const
    const request = { ...from, body, owner: OWNER, windowTokens: undefined }
    const replaced = await decide(first, request)
    const sent = String(replaced ?? body)
    const tokens = count(sent)
    if (tokens <= limitTokens) return [sent]
    const answer = wire.writeOverflow(tokens, limitTokens)
    const overflow = findOverflow(answer) ?? expect.fail('no overflow')
    const again = await decide(second, { ...request, overflow, refused: replaced })
    return [sent, String(again ?? body)]
  }
}

const MODELS = [
  ['anthropic-messages', anthropicMessages, () => createClaudeModel({ session: 'any' })],
  ['openai-responses', openaiResponses, () => createCodexModel({ session: 'any' }, 'trigger')],
  ['gemini-contents', geminiContents, () => createGeminiModel({ credential: 'any' })],
  ['openai-chat', openaiChat, () => createOpencodeModel({ session: 'any' }, 'openai-chat')],
] as const
const COUNTS = [
  ['less than is counted here', 9_000, (body: string) => Math.ceil(body.length / 4)],
  ['far more than is counted here', 30_000, (body: string) => body.length],
] as const
const ORDERS = THREADS.flatMap((first) => THREADS.map((second) => [first, second] as const))

describe.each(casesOf(MODELS))('%s', { tags: 'property' }, (api, wire, create) => {
  test.each(COUNTS)(
    'has the same bytes whichever threads take a request and its refusal, where the provider counts %s',
    async (_, limitTokens, count) => {
      const model = create()
      for (let step = 0; step < 24; step++) model.add(createTurn(step))
      const request = model.ask('Now this.')
      const onward = model.askOn({ ...createTurn(24), words: 'Now this.' })
      const ends = new Set<string>()
      for (const [first, second] of ORDERS) {
        const ask = openThreads(api, wire, { limitTokens, count })
        const [refused, sent = ''] = await ask(request, first, second)
        expect(refused).toBe(String(request.body))
        expect(count(sent)).toBeLessThanOrEqual(limitTokens)
        for (const thread of [...THREADS, ...THREADS])
          expect(await ask(request, thread)).toEqual([sent])
        const [next = ''] = await ask(onward, second)
        for (const thread of THREADS) {
          expect(await ask(onward, thread)).toEqual([next])
          expect(await ask(request, thread)).toEqual([sent])
        }
        ends.add(next)
      }
      expect(ends.size).toBe(1)
    },
  )
})
