import { beforeEach, describe, expect, test, vi } from 'vitest'
import { exactly, type TokenCount } from './estimate.ts'

const text =
  'The parser reads one token after the other, and src/parser/read-token.ts does not handle `\\u{1F600}`. 1234567 == x[3];\n'
const history = Array.from({ length: 60 }, (_, turn) => [
  {
    role: 'user',
    content: `Read file ${turn} of the parser, and never touch src/generated/file-${turn}.ts.`,
  },
  { role: 'assistant', content: `File ${turn} is fine. ${text.repeat(8)}` },
]).flat()

type Core = typeof import('../index.ts')

/** The modules anew: no vocabulary is loaded in them, or both. */
async function importCore(isLoaded: boolean): Promise<Core> {
  vi.resetModules()
  if (isLoaded) {
    await import('./o200k.ts')
    await import('./cl100k.ts')
  }
  return await import('../index.ts')
}

/** What `run` gives without a vocabulary, and with both. */
async function runBoth<Result>(
  run: (core: Core) => Promise<Result>,
): Promise<readonly [Result, Result]> {
  return [await run(await importCore(false)), await run(await importCore(true))]
}

const clock = { now: () => 1_700_000_000_000, wait: async () => {} }
const contains = (wide: TokenCount, narrow: TokenCount) =>
  wide.lower <= narrow.lower && narrow.upper <= wide.upper

describe('before its vocabulary is loaded', () => {
  beforeEach(() => vi.resetModules())

  test.each(['gpt-5', 'gpt-4', 'claude-opus-4-8', 'gemini-3-pro'])(
    'a counter of %s gives an interval around its count',
    async (id) => {
      const { createTokenCounter, findModel } = await importCore(false)
      const counter = createTokenCounter(findModel(id))
      expect(counter.isLoaded).toBe(false)
      const early = counter.countText(text.repeat(50))
      expect(early.lower).toBeLessThan(early.upper)
      await counter.load()
      expect(counter.isLoaded).toBe(true)
      expect(contains(early, counter.countText(text.repeat(50)))).toBe(true)
    },
  )

  test('a message that was counted is counted again afterwards', async () => {
    const { createTokenCounter, findModel } = await importCore(false)
    const counter = createTokenCounter(findModel('gpt-5'))
    const message = { role: 'user' as const, parts: [{ type: 'text' as const, text }] } as never
    const early = counter.countMessage(message)
    expect(early.lower).toBeLessThan(early.upper)
    await counter.load()
    const late = counter.countMessage(message)
    expect(late).toEqual(exactly(late.upper))
  })

  test('a context says that its size is an estimate, above what it is', async () => {
    const { createContext } = await importCore(false)
    const context = createContext({ model: 'gpt-5', messages: history })
    const { isEstimated, tokens } = context.state
    expect(isEstimated).toBe(true)
    await context.prepare()
    expect(context.state.isEstimated).toBe(false)
    expect(context.state.tokens).toBeLessThanOrEqual(tokens)
  })
})

describe('results are the same whether a vocabulary was loaded before', () => {
  test('of compress', { tags: 'slow' }, async () => {
    const [cold, warm] = await runBoth(({ compress }) =>
      compress(history, { model: 'gpt-5', budgetTokens: 2_000 }),
    )
    expect(cold.outcome.type).toBe('compressed')
    expect(cold).toEqual(warm)
  })

  test('of strategies that are applied one after the other', { tags: 'slow' }, async () => {
    const [cold, warm] = await runBoth(async ({ applyStrategies, createBands }) => {
      const { formats } = await import('../formats/index.ts')
      const { conversation } = await applyStrategies(formats['openai-chat'].parse(history), [
        createBands(),
      ])
      return conversation.messages.map(({ parts }) => parts)
    })
    expect(cold).toEqual(warm)
  })

  test('of a context: requests, compressions by hand, usage that was reported early, and switches', {
    tags: 'slow',
  }, async () => {
    const [cold, warm] = await runBoth(async ({ createContext }) => {
      const context = createContext({
        model: 'gpt-5',
        windowTokens: 12_000,
        messages: history,
        clock,
      })
      // Between the count and its upper bound: it is only worth something to a host that counts
      // exactly.
      context.recordUsage({ inputTokens: 14_500, outputTokens: 10 })
      const preview = await context.previewSwitch('gpt-4', { windowTokens: 8_000 })
      const prepared = await context.prepare()
      context.append({ role: 'user', content: 'Go on.' })
      const compressed = await context.compress({ budgetTokens: 3_000 })
      const switched = await context.switchModel('gpt-4', { windowTokens: 4_000 })
      const { outcome, tokensBefore, tokensAfter } = compressed
      return {
        preview,
        tokens: prepared.tokens,
        outcome,
        tokensBefore,
        tokensAfter,
        switched,
        sent: context.messages,
        state: context.state,
      }
    })
    expect(cold.outcome.type).toBe('compressed')
    expect(cold).toEqual(warm)
  })

  test('of a follower', { tags: 'slow' }, async () => {
    const [cold, warm] = await runBoth(async ({ createFollower }) => {
      const follower = createFollower({ format: 'openai-chat', windowTokens: 9_000, clock })
      const first = await follower.next({ model: 'gpt-5', messages: history })
      const second = await follower.next({
        model: 'gpt-5',
        messages: [...history, { role: 'user', content: 'Go on.' }],
      })
      return [first.messages, second.messages]
    })
    expect(cold[0]?.length).toBeLessThan(history.length)
    expect(cold).toEqual(warm)
  })
})
