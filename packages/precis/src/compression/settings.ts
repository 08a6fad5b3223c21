/** How sessions are compressed, from the configuration to what the engine takes. */
import { auto, type CompressOptions, digest, type Summarizer } from '@precis/core'
import type { Configuration, SummarizerSettings } from '../configuration/configuration.ts'

/** Plain JSON without a key: it crosses to other processes and machines. */
export interface CompressionSettings {
  /** A name of `strategyChoices`. */
  readonly strategy: string
  /** Undefined where the window alone is the limit. */
  readonly budget?: Budget
  /** What a request may have, with what is not in the file. */
  readonly windowTokens?: number
  readonly summarizer: SummarizerSettings
  readonly keep?: CompressOptions['keep']
  readonly instructions?: string
  readonly pins?: readonly string[]
  /** Pins of the session that end. */
  readonly unpins?: readonly string[]
  /** Files whose reads and changes stay, and tools whose calls go first. */
  readonly keepPaths?: readonly string[]
  readonly keepTurns?: readonly number[]
  readonly dropTools?: readonly string[]
  /** The model that will read the results; the one each session recorded by default. */
  readonly model?: string
  /** Sessions of no more text are left alone; by default none is. */
  readonly largerThanTokens?: number
}

/**
 * Upper limit for a result: in tokens, as a share of what the conversation has now, or as what a
 * model's summary leaves.
 */
export type Budget =
  | { readonly type: 'tokens'; readonly tokens: number }
  | { readonly type: 'share'; readonly fraction: number }
  | { readonly type: 'model' }

/** The flags of a compression beside the configuration. */
export interface SettingFlags {
  readonly instructions?: string
  readonly pin?: readonly string[]
  readonly unpin?: readonly string[]
  readonly keepPath?: readonly string[]
  readonly keepTurn?: readonly number[]
  readonly dropTool?: readonly string[]
  readonly model?: string
  readonly window?: number
  readonly largerThan?: number
}

export const DEFAULT_BUDGET = '50%'
export const BUDGET_HELP =
  'Give tokens, as 8000 or 8k, a share of the conversation above 0 and up to 100, as 20%, or "model" for the size of a model\'s summary.'

/** Throws `RangeError` for a budget that is none. */
export function toSettings(configuration: Configuration, flags: SettingFlags): CompressionSettings {
  const { strategy = auto.name, summarizer, keep } = configuration
  const {
    instructions,
    pin: pins,
    unpin: unpins,
    keepPath: keepPaths,
    keepTurn: keepTurns,
    dropTool: dropTools,
    model,
    window: windowTokens,
    largerThan: largerThanTokens,
  } = flags
  const text = configuration.budget ?? (windowTokens === undefined ? DEFAULT_BUDGET : undefined)
  const budget = text === undefined ? undefined : readBudget(text)
  if (text !== undefined && !budget) throw new RangeError(BUDGET_HELP)
  return {
    strategy,
    budget,
    windowTokens,
    summarizer,
    keep,
    instructions,
    pins,
    unpins,
    keepPaths,
    keepTurns,
    dropTools,
    model,
    largerThanTokens,
  }
}

/** The SDKs of the providers are loaded only where a model is asked for. */
export async function openSummarizer(settings: SummarizerSettings): Promise<Summarizer> {
  if (settings.name === digest().name) return digest()
  return await (await import('../language-models/create-summarizer.ts')).createSummarizer(settings)
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Reads `8000`, `8_000`, `8k`, `1.5m`, `20%` and `model`; undefined for anything else. */
export function readBudget(text: string): Budget | undefined {
  if (text.trim().toLowerCase() === 'model') return { type: 'model' }
  const [, digits = '', unit = ''] =
    /^(\d[\d_]{0,15}(?:\.\d{1,6})?)\s?([km%]?)$/i.exec(text.trim()) ?? []
  const value = Number(digits.replaceAll('_', ''))
  const tokens = Math.floor(value * (FACTORS[unit.toLowerCase()] ?? 0))
  if (unit === '%' && value > 0 && value <= 100) return { type: 'share', fraction: value / 100 }
  return tokens >= 1 && Number.isSafeInteger(tokens) ? { type: 'tokens', tokens } : undefined
}

/**
 * The same text for settings that make the same result. Which sessions are left alone does not
 * change the others.
 */
export function renderSettings(settings: CompressionSettings): string {
  const {
    strategy,
    budget,
    windowTokens,
    summarizer,
    keep,
    instructions,
    pins,
    unpins,
    keepPaths,
    keepTurns,
    dropTools,
    model,
  } = settings
  const share = budget?.type === 'share' ? `${budget.fraction * 100}%` : (budget?.type ?? null)
  const limit = budget?.type === 'tokens' ? budget.tokens : share
  return JSON.stringify([
    strategy,
    limit,
    summarizer.name,
    summarizer.strongModel ?? null,
    keep?.head ?? null,
    keep?.tail ?? null,
    instructions ?? null,
    pins ?? [],
    model ?? null,
    ...(windowTokens === undefined ? [] : [windowTokens]),
    ...(unpins === undefined ? [] : [{ unpins }]),
    ...(keepPaths === undefined && keepTurns === undefined && dropTools === undefined
      ? []
      : [{ keepPaths, keepTurns, dropTools }]),
  ])
}
