import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { type RecallPath, renderRecallPath } from '../conversation/recall-path.ts'
import type { Receipt } from '../facts/receipt.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut } from '../strategies/middle-out.ts'
import type { Strategy, StrategyOptions } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import { findLedgerRoom } from './carry-ledger.ts'
import { type Climb, type ClimbOptions, climb } from './climb.ts'
import type { CompressionMemory } from './compression-memory.ts'
import { createReport } from './create-report.ts'
import { createLadder, type Ladder } from './ladder.ts'
import { findExcess, type Limits } from './limits.ts'
import { countOverhead, createPinRefusal, createRefusal, findOverheadExcess } from './refusal.ts'
import type { Outcome, Report } from './report.ts'
import { SummaryWork } from './summary-work.ts'

/** Only the budget has to be given. */
export interface CompressOptions {
  /** The model that will read the result; the one of the conversation by default. */
  readonly model?: string
  /** A counter that has already seen the conversation, so that nothing is counted twice; its model is the one that counts. */
  readonly counter?: TokenCounter
  /** Upper limit of the whole result, by the counter of that model. */
  readonly budgetTokens: number
  /** Upper limit of the messages and tool schemas as JSON in UTF-8. */
  readonly budgetBytes?: number
  /** Upper limit of images, those in results of tools included. */
  readonly budgetImages?: number
  /**
   * What is aimed at below the budget, by default the budget itself. It is a wish: what the agent has not answered yet is not
   * clipped for it, and nothing is dropped without a summary.
   */
  readonly targetTokens?: number
  /** Up to this size nothing is done; by default the target. A target well below it keeps compressions rare. */
  readonly triggerTokens?: number
  /** `middle-out` by default; `auto` takes the gentlest way that suffices. */
  readonly strategy?: Strategy | Ladder
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  readonly keep?: StrategyOptions['keep']
  /** What the person wants kept above all in a summary. */
  readonly instructions?: string
  /** Texts that stand verbatim in the result, and in the result of every later compression. */
  readonly pins?: readonly string[]
  /** How the model that reads the result looks up what was removed, where the host keeps it: said in the result. */
  readonly recall?: RecallPath
  /** From 0 to 1: a result that keeps a smaller share of the facts of what was removed is rejected. */
  readonly minRecall?: number
  /** Remembers what came to nothing, so that it is not tried again before there is new content. */
  readonly memory?: CompressionMemory
  readonly signal?: AbortSignal
  /** Told the name of each step as it begins, and how many of its summaries are finished. */
  readonly onProgress?: (step: CompressStep, done?: number, total?: number) => void
}

/** In the order in which they come; a ladder may plan and summarize several times. */
export type CompressStep = 'measure' | 'plan' | 'summarize' | 'check'

/** What became of a conversation, and how. */
export interface Compression {
  readonly outcome: Outcome
  /** The conversation that was given when the outcome is not `compressed`. */
  readonly conversation: Conversation
  readonly report: Report
}

// Less saving than this is not worth the loss to one who waits for a trigger; a budget alone is a demand.
const INEFFECTIVE_SHARE = 0.05

/**
 * Makes a conversation fit: valid for its provider, never larger, within the budget, the last request verbatim unless it
 * alone is too large and a ladder clips it. Rejects only when aborted, or with `RangeError` on options that cannot be.
 */
export async function compressConversation(given: Conversation, options: CompressOptions): Promise<Compression> {
  const limits = readLimits(options)
  const ladder = readLadder(options.strategy ?? middleOut)
  const summarizer = options.summarizer ?? digest()
  const counter = options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  const { pins = [], recall, keep, instructions, signal, onProgress, memory } = options
  onProgress?.('measure')
  const work = new SummaryWork()
  // What comes in may already be broken; a plan over it would carry the fault on.
  const repaired = repairInvariants(given)
  const told = { given, repaired, counter, strategy: ladder.name, work, limits, pins, canRecall: recall !== undefined }
  const finish = (outcome: Outcome, conversation: Conversation, taken: Climb['taken']): Compression => ({
    outcome,
    conversation,
    report: createReport({ ...told, conversation, taken }),
  })
  const { targetTokens = limits.tokens } = options
  const isWithin =
    findExcess(repaired, { ...limits, tokens: options.triggerTokens ?? targetTokens }, counter) === undefined
  if (isWithin) return finish({ type: 'unchanged', reason: 'already-under-target' }, given, [])
  const way = `${ladder.name} ${summarizer.name} ${targetTokens}`
  const remembered = memory?.recall(given, limits, way)
  if (remembered) return finish(remembered, given, [])
  const settle = (outcome: Outcome) => {
    memory?.remember(given, limits, way, outcome)
    return finish(outcome, given, [])
  }
  const overheadTokens = countOverhead(repaired, counter)
  const overhead = findOverheadExcess(repaired, overheadTokens, counter, limits)
  if (overhead) return settle({ type: 'cannot-fit', refusal: overhead })
  const ledger = findLedgerRoom(repaired, pins, counter, limits.tokens - overheadTokens)
  if (ledger.pinTokens > ledger.limitTokens) {
    return settle({ type: 'cannot-fit', refusal: createPinRefusal(ledger, overheadTokens, limits) })
  }

  const { result, smallest, taken, reason } = await climbWithRecall(repaired, ladder, recall, {
    limits,
    targetTokens,
    counter,
    summarizer,
    work,
    pins,
    ledgerTokens: ledger.limitTokens,
    ...(keep && { keep }),
    ...(instructions !== undefined && { instructions }),
    ...(signal && { signal }),
    ...(onProgress && { onStep: onProgress }),
  })
  signal?.throwIfAborted()
  if (!result) {
    const isNothing = work.problems.length === 0 && !findExcess(repaired, limits, counter)
    if (isNothing) return settle({ type: 'unchanged', reason: reason ?? 'nothing-eligible' })
    return settle({ type: 'cannot-fit', refusal: createRefusal(repaired, smallest, counter, limits, reason) })
  }
  onProgress?.('check')
  const savedShare = findSavedShare(repaired, result, counter)
  if (savedShare < INEFFECTIVE_SHARE && options.triggerTokens !== undefined) {
    return settle({ type: 'ineffective', savedShare })
  }
  const compression = finish({ type: 'compressed' }, result, taken)
  const { minRecall = 0 } = options
  const share = minRecall > 0 ? findRecall(compression.report.receipt) : 1
  if (share < minRecall)
    return { ...settle({ type: 'recall-too-low', recall: share, minRecall }), report: compression.report }
  return compression
}

/** What fits only without a word on recalling fits: the tool is there all the same. */
async function climbWithRecall(
  repaired: Conversation,
  ladder: Ladder,
  recall: RecallPath | undefined,
  options: Omit<ClimbOptions, 'recall'>,
): Promise<Climb> {
  const climbed = await climb(repaired, ladder, { ...options, recall: recall ? renderRecallPath(recall) : '' })
  if (climbed.result || !recall) return climbed
  options.signal?.throwIfAborted()
  return await climb(repaired, ladder, { ...options, recall: '' })
}

function readLimits(options: CompressOptions): Limits {
  const { budgetTokens, budgetBytes, budgetImages, targetTokens, triggerTokens, minRecall } = options
  if (typeof budgetTokens !== 'number') {
    throw new RangeError(`Compressing to budgetTokens ${String(budgetTokens)}: give a number, 0 or more.`)
  }
  const given = Object.entries({ budgetTokens, budgetBytes, budgetImages, targetTokens, triggerTokens })
  for (const [name, value] of given) {
    if (value !== undefined && !(value >= 0)) {
      throw new RangeError(`Compressing to ${name} ${value}: give a number, 0 or more.`)
    }
  }
  if (targetTokens !== undefined && targetTokens > budgetTokens) {
    throw new RangeError(
      `Compressing to targetTokens ${targetTokens} within budgetTokens ${budgetTokens}: the target lies above the budget.`,
    )
  }
  if (triggerTokens !== undefined && triggerTokens < (targetTokens ?? budgetTokens)) {
    const aim = targetTokens === undefined ? `budgetTokens ${budgetTokens}` : `targetTokens ${targetTokens}`
    throw new RangeError(
      `Compressing to ${aim} from triggerTokens ${triggerTokens} on: give a trigger that is not below it.`,
    )
  }
  if (minRecall !== undefined && !(minRecall >= 0 && minRecall <= 1)) {
    throw new RangeError(`Compressing with minRecall ${minRecall}: give a share from 0 to 1.`)
  }
  return {
    tokens: budgetTokens,
    ...(budgetBytes !== undefined && { bytes: budgetBytes }),
    ...(budgetImages !== undefined && { images: budgetImages }),
  }
}

function readLadder(strategy: Strategy | Ladder): Ladder {
  return 'rungs' in strategy ? strategy : createLadder(strategy)
}

function findSavedShare(before: Conversation, after: Conversation, counter: TokenCounter): number {
  const tokens = counter.countConversation(before).upper
  return tokens === 0 ? 0 : 1 - counter.countConversation(after).upper / tokens
}

/** The share of facts that are still there or can be looked up; 1 where there was none. */
function findRecall({ kinds }: Receipt): number {
  let found = 0
  let lost = 0
  for (const { verbatim, retrievable, missing } of Object.values(kinds)) {
    found += verbatim + retrievable
    lost += missing
  }
  return found + lost === 0 ? 1 : found / (found + lost)
}
