import { describe, expect, test } from 'vitest'
import type { AccountEvent } from './account-turn.ts'
import { addEvent } from './add-event.ts'
import type { ActRecord } from './gateway.ts'
import type { SessionAccount } from './session-account.ts'

const START = 1_800_000_000_000
const MINUTE = 60_000
/**
 * $3 for a new token, $15 for one of an answer, $0.30 for a read, $3.75 for a write and $6 for a
 * write that lives an hour.
 */
const MODEL = 'claude-sonnet-4-5'

function event(more: Partial<AccountEvent>): AccountEvent {
  return {
    time: START,
    agent: 'claude-code',
    model: MODEL,
    windowTokens: undefined,
    status: 200,
    usage: undefined,
    isLongLived: false,
    milliseconds: 6000,
    firstByteMilliseconds: 1000,
    ...more,
  }
}

const usage = (
  inputTokens: number,
  cachedInputTokens: number,
  cacheWriteTokens: number,
  outputTokens = 100,
) => ({
  inputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  outputTokens,
})

function record(more: Partial<ActRecord>): ActRecord {
  return {
    act: 'answer',
    time: START,
    milliseconds: 800,
    model: MODEL,
    tokensBefore: 120_000,
    tokensAfter: 4000,
    ...more,
  }
}

function add(...events: Partial<AccountEvent>[]): SessionAccount {
  const account = events.map(event).reduce<SessionAccount | undefined>(addEvent, undefined)
  if (!account) throw new Error('no events')
  return account
}

const turn = { usage: usage(100_000, 90_000, 9000, 500) }
const answered = { usage: undefined, done: { type: 'answer', record: record({}) } } as const

describe('a turn', () => {
  test('costs what its tokens cost, each counted once', () => {
    const { models, requests } = add(turn)
    expect(requests).toBe(1)
    expect(models[MODEL]).toMatchObject({
      input: 1000,
      cachedInput: 90_000,
      cacheWrite: 9000,
      output: 500,
    })
    // 1000 × 3 + 90 000 × 0.3 + 9000 × 3.75 + 500 × 15
    expect(models[MODEL]?.dollars).toBeCloseTo(0.07125, 10)
  })

  test('that writes for an hour pays the price of that', () => {
    // 9000 × (6 − 3.75) in addition
    expect(add({ ...turn, isLongLived: true }).models[MODEL]?.dollars).toBeCloseTo(0.0915, 10)
  })

  test('of a model without prices has tokens and no dollars', () => {
    const { models } = add({ ...turn, model: 'a-model-of-our-own' })
    expect(models['a-model-of-our-own']).toMatchObject({ output: 500 })
    expect(models['a-model-of-our-own']?.dollars).toBeUndefined()
  })

  test('that failed is an error, and has no speed', () => {
    expect(add({ status: 529 })).toMatchObject({ requests: 1, errors: 1, models: {} })
  })

  test('passes with nothing lost', () => {
    const { models } = add(
      turn,
      { ...turn, time: START + MINUTE },
      { ...turn, time: START + 2 * MINUTE },
    )
    expect(models[MODEL]?.lost).toEqual({ tokens: 0, dollars: 0 })
    expect(models[MODEL]?.saved).toEqual({ turns: 0, tokens: 0, dollars: 0 })
  })
})

describe('an answered compaction', () => {
  test('is worth the history read from the cache once more, and a summary of the size that models write', () => {
    const { compactions, requests } = add(turn, { ...answered, time: START + MINUTE })
    expect(requests).toBe(1)
    // 100 000 × 0.3 + 500 × 3.75 + 4400 × 15: the cache has the prompt of the turn before, but not
    // its answer
    expect(compactions.dollars).toBeCloseTo(0.097875, 10)
    expect(compactions).toMatchObject({
      count: 1,
      priced: 1,
      inputTokens: 120_000,
      outputTokens: 4000,
    })
  })

  test('is worth more when the cache is cold', () => {
    // 100 500 × 3.75 + 4400 × 15
    expect(add(turn, { ...answered, time: START + 10 * MINUTE }).compactions.dollars).toBeCloseTo(
      0.442875,
      10,
    )
  })

  test('is not taken for cold where the client pays for an hour', () => {
    const { compactions } = add(turn, { ...answered, time: START + 10 * MINUTE, isLongLived: true })
    // 100 000 × 0.3 + 500 × 6 + 4400 × 15
    expect(compactions.dollars).toBeCloseTo(0.099, 10)
  })

  test('would have taken as long as this model was measured to take', () => {
    const { compactions } = add(turn, { ...answered, time: START + MINUTE })
    // 5 s for 500 tokens: 1 s to the first byte and 4400 × 10 ms, less our 0.8 s
    expect(compactions).toMatchObject({ timed: 1, savedMilliseconds: 44_200, milliseconds: 800 })
  })

  test('has no time where no answer was timed, and no price where the model has none', () => {
    const { compactions } = add({
      ...answered,
      model: 'a-model-of-our-own',
      done: { type: 'answer', record: record({ model: 'a-model-of-our-own' }) },
    })
    expect(compactions).toMatchObject({
      count: 1,
      priced: 0,
      dollars: 0,
      timed: 0,
      savedMilliseconds: 0,
    })
  })

  test('says nothing of speed after answers in one piece', () => {
    const { compactions } = add({ ...turn, firstByteMilliseconds: 5990 }, answered)
    expect(compactions.timed).toBe(0)
  })
})

describe('a history that was made shorter to save', () => {
  const shortened = {
    time: START + MINUTE,
    usage: usage(20_000, 5000, 15_000),
    done: {
      type: 'replace',
      record: record({ act: 'save', tokensBefore: 110_000, tokensAfter: 22_000 }),
    },
  } as const
  const later = {
    time: START + 2 * MINUTE,
    usage: usage(21_000, 20_000, 1000),
    done: {
      type: 'replace',
      record: record({ act: 'save', tokensBefore: 23_000, tokensAfter: 23_000 }),
    },
  } as const

  test('was written anew once', () => {
    const { lost, removed } = add(turn, shortened).models[MODEL] ?? {}
    // 88 000 of our tokens are 80 000 of the provider's. Its cache had 100 000 tokens, and 15 000
    // are written again.
    expect(removed).toEqual({ tokens: 80_000, act: 'save' })
    expect(lost?.tokens).toBe(15_000)
    // 15 000 × (3.75 − 0.3)
    expect(lost?.dollars).toBeCloseTo(0.05175, 10)
  })

  test('saves the reading of what is not there, in every later turn', () => {
    const { saved } = add(turn, shortened, later).models[MODEL] ?? {}
    expect(saved?.turns).toBe(2)
    // twice 80 000 × 0.3
    expect(saved?.dollars).toBeCloseTo(0.048, 10)
  })

  test('is told among the acts once, with what was written anew', () => {
    const { acts } = add(turn, shortened, later)
    expect(acts).toHaveLength(1)
    expect(acts[0]).toMatchObject({
      act: 'save',
      tokensBefore: 110_000,
      tokensAfter: 22_000,
      lostTokens: 15_000,
    })
  })

  test('is whole again with a request that passes', () => {
    const { removed, saved } =
      add(
        turn,
        shortened,
        { ...turn, time: START + 2 * MINUTE },
        { ...later, time: START + 3 * MINUTE },
      ).models[MODEL] ?? {}
    expect(removed?.tokens).toBe(0)
    expect(saved?.turns).toBe(1)
  })

  test('saves nothing where it would not have fitted', () => {
    const { saved, fittedTurns } =
      add(turn, { ...shortened, windowTokens: 90_000 }).models[MODEL] ?? {}
    expect(saved).toEqual({ turns: 0, tokens: 0, dollars: 0 })
    expect(fittedTurns).toBe(1)
  })
})

test('a guarded history has turns that would not have fitted, and no dollars that nobody would have paid', () => {
  const guarded = {
    time: START + MINUTE,
    usage: usage(150_000, 0, 150_000),
    done: {
      type: 'replace',
      record: record({ act: 'guard', tokensBefore: 230_000, tokensAfter: 150_000 }),
    },
  } as const
  const { lost, saved, fittedTurns } = add(turn, guarded).models[MODEL] ?? {}
  // The cache had 100 000 of 230 000 tokens from the turn before. 130 000 were new in any case, and
  // 150 000 were written.
  expect(lost?.tokens).toBe(20_000)
  expect(saved?.dollars).toBe(0)
  expect(fittedTurns).toBe(1)
})

test('what was expected and not done is counted by its reason, and what fits is not', () => {
  const pass = (reason: 'unknown' | 'too-late' | 'fits', time: number) => ({
    time,
    pass: { reason, problem: `${reason}!` },
  })
  const { passes, passed } = add(
    pass('unknown', START),
    pass('fits', START + 1),
    pass('too-late', START + 2),
    pass('unknown', START + 3),
  )
  expect(passes).toEqual({ unknown: 2, 'too-late': 1 })
  expect(passed.map(({ time, reason, problem }) => [time - START, reason, problem])).toEqual([
    [3, 'unknown', 'unknown!'],
    [2, 'too-late', 'too-late!'],
    [0, 'unknown', 'unknown!'],
  ])
})

test('a client that names a thousand models, one of them __proto__, has an account of twenty and the others', () => {
  const names = [
    '__proto__',
    'constructor',
    ...Array.from({ length: 1000 }, (_, index) => `model ${index}`),
  ]
  const { models } = add(...names.map((model) => ({ ...turn, model })))
  expect(Object.keys(models)).toHaveLength(21)
  expect(Object.values(models).reduce((sum, { requests }) => sum + requests, 0)).toBe(1002)
})
