import { readToolCalls } from '../actions/tool-calls.ts'
import { aConversation, aText, checkOptions, checkValue } from '../conversation/check-options.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { createPause, inSteps, type Steps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import type { Receipt } from '../facts/receipt.ts'
import { detectFormat, type FormatName, formats } from '../formats/formats.ts'
import { FormatError } from '../formats/shared/format.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { countKeptFiles, findKeptTurns } from './choose-parts.ts'
import { explainRefusal, nameSmallest } from './explain-refusal.ts'
import { withoutForgotten } from './forgotten.ts'
import { countOnce, Known, openCounter } from './known.ts'
import { auto, createLadder } from './ladder.ts'
import { findExcess, findLimitsOf, findRequestExcess, type Limits, onlyPressing } from './limits.ts'
import type { SearchTask } from './open-series.ts'
import { compressKinds } from './option-kinds.ts'
import type { CompressOptions } from './options.ts'
import { findOverheadExcess, findPinExcess } from './refusal.ts'
import { createReport, type Outcome, type Report, readReceipt } from './report.ts'
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
  const task = await openTask(given, options)
  const { repaired, limits, ladder, run } = task
  const { counter, summarizer, pause } = run
  run.onProgress?.('measure')
  await inSteps(counter.countInSteps(given.messages), pause)
  await inSteps(counter.countInSteps(repaired.messages), pause)
  const { targetTokens = limits.tokens, triggerTokens = targetTokens, memory, minRecall } = options
  if (!findExcess(given, { ...limits, tokens: triggerTokens }, counter))
    return finish(task, { type: 'unchanged', reason: 'already-under-target' })
  await inSteps(readCalls(repaired), pause)
  const method = `${ladder.name} ${summarizer.name} ${targetTokens} ${minRecall}`
  const remembered = memory?.find(given, limits, method)
  if (remembered) return finish(task, remembered)
  const { outcome, found } = await decide(task)
  const compression = await checkRecall(finish(task, outcome, found), given, minRecall)
  if (compression.outcome.type !== 'compressed')
    memory?.remember(given, limits, method, compression.outcome)
  return compression
}

async function openTask(given: Conversation, options: CompressOptions): Promise<SearchTask> {
  const { strategy = auto, summarizer = digest(), pins = [] } = options
  const counter = countOnce(await openCounter(given, options))
  const work = new SummaryWork()
  return {
    given,
    // The input may already be broken, and a plan over it would keep the fault.
    repaired: withoutForgotten(repairInvariants(given)),
    ladder: 'rungs' in strategy ? strategy : createLadder(strategy),
    limits: findLimits(given, options, counter),
    known: new Known(counter),
    run: { ...options, counter, summarizer, pins, work, pause: createPause() },
  }
}

interface Decision {
  readonly outcome: Outcome
  /** What was tried before it was given up is told too. */
  readonly found?: Found
}

/** Searches for a result, and names the reason if there is none. */
async function decide(task: SearchTask): Promise<Decision> {
  const { given, repaired, limits, run } = task
  const { counter, signal, onProgress, pause } = run
  const isEmpty = repaired.messages.every(({ role }) => role === 'system')
  if (isEmpty && !findExcess(given, limits, counter))
    return { outcome: { type: 'unchanged', reason: 'empty-history' } }
  const overhead = findOverheadExcess(given, repaired, counter, limits)
  if (overhead)
    return { outcome: { type: 'cannot-fit', refusal: await nameSmallest(overhead, task) } }
  const pinned = findPinExcess(given, run.pins, counter, limits)
  if (pinned) return { outcome: { type: 'cannot-fit', refusal: pinned } }
  const found = await search(task)
  signal?.throwIfAborted()
  const { result } = found
  if (!result) return { outcome: await explainRefusal(found, task), found }
  onProgress?.('check')
  await pause()
  const givenTokens = counter.countConversation(given).upper
  const savedShare =
    givenTokens === 0 ? 0 : 1 - counter.countConversation(result).upper / givenTokens
  const isSmallSaving = savedShare < INEFFECTIVE_SHARE && run.triggerTokens !== undefined
  return isSmallSaving && !findRequestExcess(given, limits)
    ? { outcome: { type: 'ineffective', savedShare }, found }
    : { outcome: { type: 'compressed' }, found }
}

/** The result with its report, or what was given if there is none. */
function finish(task: SearchTask, outcome: Outcome, found?: Found): Compression {
  const { given, repaired, ladder, limits, run } = task
  const { keepPaths, keepTurns, recall, isKept = recall !== undefined, counter } = run
  const isDone = outcome.type === 'compressed' && found?.result !== undefined
  const conversation = isDone ? found.result : given
  const report = createReport({
    ...run,
    given,
    repaired,
    conversation,
    taken: isDone ? found.taken : [],
    attempts: found?.attempts ?? [],
    strategy: ladder.name,
    limits,
    isKept,
    chosen: {
      ...(keepPaths && { keptFiles: countKeptFiles(repaired, conversation, keepPaths, counter) }),
      ...(keepTurns && { keptTurns: findKeptTurns(repaired, conversation, keepTurns) }),
    },
  })
  return { outcome, conversation, report }
}

/** The same, or what was given if too few facts of it are left. The report says which. */
async function checkRecall(
  compression: Compression,
  given: Conversation,
  minRecall = 0,
): Promise<Compression> {
  if (minRecall === 0 || compression.outcome.type !== 'compressed') return compression
  const recall = findFactShare(await readReceipt(compression.report))
  return recall >= minRecall
    ? compression
    : {
        ...compression,
        outcome: { type: 'recall-too-low', recall, minRecall },
        conversation: given,
      }
}

/** Reads every call beforehand and remembers it. Otherwise one later step would read all calls. */
function* readCalls({ messages, workingDirectory }: Conversation): Steps<void> {
  for (const { parts } of messages) {
    yield
    for (const part of parts) if (part.type === 'tool-call') readToolCalls(part, workingDirectory)
  }
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
