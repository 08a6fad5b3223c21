import { readToolCalls } from '../actions/tool-calls.ts'
import { aText, checkOptions, checkValue } from '../conversation/check-options.ts'
import { withoutForgotten } from '../conversation/forgotten.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { createPause, inSteps, type Steps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import type { Receipt } from '../facts/receipt.ts'
import { detectFormat, FormatError, type FormatName, formats } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import type { Climb, ClimbRun } from './attempts.ts'
import { findBindingRoom, findLedgerLimit } from './carry-ledger.ts'
import { chooseParts, countKeptFiles, findKeptTurns } from './choose-parts.ts'
import { climb } from './climb.ts'
import { countWhatStays } from './goal.ts'
import { auto, createLadder, type Ladder } from './ladder.ts'
import { findExcess, findLimitsOf, findRequestExcess, type Limits, onlyPressing } from './limits.ts'
import { aConversation, compressKinds } from './option-kinds.ts'
import type { CompressOptions, EngineRun } from './options.ts'
import { countOverhead, createRefusal, findOverheadExcess } from './refusal.ts'
import { createReport, type Outcome, type Refusal, type Report, readReceipt } from './report.ts'
import { SummaryWork } from './summary-work.ts'
import { keepsRequest } from './view.ts'
import { withoutCompaction } from './without-compaction.ts'

/** A conversation after a compression, and how it came about. */
export interface Compression {
  readonly outcome: Outcome
  /** The conversation that was given when the outcome is not `compressed`. */
  readonly conversation: Conversation
  readonly report: Report
}

// With a trigger, less saving than this is not worth the loss; a budget alone has to be kept.
const INEFFECTIVE_SHARE = 0.05

/**
 * Makes a conversation fit: valid for its provider, never empty, never larger, within every limit,
 * with pins and ledger, the last request verbatim unless it alone is too large and a ladder clips
 * it; else a refusal that says why. Rejects only when aborted, or with `RangeError` on options that
 * cannot be.
 */
export async function compressConversation(
  given: Conversation,
  options: CompressOptions,
): Promise<Compression> {
  checkValue('Compressing', 'conversation', given, aConversation)
  checkOptions('Compressing', options, compressKinds, ['budgetTokens'])
  checkSizes(options)
  const { strategy = auto } = options
  const ladder = 'rungs' in strategy ? strategy : createLadder(strategy)
  const {
    summarizer = digest(),
    pins = [],
    recall,
    memory,
    signal,
    onProgress,
    minRecall = 0,
  } = options
  const { isKept = recall !== undefined } = options
  const counter =
    options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  if (!counter.isLoaded) await counter.load()
  const limits = findLimits(given, options, counter)
  onProgress?.('measure')
  const pause = createPause()
  const work = new SummaryWork()
  // The input may already be broken; a plan over it would keep the fault.
  const repaired = withoutForgotten(repairInvariants(given))
  const finish = (
    outcome: Outcome,
    conversation = given,
    taken: Climb['taken'] = [],
  ): Compression => {
    const found = {
      given,
      repaired,
      conversation,
      taken,
      counter,
      strategy: ladder.name,
      work,
      limits,
      pins,
      pause,
    }
    const { keepPaths, keepTurns } = options
    const chosen = {
      ...(keepPaths && { keptFiles: countKeptFiles(repaired, conversation, keepPaths, counter) }),
      ...(keepTurns && { keptTurns: findKeptTurns(repaired, conversation, keepTurns) }),
    }
    return { outcome, conversation, report: createReport({ ...found, isKept, chosen }) }
  }
  await inSteps(counter.countInSteps(given.messages), pause)
  await inSteps(counter.countInSteps(repaired.messages), pause)
  const { targetTokens = limits.tokens, triggerTokens = targetTokens } = options
  if (!findExcess(given, { ...limits, tokens: triggerTokens }, counter)) {
    return finish({ type: 'unchanged', reason: 'already-under-target' })
  }
  await inSteps(readCalls(repaired), pause)
  const method = `${ladder.name} ${summarizer.name} ${targetTokens}`
  const remembered = memory?.find(given, limits, method)
  if (remembered) return finish(remembered)
  const giveUp = (outcome: Outcome) => {
    memory?.remember(given, limits, method, outcome)
    return finish(outcome)
  }
  const trial: Trial = {
    given,
    repaired,
    ladder,
    limits,
    run: { ...options, counter, summarizer, pins, work, pause },
  }
  const isEmpty = repaired.messages.every(({ role }) => role === 'system')
  if (isEmpty && !findExcess(given, limits, counter))
    return giveUp({ type: 'unchanged', reason: 'empty-history' })
  const overhead = findOverheadExcess(given, repaired, counter, limits)
  if (overhead) return giveUp({ type: 'cannot-fit', refusal: await nameSmallest(overhead, trial) })
  const climbed = await climbWithChoices(trial)
  signal?.throwIfAborted()
  const { result, taken } = climbed
  if (!result) return giveUp(await refuse(climbed, trial))
  onProgress?.('check')
  await pause()
  const givenTokens = counter.countConversation(given).upper
  const savedShare =
    givenTokens === 0 ? 0 : 1 - counter.countConversation(result).upper / givenTokens
  const isSmallSaving = savedShare < INEFFECTIVE_SHARE && options.triggerTokens !== undefined
  if (isSmallSaving && !findRequestExcess(given, limits)) {
    return giveUp({ type: 'ineffective', savedShare })
  }
  const compression = finish({ type: 'compressed' }, result, taken)
  const factShare = minRecall > 0 ? findFactShare(await readReceipt(compression.report)) : 1
  if (factShare >= minRecall) return compression
  return {
    ...giveUp({ type: 'recall-too-low', recall: factShare, minRecall }),
    report: compression.report,
  }
}

/**
 * Understands every call beforehand: that is remembered, and later it would be all of them at a
 * time.
 */
function* readCalls({ messages, workingDirectory }: Conversation): Steps<void> {
  for (const { parts } of messages) {
    yield
    for (const part of parts) if (part.type === 'tool-call') readToolCalls(part, workingDirectory)
  }
}

/** Everything that stays the same from one climb to the next. */
interface Trial {
  readonly given: Conversation
  readonly repaired: Conversation
  readonly ladder: Ladder
  readonly limits: Limits
  readonly run: EngineRun & CompressOptions
}

// However much stays, the user's words share at least this much of the room.
const FEWEST_BESIDE = 0.25

// The budget is law: kept files give way before it does.
const KEPT_SHARES = [0.7, 0.35, 0]

async function climbWithChoices(trial: Trial): Promise<Climb> {
  const { keepPaths = [], keepTurns = [] } = trial.run
  const [first = 0, ...others] = keepPaths.length + keepTurns.length > 0 ? KEPT_SHARES : [0]
  let climbed = await climbTwice({ ...trial, ladder: chooseParts(trial.ladder, trial.run, first) })
  for (const share of others) {
    if (climbed.result) break
    climbed = await climbTwice({ ...trial, ladder: chooseParts(trial.ladder, trial.run, share) })
  }
  const { given, limits, run } = trial
  const repaired = withoutCompaction(trial.repaired)
  const mayLoseIt =
    repaired !== trial.repaired && findExcess(given, limits, run.counter) !== undefined
  return climbed.result || !mayLoseIt ? climbed : await climbWithChoices({ ...trial, repaired })
}

/**
 * Climbs, and again with a shorter ledger if that is what keeps the last request whole, or a result
 * within the limits.
 */
async function climbTwice(trial: Trial): Promise<Climb> {
  const { repaired, limits, run } = trial
  const { counter } = run
  const roomTokens = limits.tokens - countOverhead(repaired, counter)
  const { targetTokens = limits.tokens } = run
  // Where a target lies below the limit, what the agent has not answered yet stays beside the words
  // of the user.
  const isLive = targetTokens < limits.tokens
  const besideTokens = Math.min(
    roomTokens - (limits.tokens - targetTokens),
    limits.tokens - countWhatStays(repaired, counter, isLive),
  )
  const fewestTokens = roomTokens * FEWEST_BESIDE
  const ledgerRoom = Math.max(besideTokens, fewestTokens)
  const climbed = await climbBeside(trial, ledgerRoom)
  if (keepsRequest(repaired, climbed.result)) return climbed
  const besideRequest = limits.tokens - countWhatStays(repaired, counter, false)
  const isModelAsked = run.work.asked > 0 && run.summarizer.name !== digest().name
  if (besideRequest <= 0 || isModelAsked) return climbed
  const shorter = besideRequest < fewestTokens ? [besideRequest] : []
  // The words that bind give way last, and the receipt counts them.
  if (!climbed.result)
    shorter.push(Math.min(findBindingRoom(repaired, run.pins, counter), ledgerRoom), 0)
  let smallest = climbed
  for (const ledgerTokens of shorter) {
    run.signal?.throwIfAborted()
    const other = await climbBeside(trial, ledgerTokens)
    if (keepsRequest(repaired, other.result)) return other
    const count = (climb: Climb) => counter.countConversation(climb.smallest).upper
    if (!smallest.result && (other.result || count(other) < count(smallest))) smallest = other
  }
  return smallest
}

/**
 * Climbs, and again without the note on how to recall if nothing fits next to it: the tool works
 * without it.
 */
async function climbBeside(
  { given, repaired, ladder, limits, run }: Trial,
  besideTokens: number,
): Promise<Climb> {
  const { counter, pins, recall, signal } = run
  // Nothing comes out larger than it came in, but for the lines that stand for images that may not
  // stay.
  const isLightened = findRequestExcess(given, limits) !== undefined
  const tokens = isLightened
    ? limits.tokens
    : Math.min(limits.tokens, counter.countConversation(given).upper)
  const climbRun: ClimbRun = {
    ...run,
    limits: { ...limits, tokens },
    targetTokens: Math.min(run.targetTokens ?? tokens, tokens),
    mayStay: findExcess(given, limits, counter) === undefined,
    ledgerTokens: findLedgerLimit(repaired, pins, counter, besideTokens),
  }
  await run.pause()
  const climbed = await climb(repaired, ladder, climbRun, false)
  if (climbed.result || !recall) return climbed
  signal?.throwIfAborted()
  return await climb(repaired, ladder, climbRun, true)
}

/** The same trial by extraction, without progress: it only shows what is possible. */
function byExtraction(trial: Trial): Trial {
  return {
    ...trial,
    run: { ...trial.run, summarizer: digest(), work: new SummaryWork(), onProgress: undefined },
  }
}

/**
 * Tells apart a summarizer that failed from a size that cannot be reached: extraction shows whether
 * it can.
 */
async function refuse(climbed: Climb, trial: Trial): Promise<Outcome> {
  const { given, repaired, limits, run } = trial
  const { counter, summarizer, work } = run
  const isWithin = findExcess(given, limits, counter) === undefined
  const hasFailed = work.hasFailed && summarizer.name !== digest().name
  if (hasFailed && (await climbTwice(byExtraction(trial))).result) {
    return { type: 'summary-failed', summarizer: summarizer.name, problems: work.problems }
  }
  // A target may be missed.
  if (isWithin) return { type: 'unchanged', reason: climbed.reason ?? 'nothing-eligible' }
  const refusal = createRefusal(repaired, climbed.smallest, counter, limits, climbed.reason)
  return { type: 'cannot-fit', refusal: await nameSmallest(refusal, trial) }
}

// Steps that double until one is enough, and then halves of the last one. The first is nearly
// always enough.
const MOST_TRIALS = 8
const SMALLEST_STEP = 32
const EXACT_SHARE = 0.02

/**
 * The smallest budget that is enough, by trial; at the size of what was given nothing has to be
 * done.
 */
async function nameSmallest(refusal: Refusal, trial: Trial): Promise<Refusal> {
  const { given, limits, run } = trial
  if (refusal.limit !== 'tokens') return refusal
  const { counter, signal } = run
  const givenTokens = counter.countConversation(given).upper
  let tooFew = limits.tokens
  let enough = Math.max(givenTokens, limits.tokens + 1)
  let isEnoughFound = false
  let step = SMALLEST_STEP
  // What no rung made smaller is no less than this, so that there is nothing to search below it.
  const least = refusal.smallestTokens
  let tokens =
    least < givenTokens
      ? Math.max(least, limits.tokens + 1)
      : Math.min(limits.tokens + step, enough - 1)
  for (let round = 0; round < MOST_TRIALS && tokens < enough; round++) {
    signal?.throwIfAborted()
    const { result } = await climbTwice({ ...byExtraction(trial), limits: { ...limits, tokens } })
    if (result) enough = tokens
    else tooFew = tokens
    isEnoughFound ||= result !== undefined
    if (enough === least || enough - tooFew <= Math.max(SMALLEST_STEP, enough * EXACT_SHARE)) break
    tokens = isEnoughFound ? Math.ceil((tooFew + enough) / 2) : Math.min(tooFew + step, enough - 1)
    step *= 2
  }
  // Where something else is over its limit too, no number of tokens is enough: that is named
  // instead.
  const other = isEnoughFound
    ? undefined
    : findExcess(given, { ...limits, tokens: Infinity }, counter)
  return { ...refusal, smallestTokens: enough, limit: other?.of ?? refusal.limit }
}

function findLimits(
  given: Conversation,
  options: CompressOptions,
  { model }: TokenCounter,
): Limits {
  const {
    budgetTokens: tokens,
    budgetBytes,
    budgetImages,
    requestLimits = findLimitsOf(given, model),
  } = options
  const all = {
    ...requestLimits,
    ...(budgetBytes !== undefined && { bytes: budgetBytes }),
    ...(budgetImages !== undefined && { images: budgetImages }),
  }
  return { tokens, ...onlyPressing(given, all) }
}

/** Throws `RangeError` for sizes that are in each other's way. */
function checkSizes({ budgetTokens, targetTokens, triggerTokens }: CompressOptions): void {
  if (targetTokens !== undefined && targetTokens > budgetTokens) {
    throw new RangeError(
      `Compressing to targetTokens ${targetTokens} within budgetTokens ${budgetTokens}: the target lies above the budget.`,
    )
  }
  if (triggerTokens !== undefined && triggerTokens < (targetTokens ?? budgetTokens)) {
    const aim =
      targetTokens === undefined ? `budgetTokens ${budgetTokens}` : `targetTokens ${targetTokens}`
    throw new RangeError(
      `Compressing to ${aim} from triggerTokens ${triggerTokens} on: give a trigger that is not below it.`,
    )
  }
}

/** The share of facts that are still there or can be looked up; 1 where there was none. */
function findFactShare({ kinds }: Receipt): number {
  const counts = Object.values(kinds)
  const found = counts.reduce((sum, { verbatim, retrievable }) => sum + verbatim + retrievable, 0)
  const missing = counts.reduce((sum, count) => sum + count.missing, 0)
  return found + missing === 0 ? 1 : found / (found + missing)
}

/** The result of `compress`: messages in the format and shape that came in. */
export interface CompressResult<Messages> {
  /** The compressed messages; the very value that was given unless the outcome is `compressed`. */
  readonly messages: Messages
  readonly outcome: Outcome
  readonly report: Report
}

export interface CompressMessagesOptions extends CompressOptions {
  /**
   * Recognised by default; `{ role, content }` with plain text alone and an empty list are read as
   * `openai-chat`.
   */
  readonly format?: FormatName
}

/**
 * Compresses native objects, text or bytes of any format. Throws `FormatError` for an unknown or
 * another format.
 */
export async function compress<Messages extends string | Uint8Array | object>(
  messages: Messages,
  given: CompressMessagesOptions,
): Promise<CompressResult<Messages>> {
  checkOptions('Compressing messages', given, { ...compressKinds, format: aText }, ['budgetTokens'])
  const { format: name, ...options } = given
  if (name !== undefined && !Object.hasOwn(formats, name)) {
    throw new FormatError(
      'unknown-format',
      `Compressing messages as "${name}": there is no such format. Give ${Object.keys(formats).join(', ')}.`,
    )
  }
  const format = formats[name ?? detectFormat(messages)]
  const { outcome, conversation, report } = await compressConversation(
    format.parse(messages),
    options,
  )
  if (outcome.type !== 'compressed') return { messages, outcome, report }
  // A format gives back what it was given: text for text, bytes for bytes, a native object for a
  // native object.
  return { messages: format.serialize(conversation) as Messages, outcome, report }
}
