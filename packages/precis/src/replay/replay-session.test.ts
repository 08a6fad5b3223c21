import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { auto, digest, middleOut, type Summarizer } from '@precis/core'
import { pricePrompt } from '@precis/core/engine'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { loadSession } from '../sessions/load-session.ts'
import { measureSession, readRecordedSession } from './recorded-session.ts'
import type { ReplayRun } from './replay.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'
import { createRecordedSession, type MadeStep } from './session.suite.ts'

const OPTIONS: ReplayOptions = { strategy: auto, summarizer: digest() }

/** Twenty requests, each a thousand words further. */
const steady = Array.from({ length: 20 }, (): MadeStep => ({ words: 1000 }))

async function replay(made: readonly MadeStep[], options: Partial<ReplayOptions>, model?: string) {
  const session = measureSession(createRecordedSession(made, model))
  const replayed = await replaySession(session, { ...OPTIONS, ...options })
  const [short, long] = replayed.runs
  if (!short) throw new Error('nothing was replayed')
  return { session, replayed, short, long }
}

function findPeak(): number {
  const { steps } = measureSession(createRecordedSession(steady))
  return steps.reduce((sum, { inputTokens, answerTokens }) => sum + inputTokens + answerTokens, 0)
}

const countCompressions = ({ compressions }: ReplayRun) =>
  compressions.filter(({ outcome }) => outcome === 'compressed').length

describe('a window that is large enough', () => {
  test('changes nothing and costs the same', async () => {
    const { short, long } = await replay(steady, { windowTokens: 100_000 })
    expect(short.compressions).toEqual([])
    expect(short.firstTooLarge).toBeUndefined()
    expect(short.with).toEqual(short.without)
    expect(long?.with.money).toBeGreaterThan(short.with.money)
  })

  test('bills each request by what was sent before it', async () => {
    const { session, short } = await replay(steady, { windowTokens: 100_000 })
    const { pricesPerMillionTokens: prices, cache } = session.model
    if (!prices) throw new Error('the model has no prices')
    const [, second] = short.requests
    const [first, step] = session.steps
    const held = first?.inputTokens ?? 0
    expect(second?.tokens).toBe(held + (first?.answerTokens ?? 0) + (step?.inputTokens ?? 0))
    expect(second?.cachedTokens).toBe(held)
    const answer = ((step?.answerTokens ?? 0) * prices.output) / 1e6
    expect(second?.money).toBeCloseTo(
      pricePrompt(second?.tokens ?? 0, held, { prices, cache }) + answer,
      9,
    )
  })

  test('finds nothing in the cache after a pause longer than it lives', async () => {
    const made = steady.map((step, index) =>
      index === 10 ? { ...step, secondsLater: 1000 } : step,
    )
    const { short, long } = await replay(made, { windowTokens: 100_000 })
    expect(short.requests[10]).toMatchObject({ secondsSinceLast: 1000, cachedTokens: 0 })
    expect(short.requests[11]?.cachedTokens).toBeGreaterThan(0)
    expect(long?.requests[10]?.cachedTokens).toBeGreaterThan(0)
  })
})

test('tool schemas count once, however often the provider reported', async () => {
  const recorded = createRecordedSession(steady.slice(0, 5))
  const description =
    'looks at the shelf of a shop and says what is there, and what it costs '.repeat(400)
  const tools = [{ name: 'look', description, input_schema: { type: 'object' } }]
  const session = measureSession({ ...recorded, tools })
  const largest =
    session.fixedTokens +
    session.steps.reduce((sum, step) => sum + step.inputTokens + step.answerTokens, 0)
  expect(session.fixedTokens).toBeGreaterThan(500)
  const options = { ...OPTIONS, windowTokens: Math.ceil(largest / 0.75), reserveTokens: 0 }
  const [run] = (await replaySession(session, options)).runs
  expect(run?.requests.map(({ decision }) => decision)).toEqual(
    Array.from({ length: 5 }, () => 'under-threshold'),
  )
})

describe('a window that is too small', () => {
  test('compresses, fits every request and says that doing nothing was not possible', {
    tags: 'slow',
  }, async () => {
    const { short, replayed } = await replay(steady, { windowTokens: 10_000 })
    expect(countCompressions(short)).toBeGreaterThan(1)
    expect(short.requests.every(({ tokens, fits }) => fits && tokens <= 10_000)).toBe(true)
    expect(short.firstTooLarge).toBeGreaterThan(1)
    const before = short.requests[(short.firstTooLarge ?? 0) - 2]
    expect((before?.tokensWithout ?? 0) + replayed.reserveTokens).toBeLessThanOrEqual(10_000)
    expect(short.with.promptTokens).toBeLessThan(short.without.promptTokens)
  })

  test('keeps of the cache only what stands before the change', { tags: 'slow' }, async () => {
    const { short } = await replay(steady, { windowTokens: 10_000 })
    const [compression] = short.compressions
    const request = short.requests[(compression?.request ?? 0) - 1]
    expect(compression).toMatchObject({ outcome: 'compressed', trigger: 'threshold' })
    expect(request?.tokens).toBe(compression?.tokensAfter)
    expect(request?.cachedTokens).toBeLessThan((request?.tokens ?? 0) / 2)
    expect(request?.money).toBeGreaterThan(0)
  })

  test('tells what was needed later and lost', { tags: 'slow' }, async () => {
    const secret =
      'The table is called orders_legacy_77 and belongs to billing_core, in services/billing/orders_77.sql.'
    const made = steady.map((step, index): MadeStep => {
      if (index === 1)
        return { words: 0, text: `${secret}\n${'filler words of no importance '.repeat(200)}` }
      return index === 18
        ? { ...step, answer: 'psql -c "select * from orders_legacy_77" billing_core' }
        : step
    })
    const keeps = await replay(made, { windowTokens: 10_000 })
    expect(keeps.short.needed).toBeGreaterThan(0)
    expect(keeps.short.missing).toBeLessThanOrEqual(keeps.short.needed)
    const lost = keeps.short.compressions.flatMap(({ missing }) => missing)
    expect(keeps.short.with.readAgainMoney > 0).toBe(lost.length > 0)
  })
})

test('summaries by a model are part of what it costs', { tags: 'slow' }, async () => {
  const usage = { calls: 1, inputTokens: 100_000, outputTokens: 1000 }
  const summarizer: Summarizer = {
    name: 'anthropic/claude-haiku-4-5',
    summarize: async (request) => ({ ...(await digest().summarize(request)), usage }),
  }
  const { short } = await replay(steady, { windowTokens: 10_000, summarizer, strategy: middleOut })
  const requestMoney = short.requests.reduce((total, { money }) => total + money, 0)
  // 100,000 tokens at $1 and 1,000 at $5 per million, each time.
  expect(short.with.summaryMoney).toBeCloseTo(countCompressions(short) * 0.105, 9)
  expect(short.with.money).toBeCloseTo(requestMoney + short.with.summaryMoney, 9)
})

test('each summary is priced as the model that wrote it', { tags: 'slow' }, async () => {
  const used = { calls: 1, inputTokens: 100_000, outputTokens: 1000 }
  const models = ['anthropic/claude-opus-4-5', 'anthropic/claude-haiku-4-5'].map((model) => ({
    ...used,
    model,
  }))
  const usage = { calls: 2, inputTokens: 200_000, outputTokens: 2000, models }
  const summarizer: Summarizer = {
    name: 'anthropic/claude-haiku-4-5',
    summarize: async (request) => ({ ...(await digest().summarize(request)), usage }),
  }
  const { short } = await replay(steady, { windowTokens: 10_000, summarizer, strategy: middleOut })
  // At $5 and $25 per million, and at $1 and $5.
  expect(short.with.summaryMoney).toBeCloseTo(countCompressions(short) * (0.525 + 0.105), 9)
})

describe('between the threshold and the window', () => {
  // The last requests are above 0.8 of it, and all of them fit.
  const windowTokens = Math.round(1.12 * findPeak())

  test('waits while the cache is warm, and so costs nothing more', async () => {
    const { short } = await replay(steady, { windowTokens })
    expect(short.requests.some(({ decision }) => decision === 'below-break-even')).toBe(true)
    expect(countCompressions(short)).toBe(0)
    expect(short.with.money).toBe(short.without.money)
  })

  test('compresses after a pause, when that costs less at once', async () => {
    const made = steady.map((step, index) =>
      index === 18 ? { ...step, secondsLater: 1000 } : step,
    )
    const { short, long } = await replay(made, { windowTokens })
    expect(short.compressions.map(({ request }) => request)).toEqual([19])
    expect(short.firstTooLarge).toBeUndefined()
    expect(short.with.money).toBeLessThan(short.without.money)
    expect(long && countCompressions(long)).toBe(0)
  })

  test('keeps a threshold that was asked for', async () => {
    const { short } = await replay(steady, { windowTokens, threshold: 0.6 })
    expect(countCompressions(short)).toBeGreaterThan(0)
    expect(short.requests.every(({ decision }) => decision !== 'below-break-even')).toBe(true)
  })
})

test('never costs more than doing nothing where that was possible and the whole window is used, whatever the sizes and the pauses', {
  tags: 'property',
}, async () => {
  const made = fc.record({ words: fc.nat(4000), secondsLater: fc.constantFrom(5, 5, 5, 400, 4000) })
  const models = fc.constantFrom(
    'claude-opus-4-5',
    'claude-opus-4-8',
    'gpt-5',
    'gemini-3-pro-preview',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(made, { minLength: 2, maxLength: 12 }),
      models,
      fc.boolean(),
      async (steps, model, save) => {
        const session = measureSession(createRecordedSession(steps, model))
        const sizes = session.steps.map(
          ({ inputTokens, answerTokens }) => inputTokens + answerTokens,
        )
        const windowTokens = sizes.reduce((sum, size) => sum + size, session.fixedTokens) + 10
        const { runs } = await replaySession(session, {
          ...OPTIONS,
          spend: 'most-context',
          windowTokens,
          reserveTokens: 10,
          save,
        })
        for (const run of runs) {
          expect(run.firstTooLarge).toBeUndefined()
          expect(run.with.money).toBeLessThanOrEqual(run.without.money * (1 + 1e-9))
        }
      },
    ),
    // The second: what came last is most of it and stays, so a compression leaves more than its
    // target.
    {
      numRuns: runs(60),
      examples: [
        [
          [
            { words: 16, secondsLater: 5 },
            { words: 3000, secondsLater: 5 },
          ],
          'claude-opus-4-8',
          false,
        ],
        [
          [16, 1800, 8, 3066].map((words) => ({ words, secondsLater: 5 })),
          'claude-opus-4-8',
          false,
        ],
      ],
    },
  )
})

test('saves where the cache runs out far below the threshold, if it is asked to', {
  tags: 'slow',
}, async () => {
  const made = Array.from(
    { length: 30 },
    (_, index): MadeStep => ({ words: 3000, secondsLater: index === 20 ? 400 : 10 }),
  )
  const { short: idle } = await replay(made, {})
  expect(idle.compressions).toEqual([])
  const { short, long, replayed } = await replay(made, { save: true })
  expect(replayed.saves).toBe(true)
  expect(short.compressions).toMatchObject([
    { request: 21, trigger: 'economy', outcome: 'compressed' },
  ])
  expect(short.with.money).toBeLessThan(0.9 * short.without.money)
  // An hour has not passed, and nothing was saved that could be risked.
  expect(long?.compressions).toEqual([])
})

describe('what is not known', () => {
  test('without prices money is input tokens, once', async () => {
    const { replayed, short } = await replay(
      steady,
      { windowTokens: 10_000 },
      'a-model-nobody-knows',
    )
    expect(replayed.hasPrices).toBe(false)
    expect(replayed.runs).toHaveLength(1)
    expect(short.without.money).toBe(short.without.promptTokens)
  })

  test('the same recording gives the same replay', { tags: 'slow' }, async () => {
    const once = await replay(steady, { windowTokens: 10_000 })
    const again = await replay(steady, { windowTokens: 10_000 })
    expect(again.replayed).toEqual(once.replayed)
  })
})

const DATA = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))
const MOST_BYTES = 1_200_000

const recordings = ['claude-code', 'codex'].flatMap((folder) => {
  if (!existsSync(DATA + folder)) return []
  const paths = readdirSync(DATA + folder).map((name) => `${DATA}${folder}/${name}`)
  return paths.filter((path) => path.endsWith('.jsonl') && statSync(path).size < MOST_BYTES)
})

describe.skipIf(recordings.length === 0)(
  'recorded sessions (../shared/data, when it is there)',
  { tags: 'slow' },
  () => {
    test.each(recordings)(
      '%s costs no more than doing nothing where that was possible, and by default not much more',
      { timeout: 120_000 },
      async (path) => {
        const loaded = await loadSession(path)
        const session = measureSession(readRecordedSession(loaded))
        loaded.document.close()
        const whole = await replaySession(session, { ...OPTIONS, windowTokens: 10_000_000 })
        const peak = Math.max(
          ...(whole.runs[0]?.requests ?? []).map(({ tokensWithout }) => tokensWithout),
        )
        // By default it expects more requests, which may not come.
        const most = { 'most-context': 1 + 1e-9, balanced: 1.05 } as const
        for (const spend of ['most-context', 'balanced'] as const)
          for (const share of [0.5, 1.1]) {
            const { runs } = await replaySession(session, {
              ...OPTIONS,
              spend,
              windowTokens: Math.round(peak * share),
            })
            for (const run of runs) {
              if (run.firstTooLarge === undefined)
                expect(run.with.money).toBeLessThanOrEqual(run.without.money * most[spend])
              expect(run.requests.every(({ fits }) => fits)).toBe(true)
            }
          }
      },
    )
  },
)
