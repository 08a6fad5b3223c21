/** Strategies one after the other, whatever the size: how a clone of a session is made. */
import { apply } from '../conversation/apply.ts'
import { type Edit, isSettled, type SettledEdit } from '../conversation/edit.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, readText } from '../conversation/message.ts'
import { type RecallPath, renderRecallPath } from '../conversation/recall-path.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import { assertValid, holdsHistory } from './assert-valid.ts'
import { type CarriedLedger, carryLedger, LEDGER_TOKENS, renewSummary } from './carry-ledger.ts'
import type { CompressStep } from './compress-conversation.ts'
import { fulfil } from './fulfil.ts'
import { createStepsReport, NO_REWRITES, type Rewrites, type StepResult, type StepsReport } from './steps-report.ts'
import { SummaryWork } from './summary-work.ts'
import { createView } from './view.ts'

export interface ApplyStrategiesOptions {
  /** The model that will read the result; the one of the conversation by default. */
  readonly model?: string
  /** A counter that has already seen the conversation; its model is the one that counts. */
  readonly counter?: TokenCounter
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  /** What the person wants kept above all. */
  readonly instructions?: string
  /** Texts that stand verbatim in the result, and in the result of every later compression. */
  readonly pins?: readonly string[]
  /** How the model that reads the result looks up what was removed; said in the summary of an earlier compression. */
  readonly recall?: RecallPath
  readonly signal?: AbortSignal
  /** Plans everything, changes what needs no summarizer, and asks none. */
  readonly dryRun?: boolean
  /** Told the name of each step as it begins, and how many of its summaries and rewrites are finished. */
  readonly onProgress?: (step: CompressStep, done?: number, total?: number) => void
}

/** The conversation that was given when no strategy changed anything. */
export interface AppliedStrategies {
  readonly conversation: Conversation
  readonly report: StepsReport
}

/**
 * Every strategy does all it can in its zone (`targetTokens` 0). The result is valid for its provider and says the ledger;
 * a step that would make it larger, or leave nothing of the history, is passed over. Rejects only when aborted.
 */
export async function applyStrategies(
  given: Conversation,
  steps: readonly Strategy[],
  options: ApplyStrategiesOptions = {},
): Promise<AppliedStrategies> {
  const counter = options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  options.onProgress?.('measure')
  const work = new SummaryWork()
  const repaired = repairInvariants(given)
  const { pins = [] } = options
  const ledger = carryLedger(repaired, { counter, pins, limitTokens: LEDGER_TOKENS })
  const results: StepResult[] = []
  let current = repaired
  for (const strategy of steps) {
    options.signal?.throwIfAborted()
    const result = await applyStep(current, strategy, { ...options, counter, work, ledger })
    results.push(result)
    current = result.after
  }
  options.onProgress?.('check')
  const isSmaller = counter.countConversation(current).upper <= counter.countConversation(given).upper
  const conversation = current === repaired || !isSmaller ? given : sayRecall(current, options.recall)
  const canRecall = options.recall !== undefined
  return {
    conversation,
    report: createStepsReport({ given, repaired, conversation, results, counter, work, canRecall }),
  }
}

/** No message is made for it: a clone has the messages that its original has. */
function sayRecall(conversation: Conversation, recall: RecallPath | undefined): Conversation {
  if (!recall || !conversation.messages.some(isSummary)) return conversation
  const text = renderRecallPath(recall)
  const messages = conversation.messages.map((message) =>
    isSummary(message) ? renewSummary(message, '', text) : message,
  )
  return { ...conversation, messages }
}

interface StepOptions extends ApplyStrategiesOptions {
  readonly counter: TokenCounter
  readonly work: SummaryWork
  readonly ledger: CarriedLedger
}

async function applyStep(before: Conversation, strategy: Strategy, options: StepOptions): Promise<StepResult> {
  const { counter, ledger, onProgress, dryRun = false } = options
  const unchanged = { name: strategy.name, before, after: before, plannedSaving: 0, rewrites: NO_REWRITES }
  onProgress?.('plan')
  const plan = strategy.plan(createView(before, counter), { targetTokens: 0 })
  if ('noop' in plan) return { ...unchanged, noop: plan.noop }
  const asked = plan.edits.filter(({ type }) => type === 'rewrite').length
  const { settled, rewrites } = dryRun
    ? { settled: plan.edits.filter(isSettled), rewrites: { ...NO_REWRITES, asked } }
    : await settle(before, plan.edits, options)
  const plannedSaving = dryRun ? planSaving(before, plan.edits, counter) : 0
  if (settled.length === 0) return { ...unchanged, plannedSaving, rewrites }
  const applied = apply(before, settled)
  const after = ledger.say(applied, settled.find(({ type }) => type === 'drop')?.start)
  assertValid(after, strategy)
  const isLarger = counter.countConversation(after).upper > counter.countConversation(before).upper
  if (isLarger || !holdsHistory(applied)) return { ...unchanged, rewrites, noop: 'nothing-eligible' }
  return { ...unchanged, after, plannedSaving, rewrites }
}

async function settle(
  before: Conversation,
  edits: readonly Edit[],
  options: StepOptions,
): Promise<{ settled: readonly SettledEdit[]; rewrites: Rewrites }> {
  const { counter, work, ledger, instructions, signal, onProgress } = options
  const asked = edits.filter(({ type }) => type === 'rewrite').length
  const earlier = work.rewrites
  if (edits.some((edit) => !isSettled(edit))) onProgress?.('summarize')
  const settled = await fulfil(before, edits, {
    counter,
    work,
    summarizer: options.summarizer ?? digest(),
    ledger,
    ...(instructions !== undefined && { instructions }),
    ...(signal && { signal }),
    onProgress: (done, total) => onProgress?.('summarize', done, total),
  })
  const done = work.rewrites.done - earlier.done
  const failed = work.rewrites.failed - earlier.failed
  return { settled: settled ?? [], rewrites: { asked, done, failed, unchanged: asked - done - failed } }
}

function planSaving(before: Conversation, edits: readonly Edit[], counter: TokenCounter): number {
  const { countTokens, tokensBefore } = createView(before, counter)
  let saving = 0
  for (const edit of edits) {
    const message = before.messages[edit.start]
    if (edit.type === 'rewrite' && message) saving += countTokens(readText(message)) - edit.targetTokens
    if (edit.type === 'summarize') saving += tokensBefore[edit.end]! - tokensBefore[edit.start]! - edit.targetTokens
  }
  return Math.max(saving, 0)
}
