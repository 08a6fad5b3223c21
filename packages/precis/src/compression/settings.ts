/** How sessions are compressed, from the configuration to what the engine takes. */
import { auto, type CompressOptions, digest, type Summarizer } from '@precis/core'
import type { Configuration, SummarizerSettings } from '../configuration/configuration.ts'

/** What the engine takes as it is. */
type EngineSettings = Pick<
  CompressOptions,
  'dropTools' | 'instructions' | 'keep' | 'keepPaths' | 'keepTurns' | 'model' | 'pins'
>

/** Plain JSON without a key: it crosses to other processes and machines. */
export interface CompressionSettings extends EngineSettings {
  /** A name of `strategyChoices`. */
  readonly strategy: string
  /** Undefined where the window alone is the limit. */
  readonly budget?: Budget
  /** What a request may have, with what is not in the file. */
  readonly windowTokens?: number
  readonly summarizer: SummarizerSettings
  /** Pins of the session that end. */
  readonly unpins?: readonly string[]
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

/** The setting that each flag of a command makes, as commander names flags. */
const settingOfFlag = {
  dropTool: 'dropTools',
  instructions: 'instructions',
  keepPath: 'keepPaths',
  keepTurn: 'keepTurns',
  largerThan: 'largerThanTokens',
  model: 'model',
  pin: 'pins',
  unpin: 'unpins',
  window: 'windowTokens',
} as const satisfies Readonly<Record<string, keyof CompressionSettings>>

type FlagName = keyof typeof settingOfFlag

export type SettingFlags = {
  readonly [Flag in FlagName]?: CompressionSettings[(typeof settingOfFlag)[Flag]]
}

export const DEFAULT_BUDGET = '50%'
export const BUDGET_HELP =
  'Give tokens, as 8000 or 8k, a share of the conversation above 0 and up to 100, as 20%, or "model" for the size of a model\'s summary.'

/** Throws `RangeError` for a budget that is none. */
export function toSettings(configuration: Configuration, flags: SettingFlags): CompressionSettings {
  const { strategy = auto.name, summarizer, keep } = configuration
  const text = configuration.budget ?? (flags.window === undefined ? DEFAULT_BUDGET : undefined)
  const budget = text === undefined ? undefined : readBudget(text)
  if (text !== undefined && !budget) throw new RangeError(BUDGET_HELP)
  const given = Object.entries(settingOfFlag).map(([flag, name]) => [name, flags[flag as FlagName]])
  return { strategy, budget, summarizer, keep, ...Object.fromEntries(given) }
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
  const { budget, summarizer, keep, windowTokens, unpins } = settings
  const { keepPaths, keepTurns, dropTools } = settings
  const share = budget?.type === 'share' ? `${budget.fraction * 100}%` : (budget?.type ?? null)
  const limit = budget?.type === 'tokens' ? budget.tokens : share
  return JSON.stringify([
    settings.strategy,
    limit,
    summarizer.name,
    summarizer.strongModel ?? null,
    keep?.head ?? null,
    keep?.tail ?? null,
    settings.instructions ?? null,
    settings.pins ?? [],
    settings.model ?? null,
    ...(windowTokens === undefined ? [] : [windowTokens]),
    ...(unpins === undefined ? [] : [{ unpins }]),
    ...(keepPaths === undefined && keepTurns === undefined && dropTools === undefined
      ? []
      : [{ keepPaths, keepTurns, dropTools }]),
  ])
}
