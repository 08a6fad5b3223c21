import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findModel } from '@precis/core'
import { modelIds } from '@precis/core/models'
import { afterAll, describe, expect, test } from 'vitest'
import type { ChatConfiguration } from '../contract/ports.ts'
import { createTestPorts } from '../ports.suite.ts'
import {
  connectModel,
  DEFAULT_MODELS,
  findDefaultModel,
  listModels,
  type ModelSettings,
} from './models.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-models-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keyFile = join(folder, 'key')
writeFileSync(keyFile, 'sk-of-the-file\n', { mode: 0o600 })

function createModelSettings(
  environment: Record<string, string>,
  chat?: ChatConfiguration['chat'],
  summarizer: ChatConfiguration['summarizer'] = { name: 'digest' },
): ModelSettings {
  return {
    ports: createTestPorts({ summarizer, chat }, { environment }),
    isDemo: false,
    first: undefined,
  }
}

describe('the default model', () => {
  test.each(DEFAULT_MODELS)('%s is in the catalogue, with a window and prices', (name) => {
    const { row, known, pricesPerMillionTokens } = findModel(name)
    expect(known).toBe(true)
    expect(modelIds).toContain(row)
    expect(pricesPerMillionTokens).toBeDefined()
  })

  test('is one of the first provider whose key is there', () => {
    expect(findDefaultModel(createModelSettings({}))).toBeUndefined()
    const both = { OPENAI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k' }
    expect(findDefaultModel(createModelSettings(both))).toMatch(/^openai\//)
    expect(findDefaultModel(createModelSettings({ OPENAI_API_KEY: ' ' }))).toBeUndefined()
  })
})

describe('the list', () => {
  test('has the models of every provider whose key is there, those of the current one first', () => {
    const settings = createModelSettings({ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' })
    const names = listModels('openai/gpt-5.4', settings).map(({ name }) => name)
    expect(names[0]).toBe('openai/gpt-5.4')
    expect(new Set(names).size).toBe(names.length)
    const providers = names.map((name) => name.slice(0, name.indexOf('/')))
    expect(new Set(providers)).toEqual(new Set(['openai', 'anthropic']))
    expect(providers.lastIndexOf('openai')).toBeLessThan(providers.indexOf('anthropic'))
    for (const { windowTokens } of listModels('openai/gpt-5.4', settings))
      expect(windowTokens).toBeGreaterThan(4000)
  })

  test('has the configured model, whose key may be in a file', () => {
    const settings = createModelSettings(
      {},
      { model: 'anthropic/claude-opus-4-8', keyFile, windowTokens: 50_000 },
    )
    const models = listModels('openai-compatible/local', settings)
    expect(models.slice(0, 2)).toMatchObject([
      { name: 'openai-compatible/local' },
      { name: 'anthropic/claude-opus-4-8', windowTokens: 50_000 },
    ])
    expect(models.length).toBeGreaterThan(5)
  })
})

describe('connecting', () => {
  test('a bare name is completed where the catalogue knows whose it is', () => {
    const settings = createModelSettings({ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' })
    expect(connectModel('claude-opus-4-8', settings).name).toBe('anthropic/claude-opus-4-8')
    expect(connectModel('gpt-5.4', settings).name).toBe('openai/gpt-5.4')
  })

  test.each(['nonsense', 'acme/model', 'anthropic/', 'open ai/x', 'demo/small', ''])(
    '"%s" is no model',
    (name) => {
      const settings = createModelSettings({ ANTHROPIC_API_KEY: 'k' })
      expect(() => connectModel(name, settings)).toThrow(
        /Unknown model .+ Give one of anthropic\/<model>/,
      )
    },
  )

  test('a missing key is told with its variable, and with the demo', () => {
    expect(() => connectModel('openai/gpt-5.4', createModelSettings({}))).toThrow(
      /Model "openai\/gpt-5\.4" needs a key: .+OPENAI_API_KEY.+precis chat --demo/,
    )
  })

  test('a server without a name needs an address, and no key', () => {
    expect(() => connectModel('openai-compatible/m', createModelSettings({}))).toThrow(
      /needs an address/,
    )
    const environment = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:11434/v1' }
    expect(connectModel('openai-compatible/m', createModelSettings(environment)).key).toBe('')
    const given = createModelSettings({}, undefined, {
      name: 'digest',
      baseUrl: 'http://127.0.0.1:1/v1',
    })
    const first = { model: 'openai-compatible/m', windowTokens: undefined }
    expect(connectModel('openai-compatible/m', { ...given, first }).name).toBe(
      'openai-compatible/m',
    )
  })

  test('the key of a file goes to its provider only, and the file must be private', () => {
    const settings = createModelSettings(
      { OPENAI_API_KEY: 'k' },
      { model: 'anthropic/claude-opus-4-8', keyFile },
    )
    expect(connectModel('anthropic/claude-haiku-4-5', settings).key).toBe('sk-of-the-file')
    expect(connectModel('openai/gpt-5.4', settings).key).toBe('k')
    const open = join(folder, 'open')
    writeFileSync(open, 'sk-open')
    chmodSync(open, 0o644)
    const unsafe = createModelSettings({}, { model: 'anthropic/claude-opus-4-8', keyFile: open })
    expect(() => connectModel('anthropic/claude-opus-4-8', unsafe)).toThrow(/others may read it/)
  })

  test('the answer gets as much room as the context keeps free for it', () => {
    const settings = createModelSettings({ ANTHROPIC_API_KEY: 'k' })
    expect(connectModel('claude-haiku-4-5', settings).maxOutputTokens).toBe(40_000)
    const first = { model: 'anthropic/claude-haiku-4-5', windowTokens: 10_000 }
    expect(connectModel('claude-haiku-4-5', { ...settings, first }).maxOutputTokens).toBe(2000)
  })
})
