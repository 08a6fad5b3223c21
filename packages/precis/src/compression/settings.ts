/** How sessions are compressed: from the configuration to the engine's options. */
import { auto, type CompressOptions, digest, type Summarizer } from '@precis/core'
import type { Configuration, SummarizerSettings } from '../configuration/configuration.ts'

/** The settings that the engine gets unchanged. */
type EngineSettings = Pick<
  CompressOptions,
  'dropTools' | 'instructions' | 'keep' | 'keepPaths' | 'keepTurns' | 'model' | 'pins'
>

/** Plain JSON without a key, because it is sent to other processes and machines. */
export interface CompressionSettings extends EngineSettings {
  /** A name in `strategyChoices`. */
  readonly strategy: string
  /** Undefined if only the window is a limit. */
  readonly budget?: Budget
  /** The size of a request, including what is not in the file. */
  readonly windowTokens?: number
  readonly summarizer: SummarizerSettings
  /** Pins of the session that end. */
  readonly unpins?: readonly string[]
  /** Sessions with no more tokens are skipped. By default none is. */
  readonly largerThanTokens?: number
}

/**
 * Upper limit for a result: in tokens, as a share of the conversation's present size, or as the
 * size after a model's summary.
 */
export type Budget =
  | { readonly type: 'tokens'; readonly tokens: number }
  | { readonly type: 'share'; readonly fraction: number }
  | { readonly type: 'model' }

/** The setting for each flag of a command, under the names of commander. */
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

const DEFAULT_BUDGET = '50%'
export const BUDGET_HELP =
  'Give tokens, as 8000 or 8k, a share of the conversation above 0 and up to 100, as 20%, or "model" for the size of a model\'s summary.'

/** Throws `RangeError` for an invalid budget. */
export function toSettings(configuration: Configuration, flags: SettingFlags): CompressionSettings {
  const { strategy = auto.name, summarizer, keep } = configuration
  const text = configuration.budget ?? (flags.window === undefined ? DEFAULT_BUDGET : undefined)
  const budget = text === undefined ? undefined : readBudget(text)
  if (text !== undefined && !budget) throw new RangeError(BUDGET_HELP)
  const given = Object.entries(settingOfFlag).map(([flag, name]) => [name, flags[flag as FlagName]])
  return { strategy, budget, summarizer, keep, ...Object.fromEntries(given) }
}

/** The SDKs of the providers are loaded only if a model is needed. */
export async function openSummarizer(settings: SummarizerSettings): Promise<Summarizer> {
  if (settings.name === digest().name) return digest()
  return await (await import('../language-models/create-summarizer.ts')).createSummarizer(settings)
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Reads `8000`, `8_000`, `8k`, `1.5m`, `20%` and `model`. Undefined for anything else. */
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
 * The same text for settings with the same result. Settings that skip sessions do not change other
 * results.
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
