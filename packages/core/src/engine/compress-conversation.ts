import { apply } from '../conversation/apply.ts'
import type { Edit, SettledEdit } from '../conversation/edit.ts'
import { checkInvariants, repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut } from '../strategies/middle-out.ts'
import type { Strategy, StrategyOptions } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import { createReport } from './create-report.ts'
import { fulfil } from './fulfil.ts'
import { createRefusal } from './refusal.ts'
import type { Outcome, Report } from './report.ts'
import { createView } from './view.ts'

/** Only the budget has to be given. */
export interface CompressOptions {
  /** The model that will read the result; the one of the conversation by default. */
  readonly model?: string
  /** A counter that has already seen the conversation, so that nothing is counted twice; its model is the one that counts. */
  readonly counter?: TokenCounter
  /** Upper limit of the whole result, by the counter of that model. */
  readonly budgetTokens: number
  /** `middle-out` by default. */
  readonly strategy?: Strategy
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  readonly keep?: StrategyOptions['keep']
  /** What the person wants kept above all. */
  readonly instructions?: string
  readonly signal?: AbortSignal
  /** Told the name of each step as it begins. */
  readonly onProgress?: (step: CompressStep) => void
}

/** In the order in which they come. */
export type CompressStep = 'measure' | 'plan' | 'summarize' | 'apply' | 'check'

/** What became of a conversation, and how. */
export interface Compression {
  readonly outcome: Outcome
  /** The conversation that was given when the outcome is not `compressed`. */
  readonly conversation: Conversation
  readonly report: Report
}

/**
 * Makes a conversation fit: valid for its provider, never larger, within the budget, the last request verbatim.
 * Rejects only when aborted, when the summarizer breaks, or with `RangeError` on options that cannot be.
 */
export async function compressConversation(given: Conversation, options: CompressOptions): Promise<Compression> {
  if (!(options.budgetTokens >= 0)) {
    throw new RangeError(`Compressing to budgetTokens ${options.budgetTokens}: give a number of tokens, 0 or more.`)
  }
  const strategy = options.strategy ?? middleOut
  const summarizer = options.summarizer ?? digest()
  const counter = options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  options.onProgress?.('measure')
  // What comes in may already be broken; a plan over it would carry the fault on.
  const repaired = repairInvariants(given)
  const attempt = await tryToFit(repaired, strategy, summarizer, counter, options)
  const conversation = attempt.outcome.type === 'compressed' ? attempt.result : given
  return {
    outcome: attempt.outcome,
    conversation,
    report: createReport({
      given,
      repaired,
      conversation,
      counter,
      strategy: strategy.name,
      summarizer: attempt.summarized ? summarizer.name : undefined,
      budgetTokens: options.budgetTokens,
    }),
  }
}

interface Attempt {
  readonly outcome: Outcome
  readonly result: Conversation
  readonly summarized: boolean
}

async function tryToFit(
  conversation: Conversation,
  strategy: Strategy,
  summarizer: Summarizer,
  counter: TokenCounter,
  options: CompressOptions,
): Promise<Attempt> {
  const { budgetTokens, keep, signal, onProgress } = options
  const refuse = (smallest: Conversation): Attempt => ({
    outcome: { type: 'cannot-fit', refusal: createRefusal(conversation, smallest, counter, budgetTokens) },
    result: conversation,
    summarized: false,
  })
  const view = createView(conversation, counter)
  if (view.tokensBefore.at(-1)! + view.fixedTokens <= budgetTokens) {
    return { outcome: { type: 'unchanged', reason: 'already-under-target' }, result: conversation, summarized: false }
  }
  onProgress?.('plan')
  const plan = strategy.plan(view, { targetTokens: budgetTokens, ...(keep && { keep }) })
  if ('noop' in plan) return refuse(conversation)

  onProgress?.('summarize')
  const edits = await fulfil(conversation, plan.edits, { ...options, summarizer, counter })
  signal?.throwIfAborted()
  onProgress?.('apply')
  const result = apply(conversation, edits ?? plan.edits.flatMap((edit) => withoutSummary(conversation, edit)))
  if (!edits || counter.countConversation(result).upper > budgetTokens) return refuse(result)

  onProgress?.('check')
  assertValid(result, strategy)
  return { outcome: { type: 'compressed' }, result, summarized: strategy.summarizes }
}

/** What the edit leaves when there is no room for its summary: the smallest result there can be. */
function withoutSummary(conversation: Conversation, edit: Edit): SettledEdit {
  if (edit.type !== 'summarize') return edit
  const messages = edit.keep.map((index) => conversation.messages[index]!)
  return { type: 'replace', start: edit.start, end: edit.end, messages }
}

/** Outputs are asserted, never repaired: a violation here is a bug of the strategy. */
function assertValid(conversation: Conversation, strategy: Strategy): void {
  const [violation] = checkInvariants(conversation)
  if (!violation) return
  throw new Error(
    `Checking the plan of "${strategy.name}": message ${violation.message} breaks ${violation.rule} (${violation.detail}). This is a bug in precis; nothing was changed.`,
  )
}
