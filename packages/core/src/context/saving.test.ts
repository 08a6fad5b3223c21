import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findModel } from '../models/find-model.ts'
import { createContext } from './create-context.ts'
import { decide } from './decide.ts'
import type { DecisionInput } from './decision.ts'

const OPUS = findModel('claude-opus-4-8')

/** Far below the threshold, after a pause, and nothing was compressed yet. */
const COLD: DecisionInput = {
  tokens: 105_000,
  fixedTokens: 5000,
  windowTokens: 1_000_000,
  reserveTokens: 50_000,
  thresholdTokens: 800_000,
  targetTokens: 475_000,
  cachedTokens: 105_000,
  secondsSinceLastRequest: 301,
  isCacheUsed: true,
  prices: OPUS.pricesPerMillionTokens,
  cache: OPUS.cache,
  spending: { requests: 40, savedDollars: 0, removedTokens: 0 },
  wasIneffective: false,
}
const WARM: DecisionInput = { ...COLD, secondsSinceLastRequest: 10 }
const saved = (savedDollars: number, requests = 40) => ({
  requests,
  savedDollars,
  removedTokens: 0,
})

describe('a host that asks to save', () => {
  test('compresses a cold history, and keeps two fifths of it', () => {
    expect(decide(COLD)).toMatchObject({ action: 'compress', reason: 'pays', targetTokens: 45_000 })
    expect(decide({ ...COLD, spending: undefined })).toMatchObject({
      action: 'wait',
      reason: 'under-threshold',
    })
  })

  test('counts what was removed before: the same words are not made shorter again and again', () => {
    const again = { ...COLD, spending: { requests: 40, savedDollars: 1, removedTokens: 100_000 } }
    expect(decide(again)).toMatchObject({ action: 'wait', targetTokens: 85_000 })
    const before = { ...COLD, spending: { requests: 40, savedDollars: 1, removedTokens: 50_000 } }
    expect(decide(before)).toMatchObject({ action: 'compress', targetTokens: 65_000 })
  })

  test('keeps what the model has not answered yet', () => {
    expect(decide({ ...COLD, cachedTokens: 85_000 }).targetTokens).toBe(
      5000 + 20_000 + 0.4 * 80_000,
    )
  })

  test('never risks more than was saved', () => {
    const { dollars, breakEvenRequests } = decide(WARM)
    const risked = (dollars?.compress ?? 0) - (dollars?.wait ?? 0)
    expect(risked).toBeGreaterThan(0)
    expect(decide(WARM)).toMatchObject({ action: 'wait', reason: 'below-break-even' })
    expect(decide({ ...WARM, spending: saved(risked - 0.001) }).action).toBe('wait')
    expect(decide({ ...WARM, spending: saved(risked + 0.001) })).toMatchObject({
      action: 'compress',
      reason: 'pays',
    })
    const soon = Math.floor(2 * breakEvenRequests)
    expect(decide({ ...WARM, spending: saved(risked + 0.001, soon) }).action).toBe('wait')
    expect(decide({ ...WARM, spending: saved(risked + 0.001, soon + 1) }).action).toBe('compress')
  })

  test('waits before the first request that it sends: whether the cache is cold is not known', () => {
    const first = { ...COLD, cachedTokens: 0, secondsSinceLastRequest: undefined }
    expect(decide(first)).toMatchObject({ action: 'wait', isCacheWarm: false })
  })

  test('waits where prices are not known, and where the rest could be too short to be cached', () => {
    expect(decide({ ...COLD, prices: undefined }).action).toBe('wait')
    const cache = OPUS.cache && { ...OPUS.cache, minimumPrefixTokens: 12_000 }
    expect(decide({ ...COLD, cache }).action).toBe('wait')
    expect(decide({ ...COLD, cache, fixedTokens: 12_000 }).action).toBe('compress')
  })

  test('says what was saved', () => {
    expect(decide(WARM).explanation).toMatch(
      /^The next request has 105,000 tokens\. Now it costs \$0\.\d+ unchanged and \$0\.\d+ compressed, paid back after \d+\.\d more requests\. Saved so far: \$0\.0000, with 40 requests since the last compression\.$/,
    )
  })

  test('compresses below the threshold only where no money is lost that was not saved', {
    tags: 'property',
  }, () => {
    const inputs = fc.record({
      tokens: fc.integer({ min: 1, max: 700_000 }),
      fixedTokens: fc.nat(60_000),
      cachedTokens: fc.nat(700_000),
      secondsSinceLastRequest: fc.nat(8000),
      cacheLifetimeSeconds: fc.constantFrom(300, 3600),
      spending: fc.record({
        requests: fc.nat(500),
        savedDollars: fc.double({ min: -5, max: 5, noNaN: true }),
        removedTokens: fc.nat(700_000),
      }),
      model: fc.constantFrom(
        'claude-opus-4-8',
        'gpt-5.4',
        'gemini-3-pro-preview',
        'nobody-knows-it',
      ),
    })
    fc.assert(
      fc.property(inputs, ({ model, ...input }) => {
        const { pricesPerMillionTokens: prices, cache } = findModel(model)
        const given = { ...COLD, ...input, prices, cache }
        const decision = decide(given)
        expect(decide(given)).toEqual(decision)
        expect(decision.explanation).not.toMatch(/NaN|undefined|Infinity/)
        if (decision.action === 'wait') return
        const { dollars, targetTokens } = decision
        expect(dollars).toBeDefined()
        const risked = (dollars?.compress ?? Infinity) - (dollars?.wait ?? 0)
        expect(risked).toBeLessThanOrEqual(Math.max(input.spending.savedDollars, 0))
        expect(targetTokens).toBeLessThanOrEqual(0.8 * input.tokens)
      }),
    )
  })
})

describe('a live context that saves', () => {
  test.each([true, false])('compresses after a pause: %s', async (save) => {
    let now = 0
    const words = 'The cart adds the tax to each price before it rounds. '
    const context = createContext({ model: 'claude-opus-4-8', save, clock: { now: () => now } })
    let compressed: unknown[] = []
    for (let turn = 0; turn < 12; turn++) {
      context.append({ role: 'user', content: `${turn}: ${words.repeat(400)}` })
      now += turn === 8 ? 301_000 : 10_000
      const { compression } = await context.prepare()
      compressed = [
        ...compressed,
        ...(compression?.outcome.type === 'compressed' ? [[turn, compression.trigger]] : []),
      ]
      context.append({ role: 'assistant', content: words })
    }
    expect(compressed).toEqual(save ? [[8, 'economy']] : [])
  })

  test('does not count as saved what was taken back', async () => {
    let now = 0
    const context = createContext({
      model: 'claude-opus-4-8',
      save: true,
      clock: { now: () => now },
    })
    const say = async (seconds: number) => {
      context.append({
        role: 'user',
        content: 'The cart adds the tax to each price. '.repeat(1200),
      })
      now += seconds * 1000
      const { decision } = await context.prepare()
      context.append({ role: 'assistant', content: 'It does.' })
      return decision
    }
    for (const pause of [1, 1, 1, 301]) await say(pause)
    const before = context.advise().explanation
    expect(before).toContain('with 0 requests since the last compression.')
    expect(context.undo()).toBe(true)
    const decision = await say(1)
    expect(decision.explanation).toContain(/Saved so far: \$\d+\.\d+/.exec(before)?.[0])
  })
})
