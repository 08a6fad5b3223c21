import { findCacheRules } from './cache-rules.ts'
import { CATALOGUE_ROWS } from './catalogue.data.ts'
import { findEncoding } from './encodings.ts'
import { findFamily, UNKNOWN_MODEL } from './families.ts'
import type { Model, Prices, Provider } from './model.ts'
import { asksForMillionTokens, canonicalModelId } from './model-id.ts'

interface CatalogueRow {
  readonly id: string
  readonly provider: Provider
  readonly contextWindowTokens?: number
  readonly outputLimitTokens?: number
  readonly prices?: Prices
}

const MILLION_TOKENS = 1_000_000

const catalogue = parseRows(CATALOGUE_ROWS)

/** Every id in the catalogue, sorted by provider and id. */
export const modelIds: readonly string[] = [...catalogue.keys()]

/**
 * Finds a model by any of its spellings; never fails. The order: the id itself, its longest beginning that is in the
 * catalogue, its family, and for a stranger the cautious defaults with `known: false`.
 */
export function findModel(id: string): Model {
  const name = canonicalModelId(id)
  const row = findRow(name)
  const family = findFamily(name)
  const limits = family ?? UNKNOWN_MODEL
  const provider = row?.provider ?? limits.provider
  const contextWindowTokens = asksForMillionTokens(id)
    ? MILLION_TOKENS
    : (row?.contextWindowTokens ?? limits.contextWindowTokens)
  const outputLimitTokens = row?.outputLimitTokens ?? limits.outputLimitTokens
  const prices = row?.prices
  return {
    id,
    provider,
    known: row !== undefined || family !== undefined,
    ...(row && { row: row.id }),
    contextWindowTokens,
    // Some small models may answer with their whole window; half of it has to stay for the prompt.
    outputLimitTokens: Math.min(outputLimitTokens, Math.floor(contextWindowTokens / 2)),
    encoding: findEncoding(provider, name),
    pricesPerMillionTokens: prices,
    cache: findCacheRules(provider, name, prices !== undefined && prices.cachedInput < prices.input),
  }
}

/** `claude-sonnet-5-5-20261101` is looked for as itself, `claude-sonnet-5-5`, `claude-sonnet-5` and so on. */
function findRow(name: string): CatalogueRow | undefined {
  for (let end = name.length; end > 0; end--) {
    if (end < name.length && !isSeparator(name.charCodeAt(end))) continue
    const row = catalogue.get(name.slice(0, end))
    if (row !== undefined) return row
  }
  return undefined
}

function isSeparator(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x5f
}

function parseRows(text: string): ReadonlyMap<string, CatalogueRow> {
  const rows = new Map<string, CatalogueRow>()
  for (const line of text.trim().split('\n')) {
    const [provider = 'other', id = '', ...cells] = line.split(' ')
    const [contextWindowTokens, outputLimitTokens, ...prices] = cells.slice(0, 7).map(parseNumber)
    const parsedPrices = parsePrices(prices, cells[7])
    rows.set(id, {
      id,
      provider: parseProvider(provider),
      ...(contextWindowTokens !== undefined && { contextWindowTokens }),
      ...(outputLimitTokens !== undefined && { outputLimitTokens }),
      ...(parsedPrices && { prices: parsedPrices }),
    })
  }
  return rows
}

function parsePrices(prices: readonly (number | undefined)[], longContext = '-'): Prices | undefined {
  const [input, output, cachedInput, cacheWrite, cacheWriteLong] = prices
  if (input === undefined || output === undefined) return undefined
  const [fromTokens = 0, inputFactor = 1, outputFactor = 1] = longContext.split('/').map(Number)
  return {
    input,
    output,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    ...(cacheWriteLong !== undefined && { cacheWriteLong }),
    ...(longContext !== '-' && { longContext: { fromTokens, inputFactor, outputFactor } }),
  }
}

function parseNumber(cell: string): number | undefined {
  return cell === '-' ? undefined : Number(cell)
}

function parseProvider(cell: string): Provider {
  return cell === 'anthropic' || cell === 'openai' || cell === 'google' ? cell : 'other'
}
