/**
 * Writes packages/core/src/models/catalogue.data.ts from two MIT-licensed sources: prices and
 * windows from
 * @pydantic/genai-prices, windows and output limits from the model profiles of the LangChain
 * packages. They are no dependency of the project; install them anywhere and name the folder:
 *
 *   npm install --prefix /tmp/catalogue @pydantic/genai-prices @langchain/anthropic @langchain/openai @langchain/google-genai
 *   npx tsx scripts/build-catalogue.ts /tmp/catalogue
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Provider = 'anthropic' | 'openai' | 'google' | 'other'

interface Row {
  readonly provider: Provider
  readonly id: string
  contextWindowTokens?: number
  outputLimitTokens?: number
  input?: number
  output?: number
  cachedInput?: number
  cacheWrite?: number
  cacheWriteLong?: number
  /** `from/input factor/output factor` where a long prompt is dearer. */
  longContext?: string
}

interface TieredPrice {
  readonly base: number
  readonly tiers: readonly { readonly start: number; readonly price: number }[]
}

type PriceList = Readonly<Record<string, number | TieredPrice | undefined>>

interface DatedPrices {
  readonly constraint?: { readonly type: string; readonly start_date?: string }
  readonly prices: PriceList
}

interface SourceModel {
  readonly id: string
  readonly context_window?: number
  readonly prices: PriceList | readonly DatedPrices[]
}

interface PriceSource {
  findProvider(by: {
    readonly providerId: string
  }): { readonly models: readonly SourceModel[] } | undefined
}

interface Profile {
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
}

const PROFILE_FILES = [
  ['anthropic', '@langchain/anthropic', 'dist/profiles.js'],
  ['openai', '@langchain/openai', 'dist/chat_models/profiles.js'],
  ['google', '@langchain/google-genai', 'dist/profiles.js'],
] as const

/** Who sells its own models under its own ids; read before the resellers, so its numbers win. */
const VENDORS = [
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['google', 'google'],
  ['deepseek', 'other'],
  ['x-ai', 'other'],
  ['moonshotai', 'other'],
  ['mistral', 'other'],
  ['zai', 'other'],
  ['minimax', 'other'],
] as const

const RESOLD_FAMILIES =
  /^(?:deepseek|qwen|moonshotai|z-ai|mistralai|x-ai|meta-llama|minimax|nvidia|stepfun)\//
/**
 * A dated build of a model that has a row of its own: the look-up finds that row by its beginning.
 */
const DATED_BUILD = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|preview-\d{2}-\d{2}|preview-\d{2}-\d{4})$/
const RESOLD_TOGETHER = /^meta-llama\/llama-4/i
/** In the list of Google: another vendor's, and the first Gemini, whose id without `latest` it was. */
const IS_OTHER_MODEL = /^claude|^gemini-pro$/
const NOT_A_CHAT_MODEL =
  /embed|whisper|tts|image|ocr|audio|realtime|transcribe|moderation|voice|voxtral|live|guard|safety|davinci|babbage|curie|^ada$|search-preview|computer-use|omni-flash|^ft$|\.ft-|sonic|-her$|^gpt-3\.5-0301$|^claude-v1$/

const folder = process.argv[2]
if (folder === undefined) {
  throw new Error(
    'build-catalogue: name the folder in which the source packages are installed (see the head of the file)',
  )
}
const sources = resolve(folder)
/** Prices in force on this day; a second argument repeats an older build. */
const today = process.argv[3] ?? new Date().toISOString().slice(0, 10)

const rows = new Map<string, Row>()
await addPrices()
await addProfiles()
for (const row of [...rows.values()].sort((a, b) => compare(a.id, b.id))) inherit(row)
const kept = [...rows.values()].filter(
  (row) => row.contextWindowTokens !== undefined || row.input !== undefined,
)
kept.sort((a, b) => compare(a.provider, b.provider) || compare(a.id, b.id))
const target = fileURLToPath(
  new URL('../packages/core/src/models/catalogue.data.ts', import.meta.url),
)
writeFileSync(target, render(kept))
process.stdout.write(`${target}: ${kept.length} models\n`)

async function addPrices(): Promise<void> {
  const entry = createRequire(`${sources}/`).resolve('@pydantic/genai-prices')
  const source = (await import(pathToFileURL(entry).href)) as PriceSource
  for (const [providerId, provider] of VENDORS) {
    for (const model of source.findProvider({ providerId })?.models ?? []) {
      if (providerId === 'google' && IS_OTHER_MODEL.test(model.id)) continue
      addModel(provider, model)
    }
  }
  for (const model of source.findProvider({ providerId: 'openrouter' })?.models ?? []) {
    if (RESOLD_FAMILIES.test(model.id) && model.context_window !== undefined)
      addModel('other', model)
  }
  for (const model of source.findProvider({ providerId: 'together' })?.models ?? []) {
    if (RESOLD_TOGETHER.test(model.id)) addModel('other', model)
  }
}

function addModel(provider: Provider, model: SourceModel): void {
  const id = shorten(provider, model.id)
  if (NOT_A_CHAT_MODEL.test(id) || rows.has(`${provider} ${id}`)) return
  const row: Row = { provider, id }
  rows.set(`${provider} ${id}`, row)
  if (model.context_window !== undefined) row.contextWindowTokens = model.context_window
  const prices = currentPrices(model.prices)
  setPrice(row, 'input', prices.input_mtok)
  setPrice(row, 'output', prices.output_mtok)
  setPrice(row, 'cachedInput', prices.cache_read_mtok)
  setPrice(row, 'cacheWrite', prices.cache_write_mtok)
  setPrice(row, 'cacheWriteLong', prices.cache_write_1h_mtok)
  const longContext = findLongContext(prices)
  if (longContext !== undefined) row.longContext = longContext
}

/** The id without vendor, offer and alias: how the look-up spells it after its own clean-up. */
function shorten(provider: Provider, id: string): string {
  const short = id
    .slice(id.lastIndexOf('/') + 1)
    .replace(/:.*$/, '')
    .replace(/-latest$/, '')
    .toLowerCase()
  return provider === 'anthropic' ? short.replace(/(-\d)-0$/, '$1') : short
}

/** The list in force today; offers bound to an hour of the day are left out. */
function currentPrices(prices: SourceModel['prices']): PriceList {
  if (!isDated(prices)) return prices
  let current: PriceList = {}
  for (const entry of prices) {
    if (entry.constraint?.type === 'time_of_date') continue
    if ((entry.constraint?.start_date ?? '') <= today) current = entry.prices
  }
  return current
}

function isDated(prices: SourceModel['prices']): prices is readonly DatedPrices[] {
  return Array.isArray(prices)
}

type PriceField = 'input' | 'output' | 'cachedInput' | 'cacheWrite' | 'cacheWriteLong'

function setPrice(row: Row, field: PriceField, price: number | TieredPrice | undefined): void {
  if (price !== undefined) row[field] = typeof price === 'number' ? price : price.base
}

function findLongContext(prices: PriceList): string | undefined {
  const { input_mtok: input, output_mtok: output } = prices
  if (input === undefined || typeof input === 'number') return undefined
  const [tier] = input.tiers
  if (tier === undefined || input.base === 0) return undefined
  const outputTier =
    output === undefined || typeof output === 'number' ? undefined : output.tiers[0]
  const outputFactor = outputTier && typeof output === 'object' ? outputTier.price / output.base : 1
  return `${Math.ceil(tier.start / 1000) * 1000}/${tidy(tier.price / input.base)}/${tidy(outputFactor)}`
}

async function addProfiles(): Promise<void> {
  for (const [provider, name, file] of PROFILE_FILES) {
    const module = (await import(
      pathToFileURL(`${sources}/node_modules/${name}/${file}`).href
    )) as {
      readonly default: Readonly<Record<string, Profile>>
    }
    for (const [name, profile] of Object.entries(module.default))
      addProfile(provider, name, profile)
  }
}

function addProfile(provider: Provider, name: string, profile: Profile): void {
  const id = shorten(provider, name)
  if (NOT_A_CHAT_MODEL.test(id)) return
  const row = rows.get(`${provider} ${id}`) ?? { provider, id }
  rows.set(`${provider} ${id}`, row)
  // Where the sources disagree the smaller window is the one that always works.
  const windows = [row.contextWindowTokens, profile.maxInputTokens].filter(
    (window) => window !== undefined,
  )
  if (windows.length > 0) row.contextWindowTokens = Math.min(...windows)
  if (profile.maxOutputTokens !== undefined) row.outputLimitTokens = profile.maxOutputTokens
}

/**
 * Fills what no source tells of `gpt-5.4-mini` from `gpt-5.4`, and drops dated builds of a model
 * that is listed.
 */
function inherit(row: Row): void {
  const parent = findParent(row)
  if (parent === undefined) return
  if (DATED_BUILD.test(row.id) && row.input === undefined) {
    rows.delete(`${row.provider} ${row.id}`)
    return
  }
  if (row.contextWindowTokens === undefined && parent.contextWindowTokens !== undefined) {
    row.contextWindowTokens = parent.contextWindowTokens
  }
  if (row.outputLimitTokens === undefined && parent.outputLimitTokens !== undefined) {
    row.outputLimitTokens = parent.outputLimitTokens
  }
  if (row.input !== undefined) return
  for (const field of ['input', 'output', 'cachedInput', 'cacheWrite', 'cacheWriteLong'] as const) {
    const price = parent[field]
    if (price !== undefined) row[field] = price
  }
  if (parent.longContext !== undefined) row.longContext = parent.longContext
}

function findParent(row: Row): Row | undefined {
  for (let end = row.id.lastIndexOf('-'); end > 0; end = row.id.lastIndexOf('-', end - 1)) {
    const parent = rows.get(`${row.provider} ${row.id.slice(0, end)}`)
    if (parent !== undefined) return parent
  }
  return undefined
}

function render(models: readonly Row[]): string {
  const packages = ['@pydantic/genai-prices', ...PROFILE_FILES.map(([, name]) => name)]
  const versions = packages.map((name) => ` * - ${name} ${readVersion(name)} (MIT)`)
  return `/**
 * Written by scripts/build-catalogue.ts on ${today}; do not edit. Sources:
${versions.join('\n')}
 *
 * Columns: provider, id, context window, output limit (tokens); then US dollars per million tokens: input, output,
 * cached input, cache write, long-lived cache write; then long context as tokens/input factor/output factor.
 * \`-\` means that no source tells, and so does a row that ends early.
 */
export const CATALOGUE_DATE = '${today}'

export const CATALOGUE_ROWS = \`
${models.map(renderRow).join('\n')}
\`
`
}

function renderRow(row: Row): string {
  const numbers = [
    row.contextWindowTokens,
    row.outputLimitTokens,
    row.input,
    row.output,
    row.cachedInput,
    row.cacheWrite,
    row.cacheWriteLong,
  ]
  const cells = numbers.map((value) =>
    value === undefined ? '-' : String(tidy(value)).replace(/0{6}$/, 'e6'),
  )
  const line = [row.provider, row.id, ...cells, row.longContext ?? '-'].join(' ')
  return line.replace(/(?: -)+$/, '')
}

function readVersion(name: string): string {
  const { version } = JSON.parse(
    readFileSync(`${sources}/node_modules/${name}/package.json`, 'utf8'),
  ) as {
    version: string
  }
  return version
}

function tidy(value: number): number {
  return Number(value.toPrecision(8))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
