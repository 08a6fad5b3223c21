import type { z } from 'zod'
import { ConfigurationError } from '../files/errors.ts'
import { type ConfigurationLayer, dropUndefined } from './configuration.ts'
import { archive, chat, gateway, type keep, schema, summarizer } from './schema.ts'

/** Validates the settings of a place. `place` is how the user finds it: a file, or a variable. */
export function parseConfiguration(value: unknown, place: string): ConfigurationLayer {
  const { success, data, error } = schema.safeParse(value)
  if (!success)
    throw new ConfigurationError('invalid-configuration', describe(error.issues, value, place))
  const { strategy, budget, spend, threshold, summarizer, keep, chat, gateway, archive } = data
  return dropUndefined({
    strategy,
    budget: budget === undefined ? undefined : String(budget),
    spend,
    threshold,
    summarizer:
      typeof summarizer === 'string'
        ? { name: summarizer }
        : summarizer && dropUndefined(summarizer),
    keep: keep && dropUndefined({ head: toKeep(keep.head), tail: toKeep(keep.tail) }),
    chat: chat && dropUndefined(chat),
    gateway: gateway && dropUndefined(gateway),
    archive:
      typeof archive === 'boolean' ? { enabled: archive } : archive && dropUndefined(archive),
  })
}

const PROJECT_KEYS = ['strategy', 'budget', 'spend', 'threshold', 'keep'] as const
const MOST_NAMED = 8

/**
 * Reads the configuration of an untrusted repository, and accepts only harmless settings. All other
 * settings and all invalid values are ignored and listed in `notices`. A repository must not stop a
 * hook from keeping a session.
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
  const others = Object.keys(value).filter(
    (name) => name !== '$schema' && !PROJECT_KEYS.some((key) => key === name),
  )
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

/** An untrusted name, which may reach a terminal and a model. */
function quoteKey(key: string): string {
  return `"${key.slice(0, LONGEST_KEY).replace(/[^\w.$-]/g, '?')}"`
}

function explainIssue(issue: z.core.$ZodIssue | undefined): string {
  return issue?.code === 'invalid_value'
    ? `give one of ${issue.values.join(', ')}`
    : (issue?.message ?? 'it cannot be')
}

type GivenKeep = z.infer<typeof keep> | undefined

function toKeep(given: GivenKeep) {
  if (typeof given !== 'object') return given === undefined ? undefined : { fraction: given }
  return 'fraction' in given ? dropUndefined(given) : given
}

const KNOWN: Readonly<Record<string, object>> = {
  summarizer: summarizer.shape,
  keep: { head: 0, tail: 0 },
  chat: chat.shape,
  gateway: gateway.shape,
  archive: archive.shape,
}

/** The first problem: its place, its value, and the allowed values. */
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
    path.length === 0 && issue.code !== 'invalid_value' ? 'give an object' : explainIssue(issue)
  return `In ${place}: ${where} is ${hidePasswords(render(readAt(value, path)))?.slice(0, 200)}; ${allowed}.`
}

/** Values that are nested too deeply for JSON, or contain themselves, have no text. */
function render(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError)
      return 'something that cannot be shown'
    throw error
  }
}

const PASSWORD = /:\/\/[^"\s]*@/g

/** An address may be in a wrong place. */
function hidePasswords(json: string | undefined): string | undefined {
  return json?.replace(PASSWORD, '://…@')
}

/**
 * For a summarizer given as an object, an error about its members is more useful than "not a name".
 */
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
