import { aText, checkValue } from '../conversation/check-options.ts'
import { CATALOGUE_ROWS } from './catalogue.data.ts'
import type { CacheRules, Encoding, Model, Prices, Provider } from './model.ts'

interface CatalogueRow extends Partial<Pick<Model, 'contextWindowTokens' | 'outputLimitTokens'>> {
  readonly id: string
  readonly provider: Provider
  readonly prices?: Prices
}

const catalogue = parseRows(CATALOGUE_ROWS)

/** Every id in the catalogue, sorted by provider and id. */
export const modelIds: readonly string[] = [...catalogue.keys()]

/**
 * Finds a model by any of its spellings and never fails. It tries the id itself, its longest
 * beginning in the catalogue, and its family, in this order. An unknown model gets cautious
 * defaults with `known: false`.
 */
export function findModel(id: string): Model {
  checkValue('Finding a model', 'id', id, aText)
  const name = canonicalModelId(id)
  const row = findRow(name)
  const family = findFamily(name)
  const limits = family ?? UNKNOWN_MODEL
  const provider = row?.provider ?? limits.provider
  // Claude Code's way to ask for the window of a million tokens: `claude-opus-4-6[1m]`.
  const contextWindowTokens = id.trim().toLowerCase().endsWith('[1m]')
    ? 1_000_000
    : (row?.contextWindowTokens ?? limits.contextWindowTokens)
  const outputLimitTokens = row?.outputLimitTokens ?? limits.outputLimitTokens
  const prices = row?.prices
  return {
    id,
    provider,
    known: row !== undefined || family !== undefined,
    row: row?.id,
    contextWindowTokens,
    // Some small models may answer with their whole window. Half of it has to stay for the prompt.
    outputLimitTokens: Math.min(outputLimitTokens, Math.floor(contextWindowTokens / 2)),
    encoding: findEncoding(provider, name),
    pricesPerMillionTokens: prices,
    cache: findCacheRules(
      provider,
      name,
      prices !== undefined && prices.cachedInput < prices.input,
    ),
  }
}

/**
 * `claude-sonnet-5-5-20261101` is looked for as itself, `claude-sonnet-5-5`, `claude-sonnet-5` and
 * so on.
 */
function findRow(name: string): CatalogueRow | undefined {
  for (let end = name.length; end > 0; end--) {
    if (end < name.length && !'-._'.includes(name.charAt(end))) continue
    const row = catalogue.get(name.slice(0, end))
    if (row !== undefined) return row
  }
  return undefined
}

function parseRows(text: string): ReadonlyMap<string, CatalogueRow> {
  const rows = new Map<string, CatalogueRow>()
  for (const line of text.trim().split('\n')) {
    const [provider = 'other', id = '', ...cells] = line.split(' ')
    const numbers = cells.slice(0, 7).map((cell) => (cell === '-' ? undefined : Number(cell)))
    const [contextWindowTokens, outputLimitTokens, ...prices] = numbers
    rows.set(id, {
      id,
      provider: provider as Provider,
      contextWindowTokens,
      outputLimitTokens,
      prices: parsePrices(prices, cells[7]),
    })
  }
  return rows
}

function parsePrices(
  prices: readonly (number | undefined)[],
  longContext: string | undefined,
): Prices | undefined {
  const [input, output, cachedInput, cacheWrite, cacheWriteLong] = prices
  if (input === undefined || output === undefined) return undefined
  const [fromTokens = 0, inputFactor = 1, outputFactor = 1] =
    longContext?.split('/').map(Number) ?? []
  return {
    input,
    output,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    cacheWriteLong,
    longContext: longContext === undefined ? undefined : { fromTokens, inputFactor, outputFactor },
  }
}

// gpt-3.5 and the first gpt-4 use cl100k_base. Since gpt-4o, OpenAI's models use o200k_base.
const CL100K = /^gpt-(?:3\.5|4(?:-|$))/

/** The vocabulary with which a model cuts text. `id` is in the spelling of `canonicalModelId`. */
function findEncoding(provider: Provider, id: string): Encoding {
  switch (provider) {
    case 'anthropic':
      return isBefore2026(id) ? 'claude' : 'claude-2026'
    case 'openai':
      return CL100K.test(id) ? 'cl100k_base' : 'o200k_base'
    case 'google':
      return 'gemini'
    case 'other':
      return 'unknown'
  }
}

/**
 * Opus 4.7 and all models numbered 5 and above use the newer vocabulary. An id without a number may
 * be any of them.
 */
function isBefore2026(id: string): boolean {
  const match = /^claude-(?:[a-z]+-)?(\d)(?:-(\d)(?!\d))?/.exec(id)
  if (match === null) return /^claude-(?:instant|v)/.test(id)
  const major = Number(match[1])
  return major < 4 || (major === 4 && Number(match[2] ?? 0) < 7)
}

/** Longer ids are cut: no provider has them, and the look-up tries every beginning of an id. */
const LONGEST_ID = 200

/** Bedrock writes `us.anthropic.claude-…`: the region, then the vendor, each with a dot. */
const REGIONS = 'us us-gov eu apac global jp au ca sa regional'
const VENDORS =
  'amazon anthropic deepseek google meta minimax mistral moonshot moonshotai nvidia openai qwen xai zai'
const DOTTED_PREFIXES = new Set(`${REGIONS} ${VENDORS}`.split(' '))

// LangChain writes `openai:gpt-5`, and OpenAI writes `ft:gpt-4o-2024-08-06:owner::id`.
const OFFER = /^(?:(?:ft|openai|anthropic|bedrock|azure_openai|google[_-](?:genai|vertexai)):)+/

/**
 * One spelling per model: lower case, without the vendor, region, offer or deployment around the
 * name.
 *
 *   openrouter/anthropic/claude-opus-4.8:beta           claude-opus-4-8
 *   us.anthropic.claude-sonnet-4-5-20250929-v1:0        claude-sonnet-4-5-20250929
 *   publishers/google/models/gemini-3-pro-preview       gemini-3-pro-preview
 *   ft:gpt-4.1-2025-04-14:owner::id                     gpt-4.1-2025-04-14
 */
export function canonicalModelId(id: string): string {
  let name = id.slice(0, LONGEST_ID).trim().toLowerCase()
  name = name.slice(name.lastIndexOf('/') + 1).replace(OFFER, '')
  const words = name.split('.')
  while (words.length > 1 && DOTTED_PREFIXES.has(words[0]!)) words.shift()
  name = words.join('.')
  // A mark at the beginning would leave nothing.
  const mark = name.slice(1).search(/[:@[]/)
  if (mark >= 0) name = name.slice(0, mark + 1)
  if (name.startsWith('claude')) return canonicalClaude(name)
  // Azure deployments cannot hold a dot: `gpt-5-4-mini`, `gpt-35-turbo`.
  return name.replace(/^gpt-35\b/, 'gpt-3.5').replace(/^gpt-(\d)-(\d)(?=-|$)/, 'gpt-$1.$2')
}

/** `claude-4.5-sonnet-v2` is `claude-sonnet-4-5`. Up to 3.7 the number came first by rule. */
function canonicalClaude(name: string): string {
  const dashed = name.replaceAll('.', '-').replace(/-v\d$/, '')
  return dashed.replace(/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku|fable|mythos)/, 'claude-$2-$1')
}

const MINUTES_5 = 300
const HOUR = 3_600
const DAY = 86_400

/**
 * Shortest cacheable prefix by model, as Anthropic's prompt-caching page gave it in 2026
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching). It is not monotonic over the
 * generations.
 */
const CLAUDE_MINIMUM_PREFIX: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-3-haiku', 2_048],
  ['claude-3-5-haiku', 2_048],
  ['claude-3', 1_024],
  ['claude-haiku', 4_096],
  ['claude-opus-4-5', 4_096],
  ['claude-opus-4-6', 4_096],
  ['claude-opus-4-7', 2_048],
  ['claude-opus-4', 1_024],
  ['claude-opus-5', 512],
  ['claude-fable', 512],
  ['claude-mythos', 512],
  ['claude-sonnet', 1_024],
]

// A minimum assumed too large costs a missed discount. A minimum assumed too small costs an
// expensive write that is never read.
const LARGEST_MINIMUM_PREFIX = 4_096

/** How a provider caches the prefix of a prompt. `id` is in the spelling of `canonicalModelId`. */
function findCacheRules(
  provider: Provider,
  id: string,
  hasCachedPrice: boolean,
): CacheRules | undefined {
  switch (provider) {
    case 'anthropic': {
      const [, minimumPrefixTokens = LARGEST_MINIMUM_PREFIX] =
        CLAUDE_MINIMUM_PREFIX.find(([prefix]) => id.startsWith(prefix)) ?? []
      return { automatic: false, lifetimesSeconds: [MINUTES_5, HOUR], minimumPrefixTokens }
    }
    case 'openai':
      // In memory 5 to 10 idle minutes. 24 hours on request since gpt-4.1 (developers.openai.com,
      // prompt caching).
      return {
        automatic: true,
        lifetimesSeconds: /^gpt-(?:4\.1|5|6)/.test(id) ? [MINUTES_5, DAY] : [MINUTES_5],
        minimumPrefixTokens: 1_024,
      }
    case 'google':
      // Implicit caching (ai.google.dev, context caching). Its lifetime is not promised, and five
      // minutes is a cautious guess.
      return {
        automatic: true,
        lifetimesSeconds: [MINUTES_5],
        minimumPrefixTokens: id.includes('pro') ? 4_096 : 1_024,
      }
    case 'other':
      return hasCachedPrice ? findOpenWeightRules(id) : undefined
  }
}

function findOpenWeightRules(id: string): CacheRules {
  // DeepSeek caches in blocks of 64 tokens and keeps them for hours (api-docs.deepseek.com, context
  // caching).
  const isDeepSeek = id.startsWith('deepseek')
  return {
    automatic: true,
    lifetimesSeconds: [isDeepSeek ? HOUR : MINUTES_5],
    minimumPrefixTokens: isDeepSeek ? 64 : 1_024,
  }
}

interface Family extends Pick<Model, 'provider' | 'contextWindowTokens' | 'outputLimitTokens'> {
  readonly prefix: string
}

/**
 * For models newer than the catalogue: the limits of the smallest current member of a family. A
 * window guessed too small compresses early, and a window guessed too large fails the request. The
 * longest prefix wins.
 */
const FAMILIES: readonly Family[] = [
  ...families('anthropic', 200_000, 32_000, 'claude opus sonnet haiku'),
  ...families('anthropic', 100_000, 4_096, 'claude-2'),
  ...families('anthropic', 200_000, 4_096, 'claude-3'),
  ...families('anthropic', 200_000, 8_192, 'claude-3-5'),
  ...families('anthropic', 200_000, 64_000, 'claude-3-7'),
  ...families('openai', 128_000, 16_384, 'gpt chatgpt'),
  ...families('openai', 400_000, 128_000, 'gpt-5 gpt-6'),
  ...families('openai', 131_072, 32_768, 'gpt-oss'),
  ...families('openai', 200_000, 100_000, 'codex o3 o4'),
  ...families('openai', 128_000, 32_768, 'o1'),
  ...families('google', 1_000_000, 8_192, 'gemini'),
  ...families('google', 32_768, 8_192, 'gemini-1.0'),
  ...families('google', 1_000_000, 64_000, 'gemini-3 gemini-4'),
  ...families('google', 128_000, 8_192, 'gemma'),
  ...families('other', 8_192, 4_096, 'llama llama3 moonshot'),
  ...families('other', 32_768, 8_192, 'codestral mixtral qwen qwq'),
  ...families('other', 40_000, 16_384, 'magistral'),
  ...families('other', 64_000, 8_192, 'deepseek'),
  ...families('other', 128_000, 8_192, 'deepseek-v3 llama-3.1 llama-3.3 llama3-1 llama3-3 nova'),
  ...families('other', 128_000, 16_384, 'llama-4 llama4 ministral mistral pixtral'),
  ...families('other', 128_000, 32_768, 'devstral glm nemotron'),
  ...families('other', 131_072, 32_768, 'grok kimi qwen3'),
  ...families('other', 204_800, 65_536, 'minimax'),
  ...families('other', 1_000_000, 65_536, 'deepseek-v4'),
]

const UNKNOWN_MODEL = {
  provider: 'other',
  contextWindowTokens: 128_000,
  outputLimitTokens: 8_192,
} as const

/** The family with the longest prefix of `id`, a spelling of `canonicalModelId`. */
function findFamily(id: string): Family | undefined {
  let best: Family | undefined
  for (const candidate of FAMILIES) {
    if (id.startsWith(candidate.prefix) && candidate.prefix.length > (best?.prefix.length ?? 0))
      best = candidate
  }
  return best
}

function families(
  provider: Provider,
  contextWindowTokens: number,
  outputLimitTokens: number,
  names: string,
): Family[] {
  return names
    .split(' ')
    .map((prefix) => ({ prefix, provider, contextWindowTokens, outputLimitTokens }))
}
