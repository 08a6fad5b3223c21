/** Strategies one after the other, regardless of the size: how a clone of a session is made. */

import { aConversation, aFlag, checkOptions, checkValue } from '../conversation/check-options.ts'
import type { Edit } from '../conversation/edit.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, type Part, readText } from '../conversation/message.ts'
import { createPause, inSteps } from '../conversation/steps.ts'
import { isSummary, type RecallPath, renderRecallPath } from '../conversation/summary-message.ts'
import { digest } from '../digest/digest.ts'
import type { NoopReason, Strategy } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { attempt, isSummarizeEdit } from './attempt.ts'
import { carryLedger, findLedgerLimit, renewSummary } from './carry-ledger.ts'
import type { FulfilRun } from './fulfil.ts'
import { openCounter } from './known.ts'
import { engineKinds, strategies } from './option-kinds.ts'
import type { EngineOptions } from './options.ts'
import { deferReceipt, measure, priceUncached, type RunReport } from './report.ts'
import { SummaryWork } from './summary-work.ts'
import { assertValid, createView, holdsHistory } from './view.ts'

export interface ApplyStrategiesOptions extends EngineOptions {
  /** Plans everything, makes the changes that need no summarizer, and asks none. */
  readonly dryRun?: boolean
}

/** The conversation that was given when no strategy changed anything. */
export interface AppliedStrategies {
  readonly conversation: Conversation
  readonly report: StepsReport
}

/**
 * Each strategy does all it can in its zone (`targetTokens` 0), which leaves no space for a summary
 * of many messages. The result is valid for its provider and contains the ledger. A step that would
 * make it larger, or leave nothing of the history, is skipped. Rejects only when aborted.
 */
export async function applyStrategies(
  given: Conversation,
  steps: readonly Strategy[],
  options: ApplyStrategiesOptions = {},
): Promise<AppliedStrategies> {
  checkValue('Applying strategies', 'conversation', given, aConversation)
  checkValue('Applying strategies', 'steps', steps, strategies)
  checkOptions('Applying strategies', options, { ...engineKinds, dryRun: aFlag })
  const counter = await openCounter(given, options)
  const { summarizer = digest(), pins = [], recall, signal, onProgress } = options
  onProgress?.('measure')
  const repaired = repairInvariants(given)
  const pause = createPause()
  for (const { messages } of [given, repaired]) await inSteps(counter.countInSteps(messages), pause)
  const limitTokens = findLedgerLimit(
    repaired,
    pins,
    counter,
    counter.countConversation(repaired).upper,
  )
  const ledger = carryLedger(repaired, { counter, pins, limitTokens })
  const run: StepRun = {
    ...options,
    counter,
    summarizer,
    pins,
    work: new SummaryWork(),
    pause,
    ledger,
  }
  const results: StepResult[] = []
  let current = repaired
  for (const strategy of steps) {
    signal?.throwIfAborted()
    await pause()
    const result = await applyStep(current, strategy, run)
    results.push(result)
    current = result.after
  }
  onProgress?.('check')
  const said = sayRecall(current, recall)
  const isSmaller = counter.countConversation(said).upper <= counter.countConversation(given).upper
  const conversation = current === repaired || !isSmaller ? given : said
  return { conversation, report: createStepsReport(given, repaired, conversation, results, run) }
}

/** The effect of strategies, one by one and together. */
export interface StepsReport extends RunReport {
  readonly steps: readonly StepReport[]
  readonly rewrites: Rewrites
}

export interface StepReport {
  readonly name: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Tokens that summarizers would save in addition. 0 if they were asked. */
  readonly plannedSaving: number
  /** Why it changed nothing. */
  readonly noop?: NoopReason
  /** Messages that are gone or say something else. */
  readonly messages: number
  readonly calls: PartChanges
  readonly results: PartChanges
  readonly reasoning: PartChanges
  readonly rewrites: Rewrites
}

/** Parts of one kind. */
export interface PartChanges {
  readonly removed: number
  readonly shortened: number
}

/**
 * Messages to be rewritten in fewer words. `asked` is the sum of done, failed and unchanged. A dry
 * run tries none.
 */
export interface Rewrites {
  readonly asked: number
  readonly done: number
  /** No answer came, so the message is unchanged. */
  readonly failed: number
  /** The answer was not shorter, so the message is unchanged. */
  readonly unchanged: number
}

const NO_REWRITES: Rewrites = { asked: 0, done: 0, failed: 0, unchanged: 0 }

/**
 * Writes how to look things up into summaries only: a clone has the messages that its original has.
 */
function sayRecall(conversation: Conversation, recall: RecallPath | undefined): Conversation {
  if (!recall || !conversation.messages.some(isSummary)) return conversation
  const text = renderRecallPath(recall)
  const messages = conversation.messages.map((message) =>
    isSummary(message) ? renewSummary(message, '', text) : message,
  )
  return { ...conversation, messages }
}

type StepRun = FulfilRun & ApplyStrategiesOptions

interface StepResult extends Pick<StepReport, 'name' | 'noop' | 'plannedSaving' | 'rewrites'> {
  readonly before: Conversation
  readonly after: Conversation
}

async function applyStep(
  before: Conversation,
  strategy: Strategy,
  run: StepRun,
): Promise<StepResult> {
  const { counter, ledger, work, dryRun = false } = run
  const unchanged = {
    name: strategy.name,
    before,
    after: before,
    plannedSaving: 0,
    rewrites: NO_REWRITES,
  }
  const view = createView(before, counter)
  const earlier = work.rewrites
  const { noop, planned, edits, conversation } = await attempt(
    strategy,
    { view, options: { targetTokens: 0 }, withoutSummaries: dryRun },
    run,
  )
  if (noop) return { ...unchanged, noop }
  if (planned.every(isHopeless)) return { ...unchanged, noop: 'nothing-eligible' }
  const asked = planned.filter(({ type }) => type === 'rewrite').length
  const done = work.rewrites.done - earlier.done
  const failed = work.rewrites.failed - earlier.failed
  const rewrites = { asked, done, failed, unchanged: dryRun ? 0 : asked - done - failed }
  const plannedSaving = dryRun ? planSaving(before, planned, counter) : 0
  if (!conversation || !edits?.length) return { ...unchanged, plannedSaving, rewrites }
  const after = ledger.say(conversation, edits.find(({ type }) => type === 'drop')?.start)
  assertValid(after, strategy, before)
  const isLarger = counter.countConversation(after).upper > counter.countConversation(before).upper
  if (isLarger || !holdsHistory(conversation))
    return { ...unchanged, rewrites, noop: 'nothing-eligible' }
  return { ...unchanged, after, plannedSaving, rewrites }
}

/** Whether it is a summary without any space: next to what stays, a target of 0 leaves none. */
const isHopeless = (edit: Edit): boolean => isSummarizeEdit(edit) && edit.targetTokens <= 0

/**
 * How much smaller the result gets when every rewrite and summary that is only planned meets its
 * target.
 */
function planSaving(before: Conversation, edits: readonly Edit[], counter: TokenCounter): number {
  const { countTokens, tokensBefore } = createView(before, counter)
  let saving = 0
  for (const edit of edits) {
    const message = before.messages[edit.start]
    if (edit.type === 'rewrite' && message)
      saving += countTokens(readText(message)) - edit.targetTokens
    if (isSummarizeEdit(edit) && !isHopeless(edit))
      saving += tokensBefore[edit.end]! - tokensBefore[edit.start]! - edit.targetTokens
  }
  return Math.max(saving, 0)
}

function createStepsReport(
  given: Conversation,
  repaired: Conversation,
  conversation: Conversation,
  results: readonly StepResult[],
  { counter, work, recall, pause, isKept = recall !== undefined }: StepRun,
): StepsReport {
  const before = measure(given, counter)
  const after = measure(conversation, counter)
  const receipt = deferReceipt({ given, repaired, conversation, isKept, pause })
  const sum = (of: keyof Rewrites) =>
    results.reduce((total, { rewrites }) => total + rewrites[of], 0)
  return {
    model: counter.model.id,
    modelKnown: counter.model.known,
    summarizer: conversation === given ? undefined : work.summarizer,
    before,
    after,
    steps: results.map((result) => createStepReport(result, counter)),
    rewrites: {
      asked: sum('asked'),
      done: sum('done'),
      failed: sum('failed'),
      unchanged: sum('unchanged'),
    },
    problems: work.problems,
    names: conversation === given ? undefined : work.names,
    usage: work.usage,
    get receipt() {
      return receipt.read()
    },
    cost: priceUncached(counter.model, before, after),
  }
}

function createStepReport(result: StepResult, counter: TokenCounter): StepReport {
  const { name, before, after, noop, plannedSaving, rewrites } = result
  const left = new Set(after.messages)
  const partsBefore = listParts(before)
  const partsAfter = listParts(after)
  const leftParts = new Set(partsAfter)
  const changesOf = (type: Part['type']): PartChanges => {
    const isKind = (part: Part) => part.type === type
    const touched = partsBefore.filter((part) => isKind(part) && !leftParts.has(part)).length
    const removed = Math.max(
      partsBefore.filter(isKind).length - partsAfter.filter(isKind).length,
      0,
    )
    return { removed, shortened: Math.max(touched - removed, 0) }
  }
  return {
    name,
    tokensBefore: measure(before, counter).tokens,
    tokensAfter: measure(after, counter).tokens,
    plannedSaving,
    noop,
    messages: before.messages.filter((message) => !left.has(message)).length,
    calls: changesOf('tool-call'),
    results: changesOf('tool-result'),
    reasoning: changesOf('reasoning'),
    rewrites,
  }
}

const listParts = ({ messages }: Conversation): Part[] =>
  messages.flatMap((message): readonly Part[] => message.parts)
