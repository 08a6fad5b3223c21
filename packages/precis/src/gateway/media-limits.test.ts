import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeAnswer } from '../../../../test/fake-upstream/fake-model.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { createHome } from '../cli/command.suite.ts'
import { type SentRequest, type ServedGateway, send, startServed } from './served.suite.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const MOST_OF_SMALL_SERVER = 5

let upstream: FakeUpstream
let gateway: ServedGateway
const countImages = (raw: string) => raw.split(PNG).length - 1

beforeAll(async () => {
  const refuse = (raw: string): FakeAnswer =>
    countImages(raw) > MOST_OF_SMALL_SERVER
      ? {
          status: 400,
          error: {
            message: `At most ${MOST_OF_SMALL_SERVER} image(s) may be provided in one request.`,
          },
        }
      : {}
  upstream = await startFakeUpstream(({ protocol, raw }) =>
    protocol === 'openai-chat' ? refuse(raw) : {},
  )
  gateway = await startServed({ home: createHome(), upstream: upstream.url })
})
afterAll(async () => {
  await gateway.end()
  await upstream.close()
})

async function ask(request: SentRequest) {
  const before = upstream.requests.length
  const answer = await send(gateway, request)
  return { answer, got: upstream.requests.slice(before).map(({ raw }) => raw) }
}

const headers = {
  'content-type': 'application/json',
  'x-api-key': 'key',
  authorization: 'Bearer key',
}

function createClaudeRequest(images: number): SentRequest {
  const messages = Array.from({ length: images }, (_, index) => [
    {
      role: 'user',
      content: [
        { type: 'text', text: `Look at page ${index}.` },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      ],
    },
    { role: 'assistant', content: `Page ${index} seen.` },
  ]).flat()
  const body = {
    model: 'claude-opus-4-5',
    max_tokens: 100,
    messages: [...messages, { role: 'user', content: 'Report.' }],
  }
  return { path: '/v1/messages', headers, body: Buffer.from(JSON.stringify(body)) }
}

function createChatRequest(images: number): SentRequest {
  const messages = Array.from({ length: images }, (_, index) => [
    {
      role: 'user',
      content: [
        { type: 'text', text: `Look at page ${index}.` },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    },
    { role: 'assistant', content: `Page ${index} seen.` },
  ]).flat()
  const body = {
    model: 'my-own-model',
    messages: [...messages, { role: 'user', content: 'Report.' }],
  }
  return { path: '/v1/chat/completions', headers, body: Buffer.from(JSON.stringify(body)) }
}

describe('images of a request', () => {
  test('as many as the provider takes pass byte for byte', { tags: 'slow' }, async () => {
    const request = createClaudeRequest(100)
    expect((await ask(request)).got).toEqual([String(request.body)])
  })

  test('too many are fewer before the provider sees them, with every word, and the same bytes ever after', {
    tags: 'slow',
  }, async () => {
    const request = createClaudeRequest(107)
    const { answer, got } = await ask(request)
    expect(answer.headers['x-precis-act']).toBe('guard')
    expect(got).toHaveLength(1)
    expect(countImages(got[0] ?? '')).toBe(80)
    for (let index = 0; index < 107; index++) expect(got[0]).toContain(`Look at page ${index}.`)
    expect((await ask(request)).got).toEqual(got)
  })

  test('a limit that only the provider knows is heeded at once, and ever after', {
    tags: 'slow',
  }, async () => {
    const request = createChatRequest(9)
    const { answer, got } = await ask(request)
    expect(answer.status).toBe(200)
    expect(got.map(countImages)).toEqual([9, 4])
    expect((await ask(request)).got.map(countImages)).toEqual([4])
  })
})
