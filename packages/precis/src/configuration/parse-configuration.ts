import { z } from 'zod'
import type { ConfigurationLayer } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { strategyChoices } from './strategy-choices.ts'
import { LONGEST_TIMEOUT_MS } from './summarizer-settings.ts'
import { LEAST_THRESHOLD, readThreshold } from './threshold.ts'

const KEEP_ENDS = 'give an object with "head", "tail" or both'

const wholeNumber = (from: number, to: number) => {
  const error = `give a whole number from ${from} to ${to}`
  return z.number({ error }).int({ error }).min(from, { error }).max(to, { error })
}
const text = z.string({ error: 'give a text' }).min(1, { error: 'give a text that is not empty' })

const KEEP = 'give a share from 0 to 1, or one of { "tokens": 5000 }, { "messages": 20 }, { "turns": 3 }'
const fraction = z.number({ error: KEEP }).min(0, { error: KEEP }).max(1, { error: KEEP })
const count = z.number({ error: KEEP }).int({ error: KEEP }).min(0, { error: KEEP })
const keep = z.union(
  [
    fraction,
    z.strictObject({ fraction, of: z.enum(['tokens', 'messages']).optional() }),
    z.strictObject({ tokens: count }),
    z.strictObject({ messages: count }),
    z.strictObject({ turns: count }),
  ],
  { error: KEEP },
)
const BUDGET_TEXT = /^(?:\d[\d_]{0,15}(?:\.\d{1,6})?\s?[km]?|(?:100|[1-9]?\d(?:\.\d{1,6})?)\s?%)$/i
const BUDGET = { error: 'give tokens, as 8000 or "8k", or a share, as "50%"' }
const THRESHOLD = 'give a share of the window from 0.01 to 1, as 0.6 or "60%"'
const threshold = z
  .union([z.number(), z.string().transform((text) => readThreshold(text) ?? Number.NaN)], { error: THRESHOLD })
  .refine((share) => share >= LEAST_THRESHOLD && share <= 1, { error: THRESHOLD })
const address = z.url({ protocol: /^https?$/, error: 'give an address that begins with https:// or http://' })
const windowTokens = wholeNumber(2000, 100_000_000)
const strategy = z.enum(Object.keys(strategyChoices))
const summarizer = z.strictObject({
  name: text.optional(),
  strongModel: text.optional(),
  baseUrl: address.optional(),
  keyFile: text.optional(),
  contextWindowTokens: windowTokens.optional(),
  maxInFlight: wholeNumber(1, 200).optional(),
  timeoutMs: wholeNumber(1, LONGEST_TIMEOUT_MS).optional(),
  promptsFolder: text.optional(),
})
const chat = z.strictObject(
  {
    model: text.optional(),
    strategy: strategy.optional(),
    summarizer: text.optional(),
    windowTokens: windowTokens.optional(),
    baseUrl: address.optional(),
    keyFile: text.optional(),
  },
  { error: 'give an object with a "model"' },
)
const archive = z.strictObject({
  enabled: z.boolean({ error: 'give true or false' }).optional(),
  quotaMegabytes: wholeNumber(1, 100_000_000).optional(),
  database: text.optional(),
})
const schema = z.strictObject({
  // For editors.
  $schema: z.string().optional(),
  strategy: strategy.optional(),
  budget: z.union([z.number().int(BUDGET).positive(BUDGET), z.string().regex(BUDGET_TEXT, BUDGET)], BUDGET).optional(),
  threshold: threshold.optional(),
  summarizer: z.union([text, summarizer], { error: 'give a name, or an object with a "name"' }).optional(),
  keep: z.strictObject({ head: keep.optional(), tail: keep.optional() }, { error: KEEP_ENDS }).optional(),
  chat: chat.optional(),
  archive: z
    .union([z.boolean(), archive], {
      error: 'give true, false, or an object with "enabled", "quotaMegabytes" or "database"',
    })
    .optional(),
})

/** Checks what a place says. `place` is how the person finds it: a file, or a variable. */
export function parseConfiguration(value: unknown, place: string): ConfigurationLayer {
  const { success, data, error } = schema.safeParse(value)
  if (!success) throw new ConfigurationError('invalid-configuration', describe(error.issues, value, place))
  const { strategy, budget, threshold, summarizer, keep, chat, archive } = data
  return dropUndefined({
    strategy,
    budget: budget === undefined ? undefined : String(budget),
    threshold,
    summarizer: typeof summarizer === 'string' ? { name: summarizer } : summarizer && dropUndefined(summarizer),
    keep: keep && dropUndefined({ head: toKeep(keep.head), tail: toKeep(keep.tail) }),
    chat: chat && dropUndefined(chat),
    archive: typeof archive === 'boolean' ? { enabled: archive } : archive && dropUndefined(archive),
  })
}

const PROJECT_KEYS = ['strategy', 'budget', 'threshold', 'keep'] as const
const MOST_NAMED = 8

/**
 * Reads the configuration of a stranger's repository: only settings that can harm nobody are taken. Everything else, and each value that
 * cannot be, is ignored, and `notices` says so: a repository must not stop a hook from keeping a session.
 */
export function parseProject(
  value: unknown,
  place: string,
  userFile: string,
): { readonly layer: ConfigurationLayer; readonly notices: readonly string[] } {
  if (!isRecord(value) || Array.isArray(value))
    return { layer: {}, notices: [`${place} is ignored: it holds no object`] }
  const taken: Record<string, unknown> = {}
  const notices: string[] = []
  for (const key of PROJECT_KEYS.filter((name) => Object.hasOwn(value, name))) {
    const { success, error } = schema.shape[key].safeParse(value[key])
    if (success) taken[key] = value[key]
    else notices.push(`In ${place} "${key}" is ignored: ${explainIssue(error.issues[0])}`)
  }
  const others = Object.keys(value).filter((name) => name !== '$schema' && !PROJECT_KEYS.some((key) => key === name))
  if (others.length > 0) {
    const named = others.slice(0, MOST_NAMED).map(quoteKey)
    const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : ''
    notices.push(
      `In ${place} ${named.join(', ')}${more} ${others.length > 1 ? 'are' : 'is'} ignored: a project may set ${PROJECT_KEYS.join(', ')} and nothing else. Your own settings stand in "${userFile}"`,
    )
  }
  return { layer: parseConfiguration(taken, place), notices }
}

const LONGEST_KEY = 30

/** The name of a stranger, which may reach a terminal and a model. */
function quoteKey(key: string): string {
  return `"${key.slice(0, LONGEST_KEY).replace(/[^\w.$-]/g, '?')}"`
}

function explainIssue(issue: z.core.$ZodIssue | undefined): string {
  return issue?.code === 'invalid_value' ? `give one of ${issue.values.join(', ')}` : (issue?.message ?? 'it cannot be')
}

type GivenKeep = z.infer<typeof keep> | undefined

function toKeep(given: GivenKeep) {
  if (typeof given !== 'object') return given === undefined ? undefined : { fraction: given }
  return 'fraction' in given ? dropUndefined(given) : given
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }
type WithoutUndefined<T> = Pick<T, RequiredKeys<T>> & Defined<Omit<T, RequiredKeys<T>>>
type RequiredKeys<T> = { [Key in keyof T]-?: undefined extends T[Key] ? never : Key }[keyof T]

function dropUndefined<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as WithoutUndefined<T>
}

const KNOWN: Readonly<Record<string, object>> = {
  summarizer: summarizer.shape,
  keep: { head: 0, tail: 0 },
  chat: chat.shape,
  archive: archive.shape,
}

/** The first fault: where it is, what stands there, what may stand there. */
function describe(issues: readonly z.core.$ZodIssue[], value: unknown, place: string): string {
  const issue = findIssue(issues, value)
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = KNOWN[path[0] ?? ''] ?? schema.shape
    const names = Object.keys(known).filter((name) => name !== '$schema')
    return `In ${place}: unknown key "${[...path, issue.keys[0]].join('.')}". Known here: ${names.join(', ')}.`
  }
  const where = path.length === 0 ? 'the configuration' : `"${path.join('.')}"`
  const allowed =
    issue.code === 'invalid_value'
      ? `give one of ${issue.values.join(', ')}`
      : path.length === 0
        ? 'give an object'
        : issue.message
  return `In ${place}: ${where} is ${hidePasswords(render(readAt(value, path)))?.slice(0, 200)}; ${allowed}.`
}

/** Values that are nested too deeply for JSON, or contain themselves, have no text. */
function render(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return 'something that cannot be shown'
    throw error
  }
}

const PASSWORD = /:\/\/[^"\s]*@/g

/** An address may stand where none belongs. */
function hidePasswords(json: string | undefined): string | undefined {
  return json?.replace(PASSWORD, '://…@')
}

/** Of a summarizer that is an object its own fault says more than that it is no name. */
function findIssue(issues: readonly z.core.$ZodIssue[], value: unknown): z.core.$ZodIssue {
  const [issue] = issues
  if (!issue) throw new TypeError('Describing a fault of the configuration: there is none.')
  if (issue.code !== 'invalid_union' || issue.path[0] !== 'summarizer') return issue
  const inner = issue.errors.at(-1)?.[0]
  if (!inner || !isRecord(readAt(value, ['summarizer']))) return issue
  return { ...inner, path: [...issue.path, ...inner.path] }
}

function readAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
