import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { openTranscript } from '../formats/transcript/transcript.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut } from '../strategies/index.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import {
  assistant,
  call,
  createGate,
  exchange,
  fill,
  hung,
  listen,
  open,
  throwing,
  toolResult,
  until,
  user,
  working,
} from './context.suite.ts'
import type { SwitchPreview } from './context.ts'
import { createContext } from './create-context.ts'

const NOTE = '[The model was switched from gpt-5 to gpt-5-mini.]'
const small = { windowTokens: 1_500 }

describe('a preview', () => {
  test.each([
    ['gpt-5', 4_000, 'same-model'],
    ['gpt-5-mini', 100_000, 'fits'],
    ['gpt-5-mini', 1_500, 'fits-after-summary'],
    ['gpt-5-mini', 30, 'cannot-fit'],
  ])(
    'of %s with %i tokens says %s, changes nothing and asks no model',
    async (model, windowTokens, verdict) => {
      const context = open({ summarizer: hung })
      const told = listen(context)
      fill(context, 2_500)
      const before = context.state
      const preview = await context.previewSwitch(model, { windowTokens })
      expect(preview).toMatchObject({ from: 'gpt-5', to: model, verdict, windowTokens })
      expect(preview.safeTokens).toBe(Math.floor(windowTokens * 0.9))
      expect(preview.tokensAfter <= preview.safeTokens).toBe(verdict !== 'cannot-fit')
      expect(context.state).toEqual(before)
      expect(told).toEqual([])
    },
  )

  test('says when clearing old results is enough', async () => {
    const context = open({ windowTokens: 400_000 })
    context.append(user('Look at the same file again and again.'))
    for (let round = 0; round < 30; round++) {
      context.append(call(`c${round}`), toolResult(`c${round}`, 'a line of the file\n'.repeat(200)))
    }
    context.append(user('and now?'))
    const windowTokens = Math.floor(context.state.tokens * 0.6)
    const preview = await context.previewSwitch('gpt-5-mini', { windowTokens })
    expect(preview.verdict).toBe('fits-after-clearing')
    const result = await context.switchModel('gpt-5-mini', { windowTokens })
    expect(result).toMatchObject({
      outcome: { type: 'switched' },
      compression: { report: { summarizer: undefined } },
    })
    expect(context.state.tokens).toBeLessThanOrEqual(preview.safeTokens)
  })

  test('clears so much that the request that follows is not compressed once more', async () => {
    const context = open({ windowTokens: 400_000 })
    context.append(user('Look at many files.'))
    for (let round = 0; round < 40; round++) {
      const lines = Array.from({ length: 400 }, (_, line) => `line ${line} of file ${round}`)
      context.append(call(`c${round}`), toolResult(`c${round}`, lines.join('\n')))
    }
    context.append(user('and now?'))
    const windowTokens = Math.floor(context.state.tokens * 0.95)
    const { preview } = (await context.switchModel('gpt-5-mini', { windowTokens })) as {
      preview: SwitchPreview
    }
    expect(preview.verdict).toBe('fits-after-clearing')
    expect((await context.prepare()).compression).toBeUndefined()
  })

  test('counts with the counter of the model to switch to', async () => {
    const context = fill(open(), 2_500)
    const { tokens } = await context.previewSwitch('claude-opus-4-8')
    const counter = createTokenCounter(findModel('claude-opus-4-8'))
    const { conversation } = openTranscript('openai-chat', { messages: context.messages })
    expect(tokens).toBe(counter.countConversation(conversation).upper)
    expect(tokens).not.toBe(context.state.tokens)
  })

  test('names what is lost: signed thoughts, and the cache', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln'.repeat(10) }
    const messages = [
      user('hello'),
      { role: 'assistant', content: [thought, { type: 'text', text: 'hi' }] },
      user('go on'),
    ]
    const context = createContext({ model: 'claude-opus-4-8', messages })
    await context.prepare()
    const { losses } = await context.previewSwitch('gpt-5')
    expect(losses.map(({ of, amount }) => [of, amount])).toEqual([
      ['reasoning', 1],
      ['cache', context.state.tokens],
    ])
    expect((await context.previewSwitch('claude-sonnet-4-5')).losses.map(({ of }) => of)).toEqual([
      'cache',
    ])
  })

  test('names images where nothing says that the model takes them', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const context = createContext({
      model: 'gpt-5',
      messages: [{ role: 'user', content: [image] }],
    })
    expect((await context.previewSwitch('llama-3.3-70b')).losses).toMatchObject([
      { of: 'images', amount: 1 },
    ])
    expect((await context.previewSwitch('gpt-5-mini')).losses).toEqual([])
  })
})

describe('a switch', () => {
  test('to the same model does nothing', async () => {
    const context = open()
    const told = listen(context)
    fill(context, 2_500)
    const { messages } = context
    expect(await context.switchModel('gpt-5', { windowTokens: 4_000 })).toMatchObject({
      outcome: { type: 'unchanged' },
    })
    expect(context.messages).toBe(messages)
    expect(told).toEqual([])
  })

  test('to the model there is keeps its window, told by the host or taught by its provider', async () => {
    const context = open()
    expect(await context.switchModel('gpt-5')).toMatchObject({ outcome: { type: 'unchanged' } })
    fill(context, 2_500)
    let sent = 0
    await context.send(async () => {
      if (++sent === 1) throw new Error('prompt is too long: 5000 tokens > 3000 maximum')
    })
    expect(await context.switchModel('gpt-5')).toMatchObject({ outcome: { type: 'unchanged' } })
    expect(context.state.windowTokens).toBe(3_000)
    await context.switchModel('gpt-5-mini')
    expect(context.state.windowTokens).toBe(400_000)
    await context.switchModel('gpt-5')
    expect(context.state.windowTokens).toBe(4_000)
  })

  test('to one with less window than the host keeps free has a reserve of its own', async () => {
    const context = open({ windowTokens: 100_000, reserveTokens: 60_000 })
    await context.switchModel('gpt-5-mini', { windowTokens: 50_000 })
    expect(context.state.thresholdTokens).toBe(40_000)
  })

  test('to one that has room asks no model, and says so in the history', async () => {
    const context = fill(open({ summarizer: hung }), 2_500)
    const { messages } = context
    const result = await context.switchModel('gpt-5-mini', { windowTokens: 100_000 })
    expect(result).toMatchObject({ outcome: { type: 'switched' }, preview: { verdict: 'fits' } })
    expect(context.messages).toEqual([
      ...messages,
      { role: 'user', content: NOTE },
      assistant('Understood.'),
    ])
    expect(context.messages.slice(0, -2).every((native, index) => native === messages[index])).toBe(
      true,
    )
    expect(context.state).toMatchObject({
      model: 'gpt-5-mini',
      windowTokens: 100_000,
      thresholdTokens: 64_160,
    })
  })

  test('to a smaller one leaves what the next request does not compress again', {
    tags: 'slow',
  }, async () => {
    const context = fill(open({ windowTokens: 40_000 }), 20_000)
    const result = await context.switchModel('gpt-5-mini', { windowTokens: 4_000 })
    expect(result).toMatchObject({
      outcome: { type: 'switched' },
      compression: { trigger: 'model-switch' },
    })
    context.append(user('and now?'))
    const { fits, compression } = await context.prepare()
    expect({ fits, compression }).toEqual({ fits: true, compression: undefined })
  })

  test('has its summary written by the summarizer it has, and by none where that one fails', {
    tags: 'slow',
  }, async () => {
    const names = [working, throwing].map(async (summarizer) => {
      const context = fill(open({ summarizer, strategy: middleOut }), 2_500)
      const { outcome, compression } = await context.switchModel('gpt-5-mini', small)
      return outcome.type === 'switched' ? compression?.report?.summarizer : outcome.type
    })
    expect(await Promise.all(names)).toEqual(['working', 'digest'])
  })

  test('says nothing behind a request: two messages of the user would follow each other', async () => {
    const context = open()
    context.append(user('first'), assistant('done'), user('second'))
    expect((await context.switchModel('gpt-5-mini')).outcome.type).toBe('switched')
    expect(context.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('says nothing between a call and its result', async () => {
    const context = open()
    context.append(user('read'), call('a', 'b'), toolResult('a'))
    expect((await context.switchModel('gpt-5-mini')).outcome.type).toBe('switched')
    expect(JSON.stringify(context.messages)).not.toContain('switched from')
    context.append(toolResult('b'))
    const { conversation } = openTranscript('openai-chat', { messages: context.messages })
    expect(checkInvariants(conversation)).toEqual([])
  })

  test('leaves signed thoughts of another provider out, for good', async () => {
    const thought = {
      type: 'reasoning',
      text: 'hm',
      providerOptions: { anthropic: { signature: 'c2ln'.repeat(10) } },
    }
    const called = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }
    const output = { type: 'text', value: 'x' }
    const messages = [
      user('hello'),
      { role: 'assistant', content: [thought, called] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }],
      },
    ]
    const context = createContext<object>({ model: 'claude-opus-4-8', format: 'ai-sdk', messages })
    expect((await context.switchModel('claude-sonnet-4-5')).outcome.type).toBe('switched')
    expect(JSON.stringify(context.messages)).toContain('signature')
    expect((await context.switchModel('gpt-5')).outcome.type).toBe('switched')
    expect(JSON.stringify(context.messages)).not.toContain('signature')
    expect(context.messages[0]).toBe(messages[0])
    expect(context.messages[2]).toBe(messages[2])
    expect(context.undo()).toBe(false)
  })

  test('that is refused leaves model, settings and history as they were', async () => {
    const refusals = [
      [{ beforeCompression: () => ({ veto: 'not now' }) }, undefined, 'vetoed'],
      [
        {
          beforeCompression: () => {
            throw new Error('broken hook')
          },
        },
        undefined,
        'failed',
      ],
      [
        undefined,
        {
          store: async () => {
            throw new Error('disk full')
          },
        },
        'failed',
      ],
    ] as const
    for (const [hooks, archive, reason] of refusals) {
      const context = fill(open({ ...(hooks && { hooks }), ...(archive && { archive }) }), 2_500)
      const { messages, state } = context
      expect(await context.switchModel('gpt-5-mini', small)).toMatchObject({
        outcome: { type: reason },
      })
      expect(context.messages).toBe(messages)
      expect(context.state).toEqual(state)
    }
  })

  test('that is cancelled while a summary is written is none', async () => {
    const context = open({ summarizer: hung, strategy: middleOut })
    const told = listen(context)
    fill(context, 2_500)
    const { messages, state } = context
    const controller = new AbortController()
    const switching = context.switchModel('gpt-5-mini', { ...small, signal: controller.signal })
    await until(() => told.length > 0)
    controller.abort()
    expect(await switching).toMatchObject({ outcome: { type: 'aborted' } })
    expect(context.messages).toBe(messages)
    expect(context.state).toEqual(state)
    expect(told).toEqual(['planned model-switch', 'skipped model-switch aborted'])
  })

  test('keeps what is said meanwhile, and a request waits for it', async () => {
    const gate = createGate()
    const context = fill(open({ summarizer: gate.summarizer, strategy: middleOut }), 2_500)
    const switching = context.switchModel('gpt-5-mini', small)
    await gate.asked()
    const late = user('late')
    context.append(late)
    const preparing = context.prepare()
    gate.release()
    expect((await switching).outcome.type).toBe('switched')
    expect((await preparing).model).toBe('gpt-5-mini')
    expect(context.messages).toContain(late)
  })

  test('comes before everything that is asked for after it', async () => {
    for (const to of [small, { windowTokens: 100_000 }]) {
      const context = fill(open(), 2_500)
      const switching = context.switchModel('gpt-5-mini', to)
      const preparing = context.prepare()
      const compressing = context.compress()
      expect((await switching).outcome.type).toBe('switched')
      expect((await preparing).model).toBe('gpt-5-mini')
      expect((await compressing).outcome.type).not.toBe('aborted')
      expect(context.state.model).toBe('gpt-5-mini')
    }
  })

  test('gives way to a newer one, which is made whatever the first was doing', {
    tags: 'slow',
  }, async () => {
    for (const delay of [0, 1, 5]) {
      const context = fill(open({ summarizer: hung, strategy: middleOut }), 2_500)
      const older = context.switchModel('gpt-5-mini', small)
      await new Promise((resolve) => setTimeout(resolve, delay))
      const newer = context.switchModel('gpt-4.1', { windowTokens: 100_000 })
      expect(await newer).toMatchObject({ outcome: { type: 'switched' } })
      expect(await older).toMatchObject({
        outcome: { type: 'aborted' },
        explanation: 'A newer switch took its place.',
      })
      expect(context.state).toMatchObject({
        model: 'gpt-4.1',
        windowTokens: 100_000,
        isCompressing: false,
      })
    }
  })

  test('back to the model there is ends the one under way', async () => {
    const context = fill(open(), 2_500)
    const { messages } = context
    const older = context.switchModel('gpt-5-mini', small)
    expect(await context.switchModel('gpt-5')).toMatchObject({ outcome: { type: 'unchanged' } })
    expect(await older).toMatchObject({ outcome: { type: 'aborted' } })
    expect(context.messages).toBe(messages)
  })

  test.each(casesOf([0.7, 0.5, 0.87]))(
    'leaves a request of %d of the new window whole, and so does what follows',
    { tags: 'property' },
    async (share) => {
      const windowTokens = 8_000
      const context = fill(open({ windowTokens: 400_000 }), 20_000)
      const { tokens } = context.state
      const words: string[] = []
      const measure = () => createTokenCounter(findModel('gpt-5')).countText(words.join(' ')).upper
      while (measure() < share * windowTokens)
        words.push('please look at the parser once more'.repeat(20))
      const request = user(words.join(' '))
      context.append(request)
      expect(context.state.tokens - tokens).toBeGreaterThan(share * windowTokens)
      const result = await context.switchModel('gpt-5-mini', { windowTokens })
      expect(result).toMatchObject({
        outcome: { type: 'switched' },
        compression: { outcome: { type: 'compressed' } },
      })
      expect(context.messages).toContain(request)
      const { fits, messages } = await context.prepare()
      expect(fits).toBe(true)
      expect(messages).toContain(request)
    },
  )

  test('makes the report of a request to the model before it useless', async () => {
    const context = fill(open({ windowTokens: 100_000 }), 2_500)
    await context.prepare()
    await context.switchModel('gpt-5-mini', { windowTokens: 100_000 })
    const { tokens } = context.state
    context.recordUsage({ inputTokens: 90_000, outputTokens: 10 })
    expect(context.state.tokens).toBe(tokens)
  })

  test('and back again any number of times keeps every message', async () => {
    const context = open({ windowTokens: 100_000 })
    context.append(...exchange(), ...exchange())
    const { messages } = context
    for (let round = 0; round < 5; round++) {
      for (const model of ['gpt-5-mini', 'claude-opus-4-8', 'gpt-5'])
        await context.switchModel(model)
    }
    expect(context.messages.slice(0, messages.length)).toEqual(messages)
    expect(context.state.model).toBe('gpt-5')
  })
})
