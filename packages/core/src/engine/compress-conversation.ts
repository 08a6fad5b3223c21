import { readToolCalls } from '../actions/tool-calls.ts'
import { aText, checkOptions, checkValue } from '../conversation/check-options.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { createPause, inSteps, type Steps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import type { Receipt } from '../facts/receipt.ts'
import { detectFormat, FormatError, type FormatName, formats } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import { countKeptFiles, findKeptTurns } from './choose-parts.ts'
import { withoutForgotten } from './forgotten.ts'
import { countOnce, Known } from './known.ts'
import { auto, createLadder } from './ladder.ts'
import { findExcess, findLimitsOf, findRequestExcess, type Limits, onlyPressing } from './limits.ts'
import type { SearchTask } from './open-series.ts'
import { aConversation, compressKinds } from './option-kinds.ts'
import type { CompressOptions } from './options.ts'
import { createRefusal, findOverheadExcess } from './refusal.ts'
import { createReport, type Outcome, type Refusal, type Report, readReceipt } from './report.ts'
import { type Found, search } from './search.ts'
import { SummaryWork } from './summary-work.ts'

/** A conversation after a compression, and how it came about. */
export interface Compression {
  readonly outcome: Outcome
  /** The conversation that was given when the outcome is not `compressed`. */
  readonly conversation: Conversation
  readonly report: Report
}

// With a trigger, a smaller saving is not worth the loss. A budget without a trigger has to be
// kept.
const INEFFECTIVE_SHARE = 0.05

/**
 * Makes a conversation fit. The result is valid for its provider, never empty, never larger, and
 * within every limit. It has pins and ledger. The last request stays verbatim, unless it is too
 * large itself and the ladder clips it. Otherwise the outcome is a refusal with the reason. Rejects
 * only when aborted, or with `RangeError` for impossible options.
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
  const givenCounter =
    options.counter ?? createTokenCounter(findModel(options.model ?? given.model ?? ''))
  if (!givenCounter.isLoaded) await givenCounter.load()
  const counter = countOnce(givenCounter)
  const limits = findLimits(given, options, counter)
  onProgress?.('measure')
  const pause = createPause()
  const work = new SummaryWork()
  // The input may already be broken, and a plan over it would keep the fault.
  const repaired = withoutForgotten(repairInvariants(given))
  // What was tried before it was given up is told too.
  let found: Pick<Found, 'taken' | 'attempts'> = { taken: [], attempts: [] }
  const finish = (outcome: Outcome, conversation = given): Compression => {
    const input = {
      given,
      repaired,
      conversation,
      taken: conversation === given ? [] : found.taken,
      attempts: found.attempts,
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
    return { outcome, conversation, report: createReport({ ...input, isKept, chosen }) }
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
  const task: SearchTask = {
    given,
    repaired,
    ladder,
    limits,
    known: new Known(counter),
    run: { ...options, counter, summarizer, pins, work, pause },
  }
  const isEmpty = repaired.messages.every(({ role }) => role === 'system')
  if (isEmpty && !findExcess(given, limits, counter))
    return giveUp({ type: 'unchanged', reason: 'empty-history' })
  const overhead = findOverheadExcess(given, repaired, counter, limits)
  if (overhead) return giveUp({ type: 'cannot-fit', refusal: await nameSmallest(overhead, task) })
  const searched = await search(task)
  found = searched
  signal?.throwIfAborted()
  const { result } = searched
  if (!result) return giveUp(await refuse(searched, task))
  onProgress?.('check')
  await pause()
  const givenTokens = counter.countConversation(given).upper
  const savedShare =
    givenTokens === 0 ? 0 : 1 - counter.countConversation(result).upper / givenTokens
  const isSmallSaving = savedShare < INEFFECTIVE_SHARE && options.triggerTokens !== undefined
  if (isSmallSaving && !findRequestExcess(given, limits)) {
    return giveUp({ type: 'ineffective', savedShare })
  }
  const compression = finish({ type: 'compressed' }, result)
  const factShare = minRecall > 0 ? findFactShare(await readReceipt(compression.report)) : 1
  if (factShare >= minRecall) return compression
  return {
    ...giveUp({ type: 'recall-too-low', recall: factShare, minRecall }),
    report: compression.report,
  }
}

/** Reads every call beforehand and remembers it. Otherwise one later step would read all calls. */
function* readCalls({ messages, workingDirectory }: Conversation): Steps<void> {
  for (const { parts } of messages) {
    yield
    for (const part of parts) if (part.type === 'tool-call') readToolCalls(part, workingDirectory)
  }
}

/** The same search by extraction, without progress. It only shows what is possible. */
function byExtraction(task: SearchTask): SearchTask {
  return {
    ...task,
    run: { ...task.run, summarizer: digest(), work: new SummaryWork(), onProgress: undefined },
  }
}

/**
 * Distinguishes a summarizer that failed from a size that cannot be reached. Extraction shows
 * whether it can.
 */
async function refuse({ smallest, reason }: Found, task: SearchTask): Promise<Outcome> {
  const { given, repaired, limits, run } = task
  const { counter, summarizer, work } = run
  const isWithin = findExcess(given, limits, counter) === undefined
  const hasFailed = work.hasFailed && summarizer.name !== digest().name
  if (hasFailed && (await search(byExtraction(task))).result) {
    return { type: 'summary-failed', summarizer: summarizer.name, problems: work.problems }
  }
  // A target may be missed.
  if (isWithin) return { type: 'unchanged', reason: reason ?? 'nothing-eligible' }
  const refusal = createRefusal(repaired, smallest, counter, limits, reason)
  return { type: 'cannot-fit', refusal: await nameSmallest(refusal, task) }
}

// Steps that double until one is enough, and then halves of the last one. The first is nearly
// always enough.
const MOST_TRIALS = 8
const SMALLEST_STEP = 32
const EXACT_SHARE = 0.02

/**
 * The smallest budget that is enough, found by trial. At the given size, nothing has to be done.
 */
async function nameSmallest(refusal: Refusal, task: SearchTask): Promise<Refusal> {
  const { given, limits, run } = task
  if (refusal.limit !== 'tokens') return refusal
  const { counter, signal } = run
  const givenTokens = counter.countConversation(given).upper
  let tooFew = limits.tokens
  let enough = Math.max(givenTokens, limits.tokens + 1)
  let isEnoughFound = false
  let step = SMALLEST_STEP
  // No rung made the history smaller than this, so the search starts here.
  const least = refusal.smallestTokens
  let tokens =
    least < givenTokens
      ? Math.max(least, limits.tokens + 1)
      : Math.min(limits.tokens + step, enough - 1)
  for (let round = 0; round < MOST_TRIALS && tokens < enough; round++) {
    signal?.throwIfAborted()
    const { result } = await search({ ...byExtraction(task), limits: { ...limits, tokens } })
    if (result) enough = tokens
    else tooFew = tokens
    isEnoughFound ||= result !== undefined
    if (enough === least || enough - tooFew <= Math.max(SMALLEST_STEP, enough * EXACT_SHARE)) break
    tokens = isEnoughFound ? Math.ceil((tooFew + enough) / 2) : Math.min(tooFew + step, enough - 1)
    step *= 2
  }
  // If another limit is exceeded too, no number of tokens is enough. That limit is named instead.
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

/** The share of facts that are still there or can be looked up. 1 if there were none. */
function findFactShare({ kinds }: Receipt): number {
  const counts = Object.values(kinds)
  const found = counts.reduce((sum, { verbatim, retrievable }) => sum + verbatim + retrievable, 0)
  const missing = counts.reduce((sum, count) => sum + count.missing, 0)
  return found + missing === 0 ? 1 : found / (found + missing)
}

/** The result of `compress`: messages in the format and shape that came in. */
export interface CompressResult<Messages> {
  /** The compressed messages. The same value as given, unless the outcome is `compressed`. */
  readonly messages: Messages
  readonly outcome: Outcome
  readonly report: Report
}

export interface CompressMessagesOptions extends CompressOptions {
  /**
   * Detected by default. `{ role, content }` with only plain text, and an empty list, are read as
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
  // A format returns the kind it was given: text, bytes, or a native object.
  return { messages: format.serialize(conversation) as Messages, outcome, report }
}
