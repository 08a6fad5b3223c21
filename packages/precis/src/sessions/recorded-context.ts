/** The part of a request's recorded usage that is not the conversation in the file. */

import {
  type Conversation,
  findModel,
  type Message,
  type Model,
  type TokenCounter,
} from '@precis/core'
import type { BilledRequest } from '../agents/shared/agent.ts'
import { sumTokens } from '../agents/shared/billed.ts'
import type { LoadedSession } from './load-session.ts'

/** The part of a request's bill that is not its conversation. */
export interface RecordedContext {
  /**
   * For the newest request that the conversation still contains, with its answer. `precis sessions`
   * lists this number. Undefined if the conversation contains none.
   */
  readonly billedTokens: number | undefined
  /**
   * Tokens that the agent adds to every request: its system prompt and tools. Undefined if neither
   * the numbers nor the session show them.
   */
  readonly notInFileTokens: number | undefined
}

/**
 * Undefined if no request of this model is recorded whose messages are all still there, and the
 * session does not contain the system prompt either.
 *
 *   first request   billed − counted: next to nothing was counted yet, so the estimate of a tokenizer hardly shows
 *   newest request  billed − counted: the bounds of what it can be now; one number where counts are exact
 *   system prompt   the same bounds, counted, where the agent records it with the tools
 */
export function findRecordedContext(
  { conversation, agent, document }: Pick<LoadedSession, 'conversation' | 'agent' | 'document'>,
  counter: TokenCounter,
): RecordedContext | undefined {
  const placed = placeRequests(conversation, agent?.readRequests(document.source) ?? [], counter)
  const [first] = placed.toSorted((a, b) => a.promptUpper - b.promptUpper)
  const newest = placed.at(-1)
  const fixed = agent?.readFixed?.(document.source)?.map((text) => counter.countText(text))
  const lower = fixed?.reduce((sum, count) => sum + count.lower, 0) ?? 0
  const upper = fixed?.reduce((sum, count) => sum + count.upper, 0) ?? Number.POSITIVE_INFINITY
  if (!first || !newest)
    return fixed && { billedTokens: undefined, notInFileTokens: checkAdded(upper, counter) }
  const billedTokens = sumTokens(newest.request)
  const early = sumTokens(first.request) - first.request.output - first.promptUpper
  // Where the bounds do not meet, what was billed is right.
  const counted = Math.min(Math.max(early, lower), upper)
  const tokens = Math.min(
    Math.max(counted, billedTokens - newest.upper),
    billedTokens - newest.lower,
  )
  return { billedTokens, notInFileTokens: checkAdded(tokens, counter) }
}

function checkAdded(tokens: number, { model }: TokenCounter): number | undefined {
  const isPlausible = tokens > 0 && tokens <= model.contextWindowTokens * MOST_ADDED_SHARE
  return isPlausible ? Math.round(tokens) : undefined
}

/** The row of those tokens, wherever it is. */
export const NOT_IN_FILE = 'not in the file: system prompt, tools'

// Numbers outside of these bounds show the provider's arithmetic, not a prompt. The live context
// has the same two bounds.
const MOST_ADDED_SHARE = 0.5
const LEAST_BILLED_SHARE = 0.3

/** A request with the tokens counted of the messages before its answer, and of those with it. */
interface PlacedRequest {
  readonly request: BilledRequest
  readonly promptUpper: number
  readonly lower: number
  readonly upper: number
}

/** The requests whose messages are the beginning of the conversation as it is now, in order. */
function placeRequests(
  conversation: Conversation,
  requests: readonly BilledRequest[],
  counter: TokenCounter,
): PlacedRequest[] {
  const { messages } = conversation
  const byRecord = new Map(requests.map((request) => [request.record, request]))
  const orders = findOrders(messages)
  const placed: PlacedRequest[] = []
  let { lower, upper } = counter.countFixed(conversation)
  let promptUpper = upper
  for (const [index, message] of messages.entries()) {
    const isAnswer = message.role === 'assistant'
    // Answers one after the other are one: something new is between two requests.
    if (isAnswer && messages[index - 1]?.role !== 'assistant') promptUpper = upper
    const count = counter.countMessage(message)
    lower += count.lower
    upper += count.upper
    const own = isAnswer
      ? (message.records ?? []).flatMap((record) => byRecord.get(record) ?? [])
      : []
    const request = own.length === 1 && orders[index] ? own[0] : undefined
    if (!request || (request.model !== '' && findModel(request.model).id !== counter.model.id))
      continue
    // Some servers report only what was not in their cache.
    const promptTokens = sumTokens(request) - request.output
    if (promptTokens >= promptUpper * LEAST_BILLED_SHARE)
      placed.push({ request, promptUpper, lower, upper })
  }
  return placed
}

/**
 * For each message, whether all earlier ones were recorded before it and all later ones after it.
 * False around a compaction.
 */
function findOrders(messages: readonly Message[]): boolean[] {
  const firsts = messages.map(({ records = [] }) => Math.min(...records))
  const lasts = messages.map(({ records = [] }) => Math.max(...records))
  const before: number[] = []
  for (const [index] of messages.entries())
    before.push(Math.max(before.at(-1) ?? -1, lasts[index - 1] ?? -1))
  let after = Infinity
  return messages
    .map((_, index) => index)
    .reverse()
    .map((index) => {
      const isInOrder = before[index]! < firsts[index]! && firsts[index]! <= after
      after = Math.min(after, firsts[index]!)
      return isInOrder
    })
    .reverse()
}

// Sizes that providers sell, in tokens.
const USUAL = [
  32_000, 64_000, 128_000, 200_000, 256_000, 272_000, 400_000, 1_000_000, 1_050_000, 2_000_000,
]

/**
 * The window of the model as the agent used it, in tokens. It is the recorded window, or else the
 * smallest usual one that is not below the place of an automatic compaction or the largest request.
 * Otherwise it is the window of the model.
 *
 *   compacted at 155,000, model of 1,000,000    200,000
 *   a request of 240,000, model of 200,000      256,000
 */
export function findUsedWindow(
  { agent, document: { source } }: LoadedSession,
  model: Model,
): number {
  const noted = agent?.readWindowTokens?.(source)
  if (noted !== undefined) return noted
  const sizes = (agent?.readRequests(source) ?? []).map(
    ({ input, cachedInput, cacheWrite, cacheWriteLong }) =>
      input + cachedInput + cacheWrite + cacheWriteLong,
  )
  const compactions = (agent?.readCompactions?.(source) ?? []).flatMap(
    ({ trigger, tokensBefore }) =>
      trigger === 'automatic' && tokensBefore ? [tokensBefore.value] : [],
  )
  const most = [...sizes, ...compactions].reduce((largest, tokens) => Math.max(largest, tokens), 0)
  if (compactions.length === 0 && most <= model.contextWindowTokens)
    return model.contextWindowTokens
  return USUAL.find((tokens) => tokens >= most) ?? most
}
