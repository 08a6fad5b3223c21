/** The settings as users write them, and their allowed values. */
import { spends } from '@precis/core/context'
import { z } from 'zod'
import { LEAST_THRESHOLD, LONGEST_TIMEOUT_MS, readThreshold, strategyChoices } from './choices.ts'

const KEEP_ENDS = 'give an object with "head", "tail" or both'

const wholeNumber = (from: number, to: number) => {
  const error = `give a whole number from ${from} to ${to}`
  return z.number({ error }).int({ error }).min(from, { error }).max(to, { error })
}
const text = z.string({ error: 'give a text' }).min(1, { error: 'give a text that is not empty' })

const KEEP =
  'give a share from 0 to 1, or one of { "tokens": 5000 }, { "messages": 20 }, { "turns": 3 }'
const fraction = z.number({ error: KEEP }).min(0, { error: KEEP }).max(1, { error: KEEP })
const count = z.number({ error: KEEP }).int({ error: KEEP }).min(0, { error: KEEP })
export const keep = z.union(
  [
    fraction,
    z.strictObject({ fraction, of: z.enum(['tokens', 'messages']).optional() }),
    z.strictObject({ tokens: count }),
    z.strictObject({ messages: count }),
    z.strictObject({ turns: count }),
  ],
  { error: KEEP },
)
const BUDGET_TEXT =
  /^(?:model|\d[\d_]{0,15}(?:\.\d{1,6})?\s?[km]?|(?:100|[1-9]?\d(?:\.\d{1,6})?)\s?%)$/i
const BUDGET = { error: 'give tokens, as 8000 or "8k", a share, as "50%", or "model"' }
const THRESHOLD = 'give a share of the window from 0.01 to 1, as 0.6 or "60%"'
const threshold = z
  .union([z.number(), z.string().transform((text) => readThreshold(text) ?? Number.NaN)], {
    error: THRESHOLD,
  })
  .refine((share) => share >= LEAST_THRESHOLD && share <= 1, { error: THRESHOLD })
const address = z.url({
  protocol: /^https?$/,
  error: 'give an address that begins with https:// or http://',
})
const windowTokens = wholeNumber(2000, 100_000_000)
const strategy = z.enum(Object.keys(strategyChoices))
/**
 * How a user describes a summarizer, in the configuration file and with `--summarizer` and
 * `--base-url`.
 */
export const summarizer = z.strictObject({
  /** `digest` or `provider/model`. */
  name: text.optional(),
  /** Replaces the model for inputs of 900 000 tokens and more, as `provider/model`. */
  strongModel: text.optional(),
  /** Includes the version, like the addresses in the provider's own clients: `https://…/v1`. */
  baseUrl: address.optional(),
  /** Contains only the key, and only its owner can read it. */
  keyFile: text.optional(),
  /** For a provider that accepts less than the model, or for an unknown model. */
  contextWindowTokens: windowTokens.optional(),
  /** 10 by default. */
  maxInFlight: wholeNumber(1, 200).optional(),
  /** For a first attempt. By default it depends on the size of the call. */
  timeoutMs: wholeNumber(1, LONGEST_TIMEOUT_MS).optional(),
  /** Contains `<provider>/<model>/<prompt>.md`, `<provider>/<prompt>.md` or `<prompt>.md`. */
  promptsFolder: text.optional(),
})
/**
 * The settings of `precis chat` only. A strategy and a summarizer here override those of all
 * commands.
 */
export const chat = z.strictObject(
  {
    /** `provider/model`. */
    model: text.optional(),
    strategy: strategy.optional(),
    summarizer: text.optional(),
    /** For a provider that accepts less than the model, or for an unknown model. */
    windowTokens: windowTokens.optional(),
    /** Address of the provider that `model` names. The key is for the same provider. */
    baseUrl: address.optional(),
    keyFile: text.optional(),
  },
  { error: 'give an object with a "model"' },
)
/** The settings of the archive. */
export const archive = z.strictObject({
  /** If false, nothing is kept. */
  enabled: z.boolean({ error: 'give true or false' }).optional(),
  quotaMegabytes: wholeNumber(1, 100_000_000).optional(),
  /** A file, or `postgres://…`. */
  database: text.optional(),
})
/** Base addresses, by the names of upstreams. */
const upstreams = z.strictObject(
  {
    anthropic: address.optional(),
    openai: address.optional(),
    chatgpt: address.optional(),
    google: address.optional(),
    'google-internal': address.optional(),
    bedrock: address.optional(),
    vertex: z
      .string()
      .startsWith('http', { error: 'give an address that begins with https:// or http://' })
      .optional(),
  },
  { error: 'give an object with addresses' },
)
/** The settings of `precis serve` only. Its token is never in a settings file. */
export const gateway = z.strictObject(
  {
    port: wholeNumber(1, 65_535).optional(),
    host: text.optional(),
    upstreams: upstreams.optional(),
    /** Overrides the known window of each model. */
    windowTokens: windowTokens.optional(),
    /** Whether it compresses requests if that saves money. */
    saves: z.boolean({ error: 'give true or false' }).optional(),
    /** Whether WebSockets of agents pass, although no action is possible in them. */
    websockets: z.boolean({ error: 'give true or false' }).optional(),
  },
  {
    error:
      'give an object with "port", "host", "upstreams", "windowTokens", "saves" or "websockets"',
  },
)
export const schema = z.strictObject({
  // Used by editors.
  $schema: z.string().optional(),
  strategy: strategy.optional(),
  budget: z
    .union([z.number().int(BUDGET).positive(BUDGET), z.string().regex(BUDGET_TEXT, BUDGET)], BUDGET)
    .optional(),
  spend: z.enum(spends).optional(),
  threshold: threshold.optional(),
  summarizer: z
    .union([text, summarizer], { error: 'give a name, or an object with a "name"' })
    .optional(),
  keep: z
    .strictObject({ head: keep.optional(), tail: keep.optional() }, { error: KEEP_ENDS })
    .optional(),
  chat: chat.optional(),
  gateway: gateway.optional(),
  archive: z
    .union([z.boolean(), archive], {
      error: 'give true, false, or an object with "enabled", "quotaMegabytes" or "database"',
    })
    .optional(),
})
