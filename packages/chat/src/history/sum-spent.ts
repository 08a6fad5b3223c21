/** What a chat has cost, as entries of its history and as sums. */
import { findModel, type Usage } from '@precis/core'
import { priceTokens } from '@precis/core/engine'
import type { ModelUsage, SummaryUsage } from '@precis/core/summarizers'
import type { Spent, SpentRow } from '../contract/chat-agent.ts'
import type { HistoryEntry } from './history-entry.ts'

type SpentEntry = Extract<HistoryEntry, { type: 'spent' }>

const NO_USAGE = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

/** One answer of a model. Without usage, the dollars are unknown and count as none. */
export function describeAnswer(model: string, usage?: Usage, dollars?: number): SpentEntry {
  const counted = { type: 'spent', purpose: 'answer', model, requests: 1, ...NO_USAGE } as const
  return usage
    ? { ...counted, ...usage, unreported: 0, dollars }
    : { ...counted, unreported: 1, dollars: 0 }
}

/** A summary, at the prices in the catalog of each model that was asked for it. */
export function describeSummary(name: string, usage: SummaryUsage): SpentEntry[] {
  return (usage.models ?? [{ ...usage, model: name }]).map(describeModelUsage)
}

function describeModelUsage({ model, calls, ...usage }: ModelUsage): SpentEntry {
  const { inputTokens: input, outputTokens: output } = usage
  const { pricesPerMillionTokens: prices } = findModel(model)
  const billed = { input, output, cachedInput: 0, cacheWrite: 0, cacheWriteLong: 0 }
  const isReported = input + output > 0
  return {
    type: 'spent',
    purpose: 'summary',
    model,
    requests: calls,
    unreported: isReported ? 0 : calls,
    ...NO_USAGE,
    ...usage,
    dollars: isReported ? prices && priceTokens(billed, prices) : 0,
  }
}

export function addSpent(rows: readonly SpentRow[], entry: SpentEntry): readonly SpentRow[] {
  const { dollars, purpose, model } = entry
  const at = rows.findIndex((row) => row.purpose === purpose && row.model === model)
  const row = rows[at]
  return row ? rows.with(at, sumRows(row, entry)) : [...rows, { ...entry, dollars }]
}

const sumRows = (a: SpentRow, b: SpentEntry): SpentRow => ({
  ...a,
  requests: a.requests + b.requests,
  unreported: a.unreported + b.unreported,
  inputTokens: a.inputTokens + b.inputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  dollars: addDollars(a.dollars, b.dollars),
})

const addDollars = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

export function sumSpent(rows: readonly SpentRow[]): Spent {
  return {
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    dollars: rows.reduce<number | undefined>((sum, row) => addDollars(sum, row.dollars), 0),
    rows,
  }
}
