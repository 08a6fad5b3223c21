import type { CompressOptions } from '@precis/core'
import type { SummarizerSettings } from '../configuration/summarizer-settings.ts'
import type { Budget } from './budget-tokens.ts'

/** How sessions are compressed. Plain JSON without a key: it crosses to other processes and machines. */
export interface BatchSettings {
  /** A name of `strategyChoices`. */
  readonly strategy: string
  readonly budget: Budget
  readonly summarizer: SummarizerSettings
  readonly keep?: CompressOptions['keep']
  readonly instructions?: string
  readonly pins?: readonly string[]
  /** The model that will read the results; the one each session recorded by default. */
  readonly model?: string
  /** Sessions of no more text are left alone. */
  readonly largerThanTokens: number
}

/** The same text for settings that make the same result. What is left alone does not change what is made of the rest. */
export function renderSettings({
  strategy,
  budget,
  summarizer,
  keep,
  instructions,
  pins,
  model,
}: BatchSettings): string {
  const { name, strongModel } = summarizer
  const limit = budget.type === 'tokens' ? budget.tokens : `${budget.fraction * 100}%`
  return JSON.stringify([
    strategy,
    limit,
    name,
    strongModel ?? null,
    keep?.head ?? null,
    keep?.tail ?? null,
    instructions ?? null,
    pins ?? [],
    model ?? null,
  ])
}
