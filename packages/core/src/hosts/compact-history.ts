/**
 * A compaction that a host asks for: the history of its model in, a shorter one out.
 *
 *   keeps 'tail'      summary · newest messages    the host takes messages
 *   keeps 'nothing'   summary                      the host takes one text
 */
import {
  aConversation,
  checkOptions,
  checkValue,
  type Kinds,
  oneOf,
} from '../conversation/check-options.ts'
import { findSystemEnd } from '../conversation/compaction.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import { withoutRecallText } from '../conversation/summary-message.ts'
import { type Compression, compressConversation } from '../engine/compress-conversation.ts'
import { summarizeKinds } from '../engine/option-kinds.ts'
import type { EngineOptions } from '../engine/options.ts'
import { readReceipt } from '../engine/report.ts'
import { countCompactionBudget, summarizeConversation } from '../engine/summarize-conversation.ts'
import type { Receipt, WordCounts } from '../facts/receipt.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** The window of the counter's model is the window that the host compacts for. */
export interface CompactionOptions
  extends Pick<EngineOptions, 'instructions' | 'pins' | 'recall' | 'isKept' | 'signal'> {
  readonly counter: TokenCounter
  /** What stays verbatim next to the summary. */
  readonly keeps: 'tail' | 'nothing'
  /**
   * Upper limit of the result, and with `nothing` the size to aim at. By default the size of a
   * model's summary, see `countCompactionBudget`.
   */
  readonly budgetTokens?: number
}

export type HostCompaction =
  | {
      readonly type: 'compacted'
      readonly compression: Compression
      /** Made by code of precis out of the result. */
      readonly receipt: Receipt
    }
  /** The host continues as if precis were not there. `isShort`: there is nothing to remove. */
  | { readonly type: 'left'; readonly reason: string; readonly isShort: boolean }

// Less than this share of a history is not worth what it loses.
const LEAST_SAVED_SHARE = 0.05

const compactionKinds: Kinds = { ...summarizeKinds, keeps: oneOf(['tail', 'nothing']) }

/** Rejects only when aborted, or with `TypeError` or `RangeError` for impossible options. */
export async function compactHistory(
  given: Conversation,
  options: CompactionOptions,
): Promise<HostCompaction> {
  checkValue('Compacting', 'conversation', given, aConversation)
  checkOptions('Compacting', options, compactionKinds, ['counter', 'keeps'])
  const { counter, keeps, budgetTokens, ...engine } = options
  // The host sends its instructions again with every request. What an operator said later is only
  // here.
  const own = given.messages.slice(findSystemEnd(given.messages))
  // How an earlier compaction was looked up is no fact of the work.
  const history = { ...given, messages: engine.recall ? own.map(withoutRecallText) : own }
  if (history.messages.some(hasSealedPast)) {
    return left('what its provider compacted earlier only the provider can read')
  }
  const budget = budgetTokens ?? countCompactionBudget(history, counter, engine.pins)
  const compression =
    keeps === 'nothing'
      ? await summarizeConversation(history, { ...engine, counter, budgetTokens: budget })
      : await compressConversation(history, {
          ...engine,
          counter,
          budgetTokens: budget,
          // The ledger quotes the first request, and the host knows the summary by its place.
          keep: { head: { tokens: 0 } },
        })
  const { outcome, report } = compression
  if (outcome.type === 'unchanged') return SHORT
  if (outcome.type !== 'compressed') return left(`a summary came to nothing (${outcome.type})`)
  const isMessages = keeps === 'tail'
  if (isMessages && report.after.tokens > report.before.tokens * (1 - LEAST_SAVED_SHARE))
    return SHORT
  if (isMessages && !continues(history.messages, compression.conversation.messages))
    return left('the next request would be cut off')
  return { type: 'compacted', compression, receipt: await readReceipt(report) }
}

const SHORT: HostCompaction = {
  type: 'left',
  reason: 'the conversation is already short',
  isShort: true,
}

const left = (reason: string): HostCompaction => ({ type: 'left', reason, isShort: false })

/** Whether it contains the whole past, readable only by the provider. */
function hasSealedPast({ parts }: Message): boolean {
  return parts.some(({ compaction }: Part) => compaction && compaction.text === undefined)
}

/** In the middle of a turn the model answers results or a request: they stay at the end. */
function continues(before: readonly Message[], after: readonly Message[]): boolean {
  const isAnswer = (messages: readonly Message[]) => messages.at(-1)?.role === 'assistant'
  return isAnswer(before) || !isAnswer(after)
}

/** A compaction in numbers, for one line or a record. */
export interface CompactionCounts {
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Facts of what was removed that are not stale, and those that are verbatim in the result. */
  readonly facts: { readonly total: number; readonly kept: number }
  readonly words: WordCounts
}

export function countCompaction({
  compression: { report },
  receipt: { facts, words },
}: Extract<HostCompaction, { readonly type: 'compacted' }>): CompactionCounts {
  return {
    tokensBefore: report.before.tokens,
    tokensAfter: report.after.tokens,
    facts: {
      total: facts.filter(({ state }) => state !== 'stale').length,
      kept: facts.filter(({ state }) => state === 'verbatim').length,
    },
    words,
  }
}
