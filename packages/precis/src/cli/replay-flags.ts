/** The options of "precis replay", and which of them go together. */
import type { Spend } from '@precis/core/context'
import { InvalidArgumentError } from 'commander'
import { readThreshold, strategyChoices } from '../configuration/choices.ts'
import type { MeasuredSession } from '../replay/recorded-session.ts'
import { wrongUsage } from './failure.ts'
import { parseThreshold, parseWindow, type SummarizerFlags } from './options.ts'
import type { PageFlags } from './page-options.ts'

export interface ReplayFlags extends SummarizerFlags, PageFlags {
  readonly window?: number
  readonly reserve?: number
  readonly threshold?: readonly Threshold[]
  readonly strategy?: readonly string[]
  readonly save?: boolean
  readonly spend?: Spend
  readonly model?: string
  readonly all?: boolean
  readonly advise?: boolean
}

/** A share of the window, or tokens. */
type Threshold = { readonly share: number } | { readonly tokens: number }

export function collectThresholds(
  text: string,
  before: readonly Threshold[] = [],
): readonly Threshold[] {
  const share = text.includes('%') ? parseThreshold(text) : readThreshold(text)
  return [...before, share === undefined ? { tokens: parseWindow(text) } : { share }]
}

export function collectStrategies(name: string, before: readonly string[] = []): readonly string[] {
  if (Object.hasOwn(strategyChoices, name)) return [...new Set([...before, name])]
  throw new InvalidArgumentError(`Allowed are ${Object.keys(strategyChoices).join(', ')}.`)
}

/** A single replay has a page and a list of requests. A comparison has neither. */
export function checkAdvice({ html, all }: ReplayFlags): void {
  const given = Object.entries({ '--html': html, '--all': all })
  const unfit = given.flatMap(([option, value]) => (value === undefined ? [] : [option]))
  if (unfit.length === 0) return
  throw wrongUsage(
    `Comparing several replays: it does not support ${unfit.join(', ')}. Give one threshold and one strategy, without --advise.`,
  )
}

/** Throws `Failure` for more than the window has. */
export function toTokens(threshold: Threshold, windowTokens: number): number {
  if ('share' in threshold) return Math.round(threshold.share * windowTokens)
  if (threshold.tokens <= windowTokens) return threshold.tokens
  throw wrongUsage(
    `--threshold ${threshold.tokens} is above the window of ${windowTokens} tokens. Give less, or a larger --window.`,
  )
}

export function checkReserve(
  { reserve = 0, window }: ReplayFlags,
  measured: MeasuredSession,
): void {
  const windowTokens = window ?? measured.windowTokens
  if (reserve < windowTokens) return
  throw wrongUsage(
    `--reserve ${reserve} leaves no space for the prompt in a window of ${windowTokens} tokens.`,
  )
}
