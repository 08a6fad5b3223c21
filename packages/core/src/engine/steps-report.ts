import type { Conversation, Part } from '../conversation/message.ts'
import type { Receipt } from '../facts/receipt.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import type { SummaryUsage } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { deferReceipt, measure, priceUncached } from './create-report.ts'
import type { RequestCost, Size } from './report.ts'
import type { SummaryWork } from './summary-work.ts'

/** What strategies did, one by one and together, counted on the result. */
export interface StepsReport {
  readonly model: string
  /** False when the catalogue does not know the model and conservative defaults stood in. */
  readonly modelKnown: boolean
  /** Who made what stands in the result; undefined when nobody did. */
  readonly summarizer: string | undefined
  readonly before: Size
  /** In a dry run without what summarizers would save. */
  readonly after: Size
  readonly steps: readonly StepReport[]
  readonly rewrites: Rewrites
  /** Why calls came to nothing; in words for the person. */
  readonly problems: readonly string[]
  /** What models were paid for; undefined when none was called. */
  readonly usage: SummaryUsage | undefined
  readonly receipt: Receipt
  readonly cost: RequestCost | undefined
}

export interface StepReport {
  readonly name: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Tokens that summarizers would save on top; 0 unless nothing was asked of them. */
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

/** What one strategy did. */
export interface StepResult {
  readonly name: string
  readonly before: Conversation
  readonly after: Conversation
  readonly noop?: NoopReason
  /** How much smaller the result gets when every rewrite that is only planned meets its target. */
  readonly plannedSaving: number
  readonly rewrites: Rewrites
}

/** Messages to be said in fewer words. Asked is done, failed and unchanged together; in a dry run nothing is tried. */
export interface Rewrites {
  readonly asked: number
  readonly done: number
  /** No answer came; the message is as it was. */
  readonly failed: number
  /** The answer was no shorter, or lacked what the person settled; the message is as it was. */
  readonly unchanged: number
}

interface StepsReportInput {
  readonly given: Conversation
  /** What the first step began with: `given` itself unless its history was broken. */
  readonly repaired: Conversation
  readonly conversation: Conversation
  readonly results: readonly StepResult[]
  readonly counter: TokenCounter
  readonly work: SummaryWork
  readonly canRecall: boolean
}

export function createStepsReport(input: StepsReportInput): StepsReport {
  const { given, repaired, conversation, results, counter, work, canRecall } = input
  const before = measure(given, counter)
  const after = measure(conversation, counter)
  const readReceipt = deferReceipt({ given, repaired, conversation, canRecall })
  return {
    model: counter.model.id,
    modelKnown: counter.model.known,
    summarizer: conversation === given ? undefined : work.summarizer,
    before,
    after,
    steps: results.map((result) => createStepReport(result, counter)),
    rewrites: results.map(({ rewrites }) => rewrites).reduce(addRewrites, NO_REWRITES),
    problems: work.problems,
    usage: work.usage,
    get receipt() {
      return readReceipt()
    },
    cost: priceUncached(counter.model, before, after),
  }
}

function createStepReport(result: StepResult, counter: TokenCounter): StepReport {
  const { name, before, after, noop, plannedSaving, rewrites } = result
  const left = new Set(after.messages)
  const leftParts = new Set(listParts(after))
  const changesOf = (type: Part['type']): PartChanges => {
    const isKind = (part: Part) => part.type === type
    const touched = listParts(before).filter((part) => isKind(part) && !leftParts.has(part)).length
    const removed = Math.max(listParts(before).filter(isKind).length - listParts(after).filter(isKind).length, 0)
    return { removed, shortened: Math.max(touched - removed, 0) }
  }
  return {
    name,
    tokensBefore: measure(before, counter).tokens,
    tokensAfter: measure(after, counter).tokens,
    plannedSaving,
    ...(noop !== undefined && { noop }),
    messages: before.messages.filter((message) => !left.has(message)).length,
    calls: changesOf('tool-call'),
    results: changesOf('tool-result'),
    reasoning: changesOf('reasoning'),
    rewrites,
  }
}

function listParts({ messages }: Conversation): Part[] {
  return messages.flatMap((message): readonly Part[] => message.parts)
}

export const NO_REWRITES: Rewrites = { asked: 0, done: 0, failed: 0, unchanged: 0 }

function addRewrites(a: Rewrites, b: Rewrites): Rewrites {
  return {
    asked: a.asked + b.asked,
    done: a.done + b.done,
    failed: a.failed + b.failed,
    unchanged: a.unchanged + b.unchanged,
  }
}
