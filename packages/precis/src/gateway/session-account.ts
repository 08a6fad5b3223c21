/** The account of a session as it is stored: JSON, checked when it is read. */
import * as z from 'zod'

const count = z.number().nonnegative()

/** One model in one session. A prompt token is counted in exactly one of the first three. */
const modelAccount = z.object({
  requests: count,
  input: count,
  cachedInput: count,
  cacheWrite: count,
  output: count,
  /** US dollars by the catalogue; absent where it has no prices of the model. */
  dollars: z.number().optional(),
  /** Answers that came in pieces, from which the model's speed is measured. */
  timed: z.object({
    answers: count,
    firstByteMilliseconds: count,
    outputTokens: count,
    outputMilliseconds: count,
  }),
  /** The newest turn. */
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
  /** What the newest request lacks because it was made shorter, in tokens of the provider. */
  removed: z.object({ tokens: count, act: z.enum(['guard', 'save']) }),
  /** What was written to the provider's cache anew because of that. */
  lost: z.object({ tokens: count, dollars: z.number() }),
  /** What turns were spared by being shorter, that itself not taken off. */
  saved: z.object({ turns: count, tokens: count, dollars: z.number() }),
  /** Turns whose requests would not have fitted. */
  fittedTurns: count,
})

/** Compactions that precis answered. Their tokens were not billed. */
const compactionAccount = z.object({
  count,
  inputTokens: count,
  outputTokens: count,
  /** What the answers took. */
  milliseconds: count,
  /** How many of them have a price, and what they would have cost in US dollars. */
  priced: count,
  dollars: count,
  /**
   * How many of them could be compared with the model's speed, and how much less they took; below
   * zero where it was more.
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
  /** The first and the newest request, in milliseconds since 1970. */
  began: z.number(),
  used: z.number(),
  /** Those that went to an upstream. */
  requests: count,
  errors: count,
  models: z.record(z.string(), modelAccount),
  compactions: compactionAccount,
  refusals: count,
  /** Newest first, not all of them. */
  acts: z.array(act),
  /** How often something was expected and nothing done, and the newest times with their reasons. */
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
 * What is stored for a session. `write` differs in every write, so that of two that write the same
 * one knows it lost.
 */
const storedAccount = z.object({ write: z.string(), account: sessionAccount })

/** Undefined for what no gateway of this version wrote. */
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
