/** The tokens that the provider billed, as the agent noted them. */
import { findModel, type Model } from '@precis/core'
import { type BilledTokens, priceTokens } from '@precis/core/engine'
import type { BilledRequest } from '../agents/ground/agent.ts'

/** Sums over all requests that the session records; a prompt token is counted in exactly one of the three inputs. */
export interface RecordedUsage {
  readonly requests: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** US dollars at list prices; undefined when the price of a model is unknown. */
  readonly cost: number | undefined
}

/** Undefined when nothing is recorded. */
export function sumUsage(requests: readonly BilledRequest[]): RecordedUsage | undefined {
  return requests.length === 0 ? undefined : sumRequests(requests)
}

function sumRequests(requests: readonly BilledRequest[]): RecordedUsage {
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
  return { requests: requests.length, ...sums, cost }
}

/** US dollars at list prices; undefined where the catalogue has none. */
function priceRequest(request: BilledTokens, model: Model): number | undefined {
  const prices = model.pricesPerMillionTokens
  return prices && priceTokens(request, prices)
}
