import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findModel } from '../models/find-model.ts'
import { decide } from './decide.ts'
import type { DecisionInput } from './decision.ts'

const OPUS = findModel('claude-opus-4-8')

/** Warm, known to be cached, and between the threshold and what fits. */
const DUE: DecisionInput = {
  tokens: 85_000,
  fixedTokens: 5000,
  windowTokens: 100_000,
  reserveTokens: 5000,
  thresholdTokens: 80_000,
  targetTokens: 45_000,
  cachedTokens: 84_000,
  isCacheUsed: true,
  prices: OPUS.pricesPerMillionTokens,
  cache: OPUS.cache,
  wasIneffective: false,
}
const BELOW: DecisionInput = { ...DUE, tokens: 60_000, cachedTokens: 59_000 }

describe('over the threshold', () => {
  test('compresses when nothing is known of a cache', () => {
    expect(decide({ ...DUE, isCacheUsed: false })).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
    })
    expect(decide({ ...DUE, cachedTokens: 0 })).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
    })
  })

  test('compresses a model without prices or without a cache', () => {
    const { dollars, ...decision } = decide({ ...DUE, prices: undefined, cache: undefined })
    expect(decision).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
      isCacheWarm: false,
      breakEvenRequests: 0,
    })
    expect(dollars).toBeUndefined()
    expect(decide({ ...DUE, cache: undefined }).reason).toBe('over-threshold')
  })

  test('waits while the provider holds the history and it still fits', () => {
    const decision = decide(DUE)
    expect(decision).toMatchObject({
      action: 'wait',
      reason: 'below-break-even',
      isCacheWarm: true,
      targetTokens: 45_000,
    })
    // 40,000 tokens written at 6.25 instead of 79,000 read at 0.5; then 40,000 fewer to read each
    // time.
    expect(decision.breakEvenRequests).toBeCloseTo((0.25 + 0.0025 - 0.042 - 0.00625) / 0.02, 6)
    expect(decision.explanation).toBe(
      'The next request has 85,000 tokens and the threshold is 80,000, but the cache still contains them. ' +
        'Now it costs $0.0483 unchanged and $0.2525 compressed, paid back after 10.2 more requests. ' +
        'It waits up to 95,000, or until the cache is cold.',
    )
  })

  test('compresses in a warm cache what is paid back within half as many requests as came', () => {
    const { breakEvenRequests } = decide(DUE)
    const enough = Math.ceil(2 * breakEvenRequests)
    expect(decide({ ...DUE, requests: enough - 1 }).action).toBe('wait')
    expect(decide({ ...DUE, requests: enough })).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
      isCacheWarm: true,
    })
  })

  test('compresses after a pause longer than the cache lives', () => {
    expect(decide({ ...DUE, secondsSinceLastRequest: 300 }).action).toBe('wait')
    expect(decide({ ...DUE, secondsSinceLastRequest: 301 })).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
      isCacheWarm: false,
      breakEvenRequests: 0,
    })
    expect(
      decide({ ...DUE, secondsSinceLastRequest: 301, cacheLifetimeSeconds: 3600 }).action,
    ).toBe('wait')
  })

  test('waits when what is left could be too short to be cached, warm or not', () => {
    const small = {
      ...DUE,
      tokens: 8500,
      cachedTokens: 0,
      fixedTokens: 100,
      windowTokens: 10_000,
      reserveTokens: 500,
    }
    const opus = findModel('claude-opus-4-5')
    const input = { ...small, thresholdTokens: 8000, targetTokens: 4500, cache: opus.cache }
    expect(decide(input)).toMatchObject({ action: 'wait', reason: 'below-break-even' })
    expect(decide(input).explanation).toMatch(/too short to be cached\. It waits up to 9,500\.$/)
    expect(decide({ ...input, fixedTokens: 4096 }).action).toBe('compress')
    expect(decide({ ...input, isCacheUsed: false }).action).toBe('compress')
  })

  test('keeps a threshold that the host set to the letter', () => {
    expect(decide({ ...DUE, isThresholdFixed: true })).toMatchObject({
      action: 'compress',
      reason: 'over-threshold',
    })
  })

  test('compresses what does not fit, whatever that costs', () => {
    expect(decide({ ...DUE, tokens: 95_000 }).action).toBe('wait')
    expect(decide({ ...DUE, tokens: 95_001 })).toMatchObject({
      action: 'compress',
      reason: 'over-window',
      explanation:
        'The next request has 95,001 tokens. The window of 100,000 has space for 95,000 next to the answer.',
    })
  })
})

describe('below the threshold', () => {
  test('compresses as soon as it pays within the requests that the host expects', () => {
    const { breakEvenRequests } = decide(BELOW)
    expect(decide({ ...BELOW, expectedRequests: Math.floor(breakEvenRequests) })).toMatchObject({
      reason: 'below-break-even',
    })
    expect(decide({ ...BELOW, expectedRequests: Math.ceil(breakEvenRequests) + 2 })).toMatchObject({
      action: 'compress',
      reason: 'pays',
    })
  })

  test('waits', () => {
    expect(decide(BELOW)).toMatchObject({
      action: 'wait',
      reason: 'under-threshold',
      explanation: 'The next request has 60,000 tokens. The threshold is 80,000.',
    })
  })

  test('waits for an epoch: a compression has to save a fifth of the request', () => {
    const spending = { requests: 50, savedDollars: 0, removedTokens: 60_000 }
    const input = { ...BELOW, secondsSinceLastRequest: 4000, spending }
    expect(decide({ ...input, tokens: 60_000 }).reason).toBe('pays')
    expect(decide({ ...input, tokens: 56_000 }).reason).toBe('below-break-even')
  })
})

describe('after a compression that changed next to nothing', () => {
  test('waits until something comes', () => {
    expect(decide({ ...DUE, tokens: 99_000, wasIneffective: true })).toMatchObject({
      action: 'wait',
      reason: 'ineffective',
    })
  })
})

test('a longer cache costs more to fill and pays back later', () => {
  expect(decide({ ...DUE, cacheLifetimeSeconds: 3600 }).breakEvenRequests).toBeGreaterThan(
    decide(DUE).breakEvenRequests,
  )
})

test('a summary by a model is part of the price', () => {
  const { pricesPerMillionTokens: summarizerPrices } = OPUS
  if (!summarizerPrices) throw new Error('the model has no prices')
  const decision = decide({ ...DUE, summarizerPrices })
  expect((decision.dollars?.compress ?? 0) - (decide(DUE).dollars?.compress ?? 0)).toBeCloseTo(
    0.2 + 0.1,
    6,
  )
})

test('what is due, warm and fits waits only where compressing is not cheaper', {
  tags: 'property',
}, () => {
  const inputs = fc.record({
    tokens: fc.integer({ min: 1, max: 100_000 }),
    fixedTokens: fc.nat(20_000),
    targetTokens: fc.integer({ min: 1, max: 60_000 }),
    cachedTokens: fc.nat(100_000),
    secondsSinceLastRequest: fc.nat(8000),
    wasIneffective: fc.boolean(),
    isCacheUsed: fc.boolean(),
    isThresholdFixed: fc.boolean(),
  })
  fc.assert(
    fc.property(inputs, (input) => {
      const { action, reason, dollars, tokens, explanation } = decide({ ...DUE, ...input })
      expect(explanation).not.toMatch(/NaN|undefined|Infinity/)
      if (reason === 'below-break-even')
        expect(dollars?.wait ?? 0).toBeLessThanOrEqual(dollars?.compress ?? 0)
      if (action === 'wait' && reason !== 'ineffective') expect(tokens).toBeLessThanOrEqual(95_000)
    }),
  )
})
