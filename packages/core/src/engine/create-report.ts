import type { Conversation, Message } from '../conversation/message.ts'
import { createReceipt } from '../facts/receipt.ts'
import type { Model } from '../models/model.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Report, RequestCost, Size } from './report.ts'

interface ReportInput {
  readonly given: Conversation
  /** What was planned over: `given` itself unless its history was broken. */
  readonly repaired: Conversation
  /** The result. */
  readonly conversation: Conversation
  readonly counter: TokenCounter
  readonly strategy: string
  readonly summarizer: string | undefined
  readonly budgetTokens: number
}

/** Everything in a report is read off the result, not off the plan. */
export function createReport(input: ReportInput): Report {
  const { given, repaired, conversation, counter, strategy, summarizer, budgetTokens } = input
  const before = measure(given, counter)
  const after = measure(conversation, counter)
  const output = new Set(conversation.messages)
  const removed = repaired.messages.filter((message) => !output.has(message))
  const changed = conversation !== given
  const repair = repaired === given || !changed ? [] : [createRung('repair', before, measure(repaired, counter))]
  const planned = repair[0]?.tokensAfter ?? before.tokens
  return {
    model: counter.model.id,
    modelKnown: counter.model.known,
    strategy,
    summarizer,
    budgetTokens,
    before,
    after,
    spans: measureSpans(repaired, output),
    rungs: changed ? [...repair, { name: strategy, tokensBefore: planned, tokensAfter: after.tokens }] : [],
    receipt: createReceipt(removed, conversation.messages, given.workingDirectory),
    cost: priceRequest(counter.model, before, after),
  }
}

function measure(conversation: Conversation, counter: TokenCounter): Size {
  return { tokens: counter.countConversation(conversation).upper, messages: conversation.messages.length }
}

function createRung(name: string, before: Size, after: Size) {
  return { name, tokensBefore: before.tokens, tokensAfter: after.tokens }
}

function measureSpans({ messages }: Conversation, output: ReadonlySet<Message>): Report['spans'] {
  const head = messages.findIndex((message) => !output.has(message))
  if (head < 0) return { head: messages.length, middle: 0, tail: 0 }
  // A request that stayed where all around it was removed stands before the tail in the result.
  const middle = messages.reduce((count, message) => (output.has(message) ? count : count + 1), 0)
  return { head, middle, tail: messages.length - head - middle }
}

function priceRequest(model: Model, before: Size, after: Size): RequestCost | undefined {
  const perToken = model.pricesPerMillionTokens?.input
  if (perToken === undefined) return undefined
  return { before: (before.tokens * perToken) / 1e6, after: (after.tokens * perToken) / 1e6 }
}
