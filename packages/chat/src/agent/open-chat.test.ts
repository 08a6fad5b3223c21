import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { ask, type ChatFolders, createFolders, ofType, readAnswer } from '../chat.suite.ts'
import { describeSummary } from '../history/sum-spent.ts'
import { findRequest } from '../screen/show-beginning.ts'

let folders: ChatFolders
let upstream: FakeUpstream | undefined
beforeEach(() => {
  folders = createFolders()
})
afterEach(async () => {
  await upstream?.close()
  upstream = undefined
  folders.remove()
})

describe('opening a chat', () => {
  test('without any key says in one line what to set, and that there is a demo', async () => {
    const opening = folders.open({ isDemo: false })
    await expect(opening).rejects.toMatchObject({ name: 'ChatError', code: 'missing-key' })
    await expect(opening).rejects.toThrow(
      /^A chat needs a model: set ANTHROPIC_API_KEY, OPENAI_API_KEY, .+ or OPENROUTER_API_KEY, or try "precis chat --demo", which needs no key\.$/,
    )
  })

  test('refuses an unknown strategy and an unknown summarizer by name', async () => {
    await expect(folders.open({ strategy: 'magic' })).rejects.toThrow(
      /Unknown strategy "magic". Give one of auto/,
    )
    await expect(folders.open({ summarizer: 'magic' })).rejects.toThrow(
      /Unknown summarizer "magic"/,
    )
  })

  test('a setting is changed in the running chat, is there when it goes on, and a flag is stronger', async () => {
    const agent = await folders.open()
    expect(agent.settings).toEqual({ strategy: 'auto', summarizer: 'digest' })
    const before = agent.context.state.thresholdTokens
    await agent.changeSetting('strategy', 'middle-out')
    await agent.changeSetting('threshold', '50%')
    await agent.changeSetting('keep', 'tail:2turns,head:10%')
    expect(agent.context.state.thresholdTokens).toBeLessThan(before)
    const changed = {
      strategy: 'middle-out',
      summarizer: 'digest',
      threshold: '50%',
      keep: 'head:10%,tail:2turns',
    }
    expect(agent.settings).toEqual(changed)
    await ask(agent, 'hello')
    await agent.close()
    const again = await folders.open({ resume: true })
    expect(again.settings).toEqual(changed)
    expect(again.context.messages).toHaveLength(2)
    await again.changeSetting('keep', undefined)
    await again.close()
    const third = await folders.open({ resume: true, strategy: 'auto' })
    expect(third.settings).toEqual({ strategy: 'auto', summarizer: 'digest', threshold: '50%' })
    await third.close()
  })

  test('a threshold in tokens stays the same with another model', async () => {
    const { signal } = new AbortController()
    const agent = await folders.open({ model: 'demo/small', threshold: 3000 })
    expect(agent.context.state.thresholdTokens).toBe(3000)
    await agent.switchModel('demo/large', { signal })
    expect(agent.context.state).toMatchObject({ windowTokens: 32_000, thresholdTokens: 3000 })
    await agent.close()
  })

  test('a threshold may be a share of the window or tokens', async () => {
    const agent = await folders.open({ windowTokens: 30_000, threshold: 9000 })
    expect(agent.context.state.thresholdTokens).toBe(9000)
    await agent.changeSetting('threshold', '7k')
    expect(agent.context.state.thresholdTokens).toBe(7000)
    expect(agent.settings.threshold).toBe('7000')
    await agent.changeSetting('threshold', '50%')
    expect(agent.context.state.thresholdTokens).toBe(15_000)
    await agent.close()
  })

  test.each([
    ['strategy', 'magic', /Unknown strategy "magic"/],
    ['summarizer', 'magic', /Unknown summarizer "magic"/],
    [
      'summarizer',
      'openai/gpt-5',
      /needs a key: the environment variable OPENAI_API_KEY is not set/,
    ],
    ['threshold', '300%', /Setting threshold to "300%": it was not understood\. Give a share/],
    ['keep', '3', /Setting keep to "3": it was not understood\. Give how much/],
    ['keep', 'tail:5k,tail:3turns', /it was not understood/],
  ] as const)('%s %s is refused, and everything stays as it was', async (name, text, message) => {
    const agent = await folders.open()
    await expect(agent.changeSetting(name, text)).rejects.toThrow(message)
    expect(agent.settings).toEqual({ strategy: 'auto', summarizer: 'digest' })
    await agent.close()
  })

  test('a recorded summarizer whose key is gone is told, and the usual one is taken', async () => {
    const environment = { OPENAI_API_KEY: 'sk-0123456789' }
    const host = { environment, chatsFolder: folders.chats, wait: async () => undefined }
    const agent = await folders.open({ host })
    await agent.changeSetting('summarizer', 'openai/gpt-5')
    await ask(agent, 'hello')
    await agent.close()
    const again = await folders.open({ resume: true })
    expect(again.settings.summarizer).toBe('digest')
    expect(again.notices).toEqual([expect.stringContaining('The chat had summarizer openai/gpt-5')])
    await again.close()
  })

  test('a model that nobody knows or that has no key is refused before anything is asked', async () => {
    const agent = await folders.open()
    expect(() => agent.findModel('nonsense')).toThrow(/Unknown model "nonsense"/)
    expect(() => agent.findModel('openai/gpt-5')).toThrow(/OPENAI_API_KEY is not set/)
    expect(agent.findModel('demo/large')).toMatchObject({ name: 'demo/large', isKnown: true })
    await agent.close()
  })

  test('takes model, strategy and window of the configuration', async () => {
    const chat = {
      model: 'anthropic/claude-haiku-4-5',
      strategy: 'top-down-truncation',
      windowTokens: 30_000,
    }
    const agent = await folders.open({
      isDemo: false,
      configuration: { summarizer: { name: 'digest' }, chat },
      host: { environment: { ANTHROPIC_API_KEY: 'sk-test' }, chatsFolder: folders.chats },
    })
    expect(agent.model).toBe(chat.model)
    expect(agent.context.state.windowTokens).toBe(30_000)
    expect(agent.listModels()[0]).toMatchObject({ name: chat.model, windowTokens: 30_000 })
    await agent.close()
  })

  test('a chat in which nothing was said leaves nothing behind', async () => {
    const agent = await folders.open()
    await agent.close()
    await expect(folders.open({ resume: true })).rejects.toThrow(/there is no chat of/)
  })

  test('a chat of the demo is not what a real one goes on with, and the other way round', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    await agent.close()
    const host = { environment: { ANTHROPIC_API_KEY: 'sk-test' }, chatsFolder: folders.chats }
    await expect(folders.open({ isDemo: false, resume: true, host })).rejects.toThrow(
      /there is no chat of/,
    )
    const named = await folders.open({ isDemo: false, resume: agent.historyFile ?? '', host })
    expect(named.model).toMatch(/^anthropic\//)
    await named.close()
  })
})

describe('switching the model', () => {
  const MODELS = [
    'openai/gpt-5.4',
    'google/gemini-3.5-flash',
    'openrouter/anthropic/claude-sonnet-4.6',
    'openai-compatible/some-model',
    'anthropic/claude-sonnet-4-6',
  ]

  test('a history with reasoning and tool calls goes through every provider', {
    tags: 'slow',
  }, async () => {
    upstream = await startFakeUpstream(({ raw }, number) =>
      number % 2 === 1
        ? {
            reasoning: 'I think.',
            text: 'I look.',
            toolCalls: [{ name: 'read_file', input: { path: 'src/ships.ts' } }],
          }
        : {
            text: `Answer ${number}, ${raw.includes('Never touch limits.json') ? 'and I know' : 'and I forgot'}.`,
          },
    )
    const { url } = upstream
    const keys = ['ANTHROPIC', 'OPENAI', 'GOOGLE_GENERATIVE_AI', 'OPENROUTER'].map((name) => [
      `${name}_API_KEY`,
      'sk-test-1',
    ])
    const urls = ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI'].map((name) => [`${name}_BASE_URL`, url])
    const chat = ['OPENROUTER', 'OPENAI_COMPATIBLE'].map((name) => [
      `${name}_BASE_URL`,
      `${url}/v1`,
    ])
    const environment = Object.fromEntries([...keys, ...urls, ...chat])
    const agent = await folders.open({
      isDemo: false,
      model: 'anthropic/claude-sonnet-4-6',
      host: { environment, chatsFolder: folders.chats, wait: async () => undefined },
    })
    await ask(agent, 'Never touch limits.json. Which ships?')
    for (const model of MODELS) {
      const { signal } = new AbortController()
      expect(await agent.switchModel(model, { signal })).toMatchObject({
        outcome: { type: 'switched' },
      })
      expect(agent.model).toBe(model)
      const events = await ask(agent, `and with ${model}?`)
      expect(ofType(events, 'error')).toEqual([])
      expect(readAnswer(events)).toMatch(/and I know\.$/)
    }
    expect(agent.spent.requests).toBe(12)
    await agent.close()
    const again = await folders.open({
      isDemo: false,
      resume: true,
      host: { environment, chatsFolder: folders.chats },
    })
    expect(again.model).toBe('anthropic/claude-sonnet-4-6')
    expect(again.context.messages).toEqual(agent.context.messages)
    expect(again.spent).toEqual(agent.spent)
    await again.close()
  })

  test('is no compression that could be taken back, and no request that is sent again', async () => {
    upstream = await startFakeUpstream(() => ({ reasoning: 'I think.', text: 'Aurora.' }))
    const environment = {
      ANTHROPIC_API_KEY: 'sk-test-1',
      ANTHROPIC_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-test-1',
      OPENAI_BASE_URL: upstream.url,
    }
    const host = { environment, chatsFolder: folders.chats }
    const agent = await folders.open({ isDemo: false, model: 'anthropic/claude-sonnet-4-6', host })
    await ask(agent, 'Which ships?')
    const asked = findRequest(agent.context.messages)
    const { signal } = new AbortController()
    for (const model of ['openai/gpt-5.4', 'openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-6']) {
      await agent.switchModel(model, { signal })
      expect(agent.context.state.undoable).toBe(0)
      expect(agent.context.undo()).toBe(false)
      expect(findRequest(agent.context.messages)).toEqual(asked)
    }
    await agent.close()
    const again = await folders.open({ isDemo: false, resume: true, host })
    expect(again.context.state.undoable).toBe(0)
    expect(again.context.messages).toEqual(agent.context.messages)
    await again.close()
  })

  test('one that cannot be reached is refused before anything changes', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    const before = agent.context.messages
    const { signal } = new AbortController()
    await expect(agent.switchModel('openai/gpt-5.4', { signal })).rejects.toThrow(/OPENAI_API_KEY/)
    await expect(agent.switchModel('nothing', { signal })).rejects.toThrow(
      /Unknown model "nothing"/,
    )
    expect(await agent.switchModel('demo/small', { signal })).toMatchObject({
      outcome: { type: 'unchanged' },
    })
    expect(agent.context.messages).toBe(before)
    expect(agent.model).toBe('demo/small')
    await agent.close()
  })
})

test('a summary whose usage nobody reported is counted without one', () => {
  const usage = { calls: 2, inputTokens: 0, outputTokens: 0 }
  expect(describeSummary('openai/gpt-5-mini', usage)).toMatchObject([
    { model: 'openai/gpt-5-mini', requests: 2, unreported: 2, dollars: 0 },
  ])
})

test('a summary is priced as the models that were asked for it', () => {
  const used = { calls: 1, inputTokens: 1_000_000, outputTokens: 0 }
  const models = ['openai/gpt-5-mini', 'openai/gpt-5'].map((model) => ({ ...used, model }))
  const usage = { calls: 2, inputTokens: 2_000_000, outputTokens: 0, models }
  expect(describeSummary('openai/gpt-5-mini', usage)).toMatchObject([
    { model: 'openai/gpt-5-mini', requests: 1, inputTokens: 1_000_000, dollars: 0.25 },
    { model: 'openai/gpt-5', requests: 1, inputTokens: 1_000_000, dollars: 1.25 },
  ])
})

describe('recall', () => {
  test('finds what compressions removed, whatever its case, and nothing that is still there', async () => {
    const agent = await folders.open({ model: 'demo/large' })
    await ask(agent, 'The Lighthouse keeper is called Ines.')
    await ask(agent, 'read README.md')
    for (let turn = 0; turn < 3; turn++) await ask(agent, 'tell me a story')
    expect(agent.recall('every crane')).toEqual([])
    await agent.context.compress()
    const found = agent.recall('EVERY CRANE')
    for (const { excerpt } of found) expect(excerpt.toLowerCase()).toContain('every crane')
    expect(found).toContainEqual(expect.objectContaining({ role: 'tool', position: 5 }))
    expect(found.find(({ position }) => position === 5)?.text).toContain('# Harbour')
    expect(agent.recall('   ')).toEqual([])
    expect(agent.recall('xylophone')).toEqual([])
    await agent.close()
  })

  test('is a tool for the model too', async () => {
    const agent = await folders.open({ model: 'demo/large' })
    await ask(agent, 'read README.md')
    for (let turn = 0; turn < 3; turn++) await ask(agent, 'tell me a story')
    await agent.context.compress()
    const [result] = ofType(await ask(agent, 'recall the crane'), 'tool-result')
    expect(result).toMatchObject({
      name: 'recall',
      isError: false,
      output: expect.stringContaining('crane'),
    })
    await agent.close()
  })
})
