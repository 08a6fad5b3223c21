import { expect, test } from 'vitest'
import { findBaseUrl, providers } from './providers.ts'

const find = (name: string, given: string | undefined, environment: Record<string, string>) => {
  const provider = providers[name]
  if (!provider) throw new Error(`no provider ${name}`)
  return findBaseUrl(`model "${name}/m"`, given, provider, environment)
}

test.each([
  ['anthropic', {}, 'https://api.anthropic.com/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141' }, 'http://127.0.0.1:4141/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141/' }, 'http://127.0.0.1:4141/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://proxy/anthropic/v1' }, 'http://proxy/anthropic/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: ' ' }, 'https://api.anthropic.com/v1'],
  ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'http://127.0.0.1:1/v1'],
  ['google', { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/v1beta'],
  ['openrouter', { OPENROUTER_BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/api/v1'],
  ['openai-compatible', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
])('%s with %j is reached at %s', (name, environment, url) => {
  expect(find(name, undefined, environment)).toBe(url)
})

test('an address that was given goes before that of the environment', () => {
  expect(find('openai', 'http://given/v1', { OPENAI_BASE_URL: 'http://other/v1' })).toBe(
    'http://given/v1',
  )
})

test('what is no address is refused with what it is', () => {
  expect(() => find('openai', undefined, { OPENAI_BASE_URL: 'localhost:1234' })).toThrow(
    'The address of model "openai/m" is "localhost:1234". Give one that begins with https:// or http://.',
  )
  expect(() => find('openai-compatible', undefined, {})).toThrow(
    /Model "openai-compatible\/m" needs an address/,
  )
})
