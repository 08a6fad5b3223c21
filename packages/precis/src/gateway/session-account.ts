/** The account of a session as it is stored: JSON, validated on reading. */
import * as z from 'zod'

const count = z.number().nonnegative()

/** One model in one session. Each prompt token is in exactly one of the first three counts. */
const modelAccount = z.object({
  requests: count,
  input: count,
  cachedInput: count,
  cacheWrite: count,
  output: count,
  /** US dollars by the catalog. Missing if the catalog has no prices of the model. */
  dollars: z.number().optional(),
  /** Answers that came in pieces, which show the model's speed. */
  timed: z.object({
    answers: count,
    firstByteMilliseconds: count,
    outputTokens: count,
    outputMilliseconds: count,
  }),
  /** The latest turn. */
  last: z
    .object({
      time: z.number(),
      promptTokens: count,
      outputTokens: count,
      /** Whether the provider kept the beginning of the prompt. */
      caches: z.boolean(),
      windowTokens: count.optional(),
    })
    .optional(),
  /** What the latest request lacks because it was shortened, in the provider's tokens. */
  removed: z.object({ tokens: count, act: z.enum(['guard', 'save']) }),
  /** What was written to the provider's cache again because of that. */
  lost: z.object({ tokens: count, dollars: z.number() }),
  /** What turns saved by being shorter. The loss is not subtracted. */
  saved: z.object({ turns: count, tokens: count, dollars: z.number() }),
  /** Turns whose requests would not have fitted unchanged. */
  fittedTurns: count,
})

/** Compactions that precis answered. Their tokens were not billed. */
const compactionAccount = z.object({
  count,
  inputTokens: count,
  outputTokens: count,
  /** How long the answers took. */
  milliseconds: count,
  /** How many of them have a price, and what they would have cost in US dollars. */
  priced: count,
  dollars: count,
  /**
   * How many of them could be compared with the model's speed, and how much less time they took.
   * Below zero if they took more.
   */
  timed: count,
  savedMilliseconds: z.number(),
})

const act = z.object({
  type: z.enum(['answer', 'replace', 'refuse']),
  act: z.enum(['answer', 'guard', 'save', 'restore']),
  time: z.number(),
  milliseconds: count,
  model: z.string(),
  tokensBefore: count,
  tokensAfter: count,
  archived: z.string().optional(),
  facts: z.object({ kept: count, before: count }).optional(),
  problem: z.string().optional(),
  lostTokens: count.optional(),
  /** What the model's own compaction would have cost and taken. */
  modelDollars: count.optional(),
  modelMilliseconds: count.optional(),
})

const sessionAccount = z.object({
  agent: z.string().optional(),
  /** The first and the latest request, in milliseconds since 1970. */
  began: z.number(),
  used: z.number(),
  /** Requests that were sent to an upstream. */
  requests: count,
  errors: count,
  models: z.record(z.string(), modelAccount),
  compactions: compactionAccount,
  refusals: count,
  /** Latest first, but not all of them. */
  acts: z.array(act),
  /** How often an expected action was not taken, and the latest times with their reasons. */
  passes: z.record(z.string(), count),
  passed: z.array(
    z.object({ time: z.number(), reason: z.string(), problem: z.string().optional() }),
  ),
})

export type ModelAccount = z.infer<typeof modelAccount>
export type CompactionAccount = z.infer<typeof compactionAccount>
export type AccountedAct = z.infer<typeof act>
export type SessionAccount = z.infer<typeof sessionAccount>

export function createModelAccount(): ModelAccount {
  return {
    requests: 0,
    input: 0,
    cachedInput: 0,
    cacheWrite: 0,
    output: 0,
    timed: { answers: 0, firstByteMilliseconds: 0, outputTokens: 0, outputMilliseconds: 0 },
    removed: { tokens: 0, act: 'save' },
    lost: { tokens: 0, dollars: 0 },
    saved: { turns: 0, tokens: 0, dollars: 0 },
    fittedTurns: 0,
  }
}

export function createAccount(time: number): SessionAccount {
  const compactions: CompactionAccount = {
    count: 0,
    inputTokens: 0,
    outputTokens: 0,
    milliseconds: 0,
    priced: 0,
    dollars: 0,
    timed: 0,
    savedMilliseconds: 0,
  }
  return {
    began: time,
    used: time,
    requests: 0,
    errors: 0,
    models: {},
    compactions,
    refusals: 0,
    acts: [],
    passes: {},
    passed: [],
  }
}

/**
 * What is stored for a session. `write` differs in every write, so if two processes write the same
 * account, the loser notices.
 */
const storedAccount = z.object({ write: z.string(), account: sessionAccount })

/** Undefined for anything that a gateway of this version did not write. */
export function parseAccount(json: string): SessionAccount | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return storedAccount.safeParse(value).data?.account
}

export function renderAccount(account: SessionAccount, write: string): string {
  return JSON.stringify({ write, account })
}
