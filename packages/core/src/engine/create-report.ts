import type { Conversation, Message } from '../conversation/message.ts'
import { createReceipt, type Receipt } from '../facts/receipt.ts'
import type { Model } from '../models/model.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { TakenRung } from './climb.ts'
import { pricePrompt } from './economics.ts'
import type { Limits } from './limits.ts'
import type { Report, RequestCost, Size } from './report.ts'
import type { SummaryWork } from './summary-work.ts'

interface ReportInput {
  readonly given: Conversation
  /** What was planned over: `given` itself unless its history was broken. */
  readonly repaired: Conversation
  /** The result. */
  readonly conversation: Conversation
  readonly counter: TokenCounter
  readonly strategy: string
  readonly work: SummaryWork
  readonly taken: readonly TakenRung[]
  readonly limits: Limits
  readonly pins: readonly string[]
  readonly canRecall: boolean
}

/** Everything in a report is read off the result, not off the plan. */
export function createReport(input: ReportInput): Report {
  const { given, repaired, conversation, counter, strategy, work, taken, limits, pins, canRecall } = input
  const before = measure(given, counter)
  const after = measure(conversation, counter)
  const output = new Set(conversation.messages)
  const isChanged = conversation !== given
  const repair: TakenRung[] =
    repaired === given || !isChanged ? [] : [{ name: 'repair', before: given, after: repaired }]
  const readReceipt = deferReceipt({ given, repaired, conversation, pins, canRecall })
  return {
    model: counter.model.id,
    modelKnown: counter.model.known,
    strategy,
    summarizer: isChanged ? work.summarizer : undefined,
    problems: work.problems,
    usage: work.usage,
    budgetTokens: limits.tokens,
    before,
    after,
    spans: measureSpans(taken.at(-1)?.before ?? repaired, output),
    rungs: [...repair, ...taken].map((rung) => ({
      name: rung.name,
      tokensBefore: measure(rung.before, counter).tokens,
      tokensAfter: measure(rung.after, counter).tokens,
    })),
    get receipt() {
      return readReceipt()
    },
    cost: priceUncached(counter.model, before, after),
  }
}

/** Looking for every fact takes longer than all the rest: it is done when somebody asks, and then once. */
export function deferReceipt(
  input: Pick<ReportInput, 'given' | 'repaired' | 'conversation' | 'canRecall'> & Partial<Pick<ReportInput, 'pins'>>,
): () => Receipt {
  const { given, repaired, conversation, pins = [], canRecall } = input
  const { workingDirectory } = given
  let receipt: Receipt | undefined
  return () => {
    const output = new Set(conversation.messages)
    receipt ??= createReceipt({
      removed: repaired.messages.filter((message) => !output.has(message)),
      output: conversation.messages,
      history: repaired.messages,
      pins,
      canRecall,
      ...(workingDirectory !== undefined && { workingDirectory }),
    })
    return receipt
  }
}

export function measure(conversation: Conversation, counter: TokenCounter): Size {
  return { tokens: counter.countConversation(conversation).upper, messages: conversation.messages.length }
}

function measureSpans({ messages }: Conversation, output: ReadonlySet<Message>): Report['spans'] {
  const head = messages.findIndex((message) => !output.has(message))
  if (head < 0) return { head: messages.length, middle: 0, tail: 0 }
  // A request that stayed where all around it was removed stands before the tail in the result.
  const middle = messages.reduce((count, message) => (output.has(message) ? count : count + 1), 0)
  return { head, middle, tail: messages.length - head - middle }
}

/** In US dollars; undefined for a model of unknown prices. */
export function priceUncached(model: Model, before: Size, after: Size): RequestCost | undefined {
  const prices = model.pricesPerMillionTokens
  if (!prices) return undefined
  // Without a cache every token is fresh input; a long context costs its factor here too.
  const price = ({ tokens }: Size) => pricePrompt(tokens, 0, { prices, cache: undefined })
  return { before: price(before), after: price(after) }
}
