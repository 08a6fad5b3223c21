import { describe, expect, test } from 'vitest'
import { GatewayError } from '../files/errors.ts'
import { findRoute } from './routes.ts'
import { checkUpstream, defaultUpstreams, isVendor, locate } from './upstreams.ts'

const ask = (url: string, headers: Record<string, string> = {}, method = 'POST') =>
  findRoute({ method, url, headers })

describe('a request for a model', () => {
  test.each([
    ['/v1/messages?beta=true', 'anthropic', 'anthropic-messages', 'generate'],
    ['/messages', 'anthropic', 'anthropic-messages', 'generate'],
    ['//v1/messages', 'anthropic', 'anthropic-messages', 'generate'],
    ['/v1/messages/count_tokens', 'anthropic', 'anthropic-messages', 'count'],
    ['/v1/chat/completions', 'openai', 'openai-chat', 'generate'],
    ['/chat/completions', 'openai', 'openai-chat', 'generate'],
    ['/v1/responses', 'openai', 'openai-responses', 'generate'],
    ['/responses', 'openai', 'openai-responses', 'generate'],
    ['/v1/responses/compact', 'openai', 'openai-responses', 'compact'],
    ['/v1/responses/input_tokens', 'openai', 'openai-responses', 'count'],
    ['/backend-api/codex/responses', 'chatgpt', 'openai-responses', 'generate'],
    ['/backend-api/codex/responses/compact', 'chatgpt', 'openai-responses', 'compact'],
    ['/v1internal:streamGenerateContent?alt=sse', 'google-internal', 'gemini-contents', 'generate'],
    ['/v1internal:countTokens', 'google-internal', 'gemini-contents', 'count'],
  ])('%s goes to %s as %s, to %s', (url, upstream, api, purpose) => {
    expect(ask(url)).toMatchObject({ upstream, api, purpose, model: undefined })
  })

  const V1 = '/v1/projects/p/locations'
  test.each([
    '/v1beta/models/g:streamGenerateContent?alt=sse google gemini-contents generate g',
    '/v1beta/models/gemini-2.5-pro:countTokens google gemini-contents count gemini-2.5-pro',
    '/model/us.anthropic.c-v1%3A0/invoke bedrock anthropic-messages generate us.anthropic.c-v1:0',
    '/model/anthropic.c/invoke-with-response-stream bedrock anthropic-messages generate anthropic.c',
    '/model/%E0%A4/invoke bedrock - other %E0%A4',
    `${V1}/us-east5/publishers/anthropic/models/c@1:streamRawPredict vertex anthropic-messages generate c@1`,
    `${V1}/global/publishers/anthropic/models/count-tokens:rawPredict vertex anthropic-messages count count-tokens`,
    `${V1}/global/publishers/google/models/gemini-x:generateContent vertex gemini-contents generate gemini-x`,
    '/v1beta1/projects/p/locations/l/publishers/google/models/g:generateContent vertex gemini-contents generate g',
  ])('%s: the model is the one that the address names', (row) => {
    const [url = '', upstream, api, purpose, model] = row.split(' ')
    const expected = { upstream, api: api === '-' ? undefined : api, purpose, model }
    expect(ask(url)).toMatchObject(expected)
  })

  test('of a ChatGPT login goes to its back end, whatever address the client was given', () => {
    const headers = { 'chatgpt-account-id': 'a', authorization: 'Bearer j' }
    const paths = [
      '/v1/responses',
      '/responses/compact',
      '/v1/models?client_version=1',
      '/backend-api/codex/responses',
    ]
    expect(paths.map((path) => ask(path, headers))).toMatchObject([
      { upstream: 'chatgpt', api: 'openai-responses', path: '/backend-api/codex/responses' },
      { upstream: 'chatgpt', purpose: 'compact', path: '/backend-api/codex/responses/compact' },
      { upstream: 'chatgpt', api: undefined, path: '/backend-api/codex/models?client_version=1' },
      { upstream: 'chatgpt', path: '/backend-api/codex/responses' },
    ])
  })
})

describe('everything else', () => {
  test.each<[string, string, Record<string, string>, string | undefined]>([
    ['HEAD', '/', {}, 'anthropic'],
    ['GET', '/v1/models', { 'anthropic-version': '2023-06-01' }, 'anthropic'],
    ['GET', '/v1/models', { 'x-api-key': 'k' }, 'anthropic'],
    ['GET', '/v1/models', { 'x-goog-api-key': 'k' }, 'google'],
    ['GET', '/v1/models', { authorization: 'Bearer k' }, 'openai'],
    ['GET', '/v1beta/models', {}, 'google'],
    ['GET', '/v1/models?key=AIzaX', {}, 'google'],
    ['GET', '/v1/models/gemini-2.5-pro?alt=json&key=AIzaX', {}, 'google'],
    ['GET', '/v1/files?key=x', { authorization: 'Bearer sk-x' }, 'openai'],
    ['GET', '/key/info?key=x', { authorization: 'Bearer sk-x' }, 'openai'],
    ['GET', '/v1/files?key=x', { 'x-api-key': 'k' }, 'anthropic'],
    ['GET', '/v1/models?key=x', { 'chatgpt-account-id': 'a' }, 'chatgpt'],
    ['GET', '/v1/organizations/usage', { authorization: 'Bearer sk-ant-oat01-x' }, 'anthropic'],
    ['POST', '/v1/messages/batches', { 'x-api-key': 'k' }, 'anthropic'],
    ['POST', '/v1/whatever/comes', {}, 'openai'],
    ['POST', '/api/event_logging/batch', { authorization: 'Bearer k' }, 'anthropic'],
    ['POST', '/upload/v1beta/files', {}, 'google'],
    ['POST', '/model/m/converse', {}, 'bedrock'],
    ['GET', '/backend-api/wham/usage', {}, 'chatgpt'],
    ['POST', '/v1internal:loadCodeAssist', {}, 'google-internal'],
    ['GET', '/v1/responses/resp_1', {}, 'openai'],
    ['GET', '/v1/messages', {}, 'anthropic'],
    ['GET', '/favicon.ico', {}, undefined],
    ['GET', '/', {}, undefined],
  ])('%s %s passes by its address or its headers', (method, url, headers, upstream) => {
    const route = ask(url, headers, method)
    expect([route?.upstream, route?.api]).toEqual([upstream, undefined])
  })

  test('that has no version gets it where the provider wants it', () => {
    expect(ask('/models', { authorization: 'Bearer k' }, 'GET')?.path).toBe('/v1/models')
    expect(ask('/projects/p/locations/us-east5/publishers/x/models/y:z')?.path).toMatch(
      /^\/v1\/projects\//,
    )
  })
})

describe('an upstream', () => {
  test.each([
    [
      'https://api.anthropic.com',
      '/v1/messages?beta=true',
      'https://api.anthropic.com',
      '/v1/messages?beta=true',
    ],
    ['http://localhost:8080/', '/v1/messages', 'http://localhost:8080', '/v1/messages'],
    [
      'https://api.openai.com/v1',
      '/v1/chat/completions',
      'https://api.openai.com',
      '/v1/chat/completions',
    ],
    [
      'https://openrouter.ai/api/v1/',
      '/v1/chat/completions',
      'https://openrouter.ai',
      '/api/v1/chat/completions',
    ],
    ['https://openrouter.ai/api', '/v1/messages', 'https://openrouter.ai', '/api/v1/messages'],
    [
      'https://api.z.ai/api/paas/v4',
      '/v1/chat/completions',
      'https://api.z.ai',
      '/api/paas/v4/chat/completions',
    ],
    [
      'https://g.example/v1beta',
      '/v1beta/models/m:generateContent',
      'https://g.example',
      '/v1beta/models/m:generateContent',
    ],
    [
      'https://chatgpt.com/backend-api/codex',
      '/backend-api/codex/responses',
      'https://chatgpt.com',
      '/backend-api/codex/responses',
    ],
  ])('%s gets %s without saying anything twice', (base, path, origin, expected) => {
    expect(locate(base, { path })).toEqual({ origin, path: expected })
  })

  test('of Vertex has a host for each location', () => {
    const path = '/v1/projects/p/locations/l/x'
    expect(locate(defaultUpstreams.vertex, { path, location: 'us-east5' }).origin).toBe(
      'https://us-east5-aiplatform.googleapis.com',
    )
    expect(locate(defaultUpstreams.vertex, { path, location: 'global' }).origin).toBe(
      'https://aiplatform.googleapis.com',
    )
    expect(
      ask('/v1/projects/p/locations/evil.example%2F/publishers/x/models/y:z')?.location,
    ).toBeUndefined()
  })

  test('is the provider itself at its own address alone', () => {
    expect(isVendor('anthropic', 'https://api.anthropic.com')).toBe(true)
    expect(isVendor('vertex', defaultUpstreams.vertex)).toBe(true)
    expect(isVendor('bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com')).toBe(true)
    expect(isVendor('anthropic', 'http://api.anthropic.com')).toBe(false)
    expect(isVendor('anthropic', 'https://api.anthropic.com.evil.example')).toBe(false)
    expect(isVendor('openai', 'http://127.0.0.1:11434')).toBe(false)
  })

  test.each(['ftp://x', 'api.anthropic.com', 'https://user:secret@host', 'https://host/?a=1', ''])(
    'is not %s',
    (base) => {
      expect(() => checkUpstream('anthropic', base)).toThrow(GatewayError)
      expect(() => checkUpstream('anthropic', base)).not.toThrow(/secret/)
    },
  )
})
