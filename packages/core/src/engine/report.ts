import { anObject, checkValue } from '../conversation/check-options.ts'
import { readCompaction } from '../conversation/compaction.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { listMedia } from '../conversation/request-limits.ts'
import { atOnce, inSteps, type Pause, type Steps } from '../conversation/steps.ts'
import { withoutRecallText } from '../conversation/summary-message.ts'
import { findAsked } from '../conversation/turns.ts'
import { createReceiptInSteps, type Receipt, withoutRetrievable } from '../facts/receipt.ts'
import { PROVIDER, readUserWords } from '../facts/user-words.ts'
import { findModel } from '../models/find-model.ts'
import type { Model } from '../models/model.ts'
import { clearImages } from '../strategies/clear-images.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import type { NameCheck } from '../summarizers/mark-names.ts'
import type { SummaryUsage } from '../summarizers/summarizer.ts'
import { renderPlural } from '../text/index.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import type { AttemptReport } from './attempt-report.ts'
import { findTurnProblems, type KeptFile } from './choose-parts.ts'
import { pricePrompt } from './economics.ts'
import type { TakenRung } from './ladder.ts'
import type { Limits } from './limits.ts'
import type { Refusal } from './refusal.ts'
import type { SummaryWork } from './summary-work.ts'

/**
 * The size of a conversation for the model that will read it. An upper bound if its tokenizer is
 * only estimated.
 */
export interface Size {
  readonly tokens: number
  readonly messages: number
}

/** Fields that the reports of a compression and of strategies share, counted on the result. */
export interface RunReport {
  readonly model: string
  /** False when the catalogue does not know the model and conservative defaults stood in. */
  readonly modelKnown: boolean
  /** Who made the summaries and rewrites of the result. Undefined if there are none. */
  readonly summarizer: string | undefined
  readonly before: Size
  /** In a dry run without what summarizers would save. */
  readonly after: Size
  /** Why summarizers failed in this run, and what had no room, in words for the user. */
  readonly problems: readonly string[]
  /**
   * The names in summaries by models, compared with what was summarized. Undefined if no model
   * wrote a summary.
   */
  readonly names: NameCheck | undefined
  /** Tokens that models were paid for. Undefined if none was called. */
  readonly usage: SummaryUsage | undefined
  /**
   * Made when it is first read, which takes about a second for a million tokens. See `readReceipt`.
   */
  readonly receipt: Receipt
  readonly cost: RequestCost | undefined
}

/** The effect of a compression. */
export interface Report extends RunReport {
  readonly strategy: string
  /** The first of `problems`, which say why summarizers failed. */
  readonly failures: readonly string[]
  readonly budgetTokens: number
  /**
   * Messages that stayed verbatim before the change, that were removed or summarized, and that
   * stayed after it.
   */
  readonly spans: { readonly head: number; readonly middle: number; readonly tail: number }
  /** Each step that was taken, in order. */
  readonly rungs: readonly {
    readonly name: string
    readonly tokensBefore: number
    readonly tokensAfter: number
  }[]
  /**
   * All attempts in their order, and why each except the last choice was refused. Empty if nothing
   * had to be done.
   */
  readonly attempts: readonly AttemptReport[]
  /** What happened to the files of `keepPaths`, if any were given. */
  readonly keptFiles?: readonly KeptFile[]
  /**
   * What happened to the provider's own compaction, if there was one. It is all that was left of
   * the past. `quoted`: its readable text is among the words that the summary quotes, and counts
   * with them.
   */
  readonly compaction?: 'kept' | 'quoted' | 'lost'
  /** The turns of `keepTurns` that stayed whole, if any were given. */
  readonly keptTurns?: readonly number[]
}

/**
 * US dollars of input for one request that finds nothing in the provider's cache. Undefined in a
 * report when prices are unknown.
 */
export interface RequestCost {
  readonly before: number
  readonly after: number
}

/** The end of a compression. Failure is a value: only bugs and bad input throw. */
export type Outcome =
  | { readonly type: 'compressed' }
  | { readonly type: 'unchanged'; readonly reason: NoopReason }
  | { readonly type: 'ineffective'; readonly savedShare: number }
  | { readonly type: 'recall-too-low'; readonly recall: number; readonly minRecall: number }
  | { readonly type: 'cannot-fit'; readonly refusal: Refusal }
  /** The summarizer failed although a summary would fit. No part that has to stay is too large. */
  | {
      readonly type: 'summary-failed'
      readonly summarizer: string
      readonly problems: readonly string[]
    }

interface ReceiptInput {
  readonly given: Conversation
  /** The history that was planned over: `given` itself unless it was broken. */
  readonly repaired: Conversation
  /** The result. */
  readonly conversation: Conversation
  readonly pins?: readonly string[]
  readonly isKept: boolean
  readonly pause: Pause
}

interface ReportInput extends ReceiptInput {
  readonly counter: TokenCounter
  readonly strategy: string
  readonly work: SummaryWork
  readonly taken: readonly TakenRung[]
  readonly attempts: readonly AttemptReport[]
  readonly limits: Limits
  readonly keepTurns?: readonly number[]
  /** What happened to manually chosen parts. */
  readonly chosen: Pick<Report, 'keptFiles' | 'keptTurns'>
}

/** Everything in a report is read off the result, not off the plan. */
export function createReport(input: ReportInput): Report {
  const { given, repaired, conversation, counter, strategy, work, taken, limits, chosen } = input
  const before = measure(given, counter)
  const after = measure(conversation, counter)
  const isChanged = conversation !== given
  const isRepaired = isChanged && repaired !== given
  const steps = isRepaired ? [{ name: 'repair', before: given, after: repaired }, ...taken] : taken
  const receipt = deferReceipt(input)
  const report: Report = {
    model: counter.model.id,
    modelKnown: counter.model.known,
    strategy,
    summarizer: isChanged ? work.summarizer : undefined,
    failures: work.problems,
    problems: [...work.problems, ...findProblems(input)],
    names: isChanged ? work.names : undefined,
    usage: work.usage,
    budgetTokens: limits.tokens,
    before,
    after,
    spans: measureSpans(taken.at(-1)?.before ?? repaired, new Set(conversation.messages)),
    rungs: steps.map((step) => ({
      name: step.name,
      tokensBefore: measure(step.before, counter).tokens,
      tokensAfter: measure(step.after, counter).tokens,
    })),
    attempts: input.attempts,
    get receipt() {
      return receipt.read()
    },
    cost: priceUncached(counter.model, before, after),
    ...followCompaction(given, conversation),
    ...chosen,
  }
  readers.set(report, receipt.readInSteps)
  return report
}

const CLEARING = new Set(['clear-tools', 'clear-reasoning', 'high-density'])

/**
 * Pictures and documents that the user has just sent and that had no room, and what the user has to
 * know of the state that the provider keeps of a conversation.
 */
function findProblems(input: ReportInput): string[] {
  const { given, repaired, conversation, taken, counter, keepTurns, chosen } = input
  // What a limit of images removed had room.
  const { messages } = taken.find(({ name }) => name === clearImages.name)?.after ?? given
  const kept = new Set(listMedia(conversation.messages).map(({ media }) => media))
  const lostTokens = listMedia(findAsked(messages).map((index) => messages[index]!)).reduce(
    (sum, { media }) => (kept.has(media) ? sum : sum + counter.countPart(media).upper),
    0,
  )
  const isLost = followCompaction(given, conversation).compaction === 'lost'
  const edits = (given.providerEdits ?? []).filter((edit) => edit.startsWith('clear_'))
  const isDoubled = edits.length > 0 && taken.some(({ name }) => CLEARING.has(name))
  return [
    ...(lostTokens > 0
      ? [
          `The images or files of your last request had no room: ${renderPlural(lostTokens, 'token')}.`,
        ]
      : []),
    ...(isLost ? ['The compaction of the provider had no room: what it stood for is lost.'] : []),
    ...(isDoubled
      ? [`The provider is asked to clear too (${edits.join(', ')}): leave it to one of the two.`]
      : []),
    ...(conversation === given ? [] : findTiedSpan(given)),
    ...findTurnProblems(repaired, keepTurns, chosen.keptTurns),
  ]
}

// A pair is smaller. More than this many say that an id is a name of something else.
const MOST_TIED = 8

/** Messages that one id ties together, if they are most of the history. */
function findTiedSpan({ messages }: Conversation): string[] {
  const cuts = findCutPoints(messages)
  const span = cuts.units.find(
    ({ start, end }) =>
      end - start > Math.max(MOST_TIED, messages.length / 2) && cuts.isTied(start),
  )
  return span
    ? [
        `Ids tie messages ${span.start + 1} to ${span.end} to each other, so they stay or go together.`,
      ]
    : []
}

function followCompaction(given: Conversation, result: Conversation): Pick<Report, 'compaction'> {
  const before = readCompaction(given.messages)
  if (!before) return {}
  if (readCompaction(result.messages) === before) return { compaction: 'kept' }
  const isQuoted = readUserWords(result.messages).words.some(({ about }) => about === PROVIDER)
  return { compaction: isQuoted ? 'quoted' : 'lost' }
}

const readers = new WeakMap<object, () => Promise<Receipt>>()

/** The receipt of a report. For a live context, other work continues while it is made. */
export async function readReceipt(report: Pick<Report, 'receipt'>): Promise<Receipt> {
  checkValue('Reading a receipt', 'report', report, anObject)
  return await (readers.get(report)?.() ?? report.receipt)
}

/**
 * Makes the receipt when it is first read: looking for every fact takes longer than all the rest.
 */
export function deferReceipt({ given, repaired, conversation, pins, isKept, pause }: ReceiptInput) {
  const { messages: history } = repaired
  const { messages: output } = conversation
  const create = (): Steps<Receipt> => {
    const left = new Set(output)
    const removed = history.filter((message) => !left.has(message))
    const { messages, workingDirectory } = given
    return createReceiptInSteps({
      removed,
      output,
      history,
      given: messages,
      pins,
      isKept,
      workingDirectory,
    })
  }
  let known: Receipt | undefined
  return {
    read: (): Receipt => {
      known ??= atOnce(create())
      return known
    },
    readInSteps: async (): Promise<Receipt> => {
      const read = known ?? (await inSteps(create(), pause))
      // Who reads it both ways gets the same object.
      known ??= read
      return known
    },
  }
}

export function measure(conversation: Conversation, counter: TokenCounter): Size {
  return {
    tokens: counter.countConversation(conversation).upper,
    messages: conversation.messages.length,
  }
}

function measureSpans({ messages }: Conversation, output: ReadonlySet<Message>): Report['spans'] {
  const head = messages.findIndex((message) => !output.has(message))
  if (head < 0) return { head: messages.length, middle: 0, tail: 0 }
  // A request that stayed while everything around it was removed comes before the tail in the
  // result.
  const middle = messages.filter((message) => !output.has(message)).length
  return { head, middle, tail: messages.length - head - middle }
}

/** In US dollars. Undefined if the prices of the model are unknown. */
export function priceUncached(model: Model, before: Size, after: Size): RequestCost | undefined {
  const prices = model.pricesPerMillionTokens
  if (!prices) return undefined
  // Without a cache, every token is fresh input. A long context has its higher price here too.
  const price = ({ tokens }: Size) => pricePrompt(tokens, 0, { prices, cache: undefined })
  return { before: price(before), after: price(after) }
}

interface Compressed {
  readonly conversation: Conversation
  readonly report: Pick<Report, 'model' | 'before' | 'after' | 'cost' | 'receipt'>
}

/**
 * A result whose original could not be kept after all: it promises nothing that cannot be looked
 * up.
 */
export function withoutRecall<Result extends Compressed>(result: Result): Result {
  const { model, before, receipt } = result.report
  const counter = createTokenCounter(findModel(model))
  const conversation = {
    ...result.conversation,
    messages: result.conversation.messages.map(withoutRecallText),
  }
  const after = measure(conversation, counter)
  const cost = priceUncached(counter.model, before, after)
  return {
    ...result,
    conversation,
    report: { ...result.report, after, cost, receipt: withoutRetrievable(receipt) },
  }
}
