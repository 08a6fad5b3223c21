import { auto } from '@precis/core'
import type { BatchSettings } from '../batch/settings.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { DEFAULT_BUDGET, parseBudget } from './budget.ts'

/** What a person says of a compression beside the configuration. */
export interface SettingFlags {
  readonly instructions?: string
  readonly pin?: readonly string[]
  readonly model?: string
}

/** The configuration with the flags that are no part of it, as plain JSON. */
export function toBatchSettings(
  { strategy = auto.name, budget = DEFAULT_BUDGET, summarizer, keep }: Configuration,
  { instructions, pin, model }: SettingFlags,
  largerThanTokens = 0,
): BatchSettings {
  return {
    strategy,
    budget: parseBudget(budget),
    summarizer,
    largerThanTokens,
    ...(keep && { keep }),
    ...(instructions !== undefined && { instructions }),
    ...(pin && { pins: pin }),
    ...(model !== undefined && { model }),
  }
}
