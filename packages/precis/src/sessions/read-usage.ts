/** The tokens that the provider billed, as the agent noted them. */
import { findModel, type Model, type TokenCounter } from '@precis/core'
import { type BilledTokens, priceTokens } from '@precis/core/engine'
import type { BilledRequest } from '../agents/shared/agent.ts'
import type { LoadedSession } from './load-session.ts'
import { readTimeline } from './read-timeline.ts'

/**
 * Sums over all recorded requests of a session. A prompt token is counted in exactly one of the
 * three inputs.
 */
export interface RecordedUsage {
  readonly requests: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /**
   * Whether answers are longer than the output that is recorded of them: some of it was counted.
   */
  readonly isOutputCounted: boolean
  /** US dollars at list prices. Undefined if the price of a model is unknown. */
  readonly cost: number | undefined
}

// A count is an estimate, so only a clearly larger count was not recorded.
const MORE_SHARE = 1.25
const MORE_TOKENS = 20

export interface ReadRequest extends BilledRequest {
  /**
   * Whether its answer is longer than recorded. Some agents record only the beginning of an
   * answer's usage.
   */
  readonly isOutputCounted?: boolean
}

/**
 * The requests of a session. The output of each is the greater of the recorded output and the
 * certain size of its answer.
 */
export function readRequests(session: LoadedSession, counter: TokenCounter): ReadRequest[] {
  const requests = session.agent?.readRequests(session.document.source) ?? []
  const counted = new Map<number, number>()
  for (const { message, records } of readTimeline(session).timed) {
    if (message.role !== 'assistant') continue
    const tokens = message.parts.reduce((sum, part) => sum + counter.countPart(part).lower, 0)
    for (const record of records) counted.set(record, tokens)
  }
  return requests.map((request) => {
    const output = counted.get(request.record) ?? 0
    return output > request.output * MORE_SHARE + MORE_TOKENS
      ? { ...request, output, isOutputCounted: true }
      : request
  })
}

/** Undefined when nothing is recorded. */
export function sumUsage(requests: readonly ReadRequest[]): RecordedUsage | undefined {
  return requests.length === 0 ? undefined : sumRequests(requests)
}

function sumRequests(requests: readonly ReadRequest[]): RecordedUsage {
  const models = new Map<string, Model>()
  let cost: number | undefined = 0
  const sums = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
  for (const request of requests) {
    const model = models.get(request.model) ?? findModel(request.model)
    models.set(request.model, model)
    sums.inputTokens += request.input
    sums.cachedInputTokens += request.cachedInput
    sums.cacheWriteTokens += request.cacheWrite + request.cacheWriteLong
    sums.outputTokens += request.output
    const price = priceRequest(request, model)
    cost = cost === undefined || price === undefined ? undefined : cost + price
  }
  return {
    requests: requests.length,
    ...sums,
    isOutputCounted: requests.some((one) => one.isOutputCounted),
    cost,
  }
}

/** US dollars at list prices. Undefined if the catalogue has no prices. */
function priceRequest(request: BilledTokens, model: Model): number | undefined {
  const prices = model.pricesPerMillionTokens
  return prices && priceTokens(request, prices)
}
