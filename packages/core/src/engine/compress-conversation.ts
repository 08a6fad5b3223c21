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
import { findLedgerLimit } from './carry-ledger.ts'
import { type Climb, type ClimbOptions, climb } from './climb.ts'
import type { CompressionMemory } from './compression-memory.ts'
import { createReport } from './create-report.ts'
import { createLadder, type Ladder } from './ladder.ts'
import { findExcess, type Limits } from './limits.ts'
import { countOverhead, createRefusal, findOverheadExcess } from './refusal.ts'
import type { Outcome, Refusal, Report } from './report.ts'
import { SummaryWork } from './summary-work.ts'

/** Only the budget has to be given. */
export interface CompressOptions {
  /** The model that will read the result; the one of the conversation by default. */
  readonly model?: string
  /** A counter that has already seen the conversation, so that nothing is counted twice; its model is the one that counts. */
  readonly counter?: TokenCounter
  /** Upper limit of the whole result, by the counter of that model. */
  readonly budgetTokens: number
  /** Upper limit of the whole request as JSON in UTF-8, as its format writes it. */
  readonly budgetBytes?: number
  /** Upper limit of images, those in results of tools included. */
  readonly budgetImages?: number
  /**
   * A size to aim at below the budget, by default the budget itself. It is a wish: what the agent has not answered yet is not
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
 * Makes a conversation fit: valid for its provider, never empty, never larger, within every limit, with pins and ledger, the
 * last request verbatim unless it alone is too large and a ladder clips it; else a refusal that says why. Rejects only when
 * aborted, or with `RangeError` on options that cannot be.
 */
export async function compressConversation(given: Conversation, options: CompressOptions): Promise<Compression> {
  const limits = readLimits(options)
  const ladder = readLadder(options.strategy ?? middleOut)
  const summarizer = options.summarizer ?? digest()
  const counter = options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  const { pins = [], recall, signal, onProgress, memory } = options
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
    findExcess(given, { ...limits, tokens: options.triggerTokens ?? targetTokens }, counter) === undefined
  if (isWithin) return finish({ type: 'unchanged', reason: 'already-under-target' }, given, [])
  const way = `${ladder.name} ${summarizer.name} ${targetTokens}`
  const remembered = memory?.recall(given, limits, way)
  if (remembered) return finish(remembered, given, [])
  const settle = (outcome: Outcome) => {
    memory?.remember(given, limits, way, outcome)
    return finish(outcome, given, [])
  }
  const trial: Trial = { given, repaired, ladder, options, counter, limits }
  const isEmpty = repaired.messages.every(({ role }) => role === 'system')
  if (isEmpty && !findExcess(given, limits, counter)) return settle({ type: 'unchanged', reason: 'empty-history' })
  const overhead = findOverheadExcess(given, repaired, counter, limits)
  if (overhead) return settle({ type: 'cannot-fit', refusal: await nameSmallest(overhead, trial) })
  const climbed = await climbWithRecall(trial, summarizer, work, onProgress)
  signal?.throwIfAborted()
  const { result, taken } = climbed
  if (!result) return settle(await refuse(climbed, trial, summarizer, work))
  onProgress?.('check')
  const savedShare = findSavedShare(given, result, counter)
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

/** Everything that stays the same from one climb to the next. */
interface Trial {
  readonly given: Conversation
  readonly repaired: Conversation
  readonly ladder: Ladder
  readonly options: CompressOptions
  readonly counter: TokenCounter
  readonly limits: Limits
}

/** Climbs again without the note on how to recall where nothing fits beside it: the tool is there all the same. */
async function climbWithRecall(
  { given, repaired, ladder, options, counter, limits }: Trial,
  summarizer: Summarizer,
  work: SummaryWork,
  onStep?: ClimbOptions['onStep'],
): Promise<Climb> {
  const { pins = [], recall, keep, instructions, signal } = options
  const roomTokens = limits.tokens - countOverhead(repaired, counter)
  // Whatever a limit of bytes or images asks for: nothing comes out larger than it came in.
  const tokens = Math.min(limits.tokens, counter.countConversation(given).upper)
  const climbOptions: ClimbOptions = {
    limits: { ...limits, tokens },
    targetTokens: Math.min(options.targetTokens ?? tokens, tokens),
    mayStay: findExcess(given, limits, counter) === undefined,
    counter,
    summarizer,
    work,
    pins,
    ledgerTokens: findLedgerLimit(repaired, pins, counter, roomTokens),
    recall: recall ? renderRecallPath(recall) : '',
    isRecallOptional: false,
    ...(keep && { keep }),
    ...(instructions !== undefined && { instructions }),
    ...(signal && { signal }),
    ...(onStep && { onStep }),
  }
  const climbed = await climb(repaired, ladder, climbOptions)
  if (climbed.result || !recall) return climbed
  signal?.throwIfAborted()
  return await climb(repaired, ladder, { ...climbOptions, isRecallOptional: true })
}

/** By extraction, whatever the summarizer: only what it cannot do either is a matter of size. */
async function refuse(climbed: Climb, trial: Trial, summarizer: Summarizer, work: SummaryWork): Promise<Outcome> {
  const { given, repaired, counter, limits } = trial
  const isWithin = findExcess(given, limits, counter) === undefined
  const hasFailed = work.hasFailed && summarizer.name !== digest().name
  if (hasFailed && (isWithin || (await climbWithRecall(trial, digest(), new SummaryWork())).result)) {
    return { type: 'summary-failed', summarizer: summarizer.name, problems: work.problems }
  }
  // A target is a wish.
  if (isWithin) return { type: 'unchanged', reason: climbed.reason ?? 'nothing-eligible' }
  const refusal = createRefusal(repaired, climbed.smallest, counter, limits, climbed.reason)
  return { type: 'cannot-fit', refusal: await nameSmallest(refusal, trial) }
}

// The first of them is nearly always enough: a ladder's smallest result depends on its budget by its ledger alone.
const MOST_TRIALS = 6

/** A budget that is enough, by trial; at the size of what was given nothing has to be done. */
async function nameSmallest(refusal: Refusal, trial: Trial): Promise<Refusal> {
  const { given, counter, limits } = trial
  if (refusal.limit !== 'tokens') return refusal
  const givenTokens = counter.countConversation(given).upper
  let tokens = Math.max(refusal.smallestTokens, limits.tokens + 1)
  for (let round = 0; round < MOST_TRIALS && tokens < givenTokens; round++) {
    trial.options.signal?.throwIfAborted()
    const tried = { ...trial, limits: { ...limits, tokens } }
    const { result, smallest } = await climbWithRecall(tried, digest(), new SummaryWork())
    if (result) return { ...refusal, smallestTokens: tokens }
    const next = tokens + Math.ceil((givenTokens - tokens) / (MOST_TRIALS - round))
    tokens = Math.max(Math.min(counter.countConversation(smallest).upper, next), tokens + SMALLEST_STEP * 2 ** round)
  }
  // Where something else is over its limit too, no number of tokens is enough: that is what stands in the way.
  const other = findExcess(given, { ...limits, tokens: Infinity }, counter)
  return { ...refusal, smallestTokens: Math.max(givenTokens, limits.tokens + 1), ...(other && { limit: other.of }) }
}

const SMALLEST_STEP = 32

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
