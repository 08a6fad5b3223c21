/** The tokens that the provider billed, as the agent noted them. */
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { createTokenCounter, findModel, type Model } from '@precis/core'
import { type BilledTokens, priceTokens } from '@precis/core/engine'
import type { ByteSource } from '@precis/core/formats'
import type { Agent, BilledRequest } from '../agents/shared/agent.ts'

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
  /** All tokens of requests that are not in the file: of sub-agents and compactions. */
  readonly elsewhereTokens: number
  /**
   * Whether answers are longer than the output that is recorded of them: some of it was counted.
   */
  readonly isOutputCounted: boolean
  /** US dollars at list prices. Undefined if the price of a model is unknown. */
  readonly cost: number | undefined
}

export interface Amount {
  readonly tokens: number
  /** US dollars at list prices. Undefined if the price of a model is unknown. */
  readonly dollars: number | undefined
}

// A count is an estimate, so only a clearly larger count was not recorded.
const MORE_SHARE = 1.25
const MORE_TOKENS = 20

export interface ReadRequest extends Omit<BilledRequest, 'answer'> {
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
export function readSessionRequests(agent: Agent, source: ByteSource): ReadRequest[] {
  const counters = new Map<string, ReturnType<typeof createTokenCounter>>()
  return agent.readRequests(source).map(({ answer = [], ...request }) => {
    const counter = counters.get(request.model) ?? createTokenCounter(findModel(request.model))
    counters.set(request.model, counter)
    const output = answer.reduce((sum, part) => sum + counter.countPart(part).lower, 0)
    return output > request.output * MORE_SHARE + MORE_TOKENS
      ? { ...request, output, isOutputCounted: true }
      : request
  })
}

/** Undefined when nothing is recorded. */
export function sumUsage(
  requests: readonly ReadRequest[],
  elsewhere: Amount = { tokens: 0, dollars: 0 },
): RecordedUsage | undefined {
  if (requests.length === 0) return undefined
  const sum = (read: (request: ReadRequest) => number) =>
    requests.reduce((total, request) => total + read(request), 0)
  return {
    requests: requests.length,
    inputTokens: sum(({ input }) => input),
    cachedInputTokens: sum(({ cachedInput }) => cachedInput),
    cacheWriteTokens: sum(({ cacheWrite, cacheWriteLong }) => cacheWrite + cacheWriteLong),
    outputTokens: sum(({ output }) => output),
    elsewhereTokens: elsewhere.tokens,
    isOutputCounted: requests.some((one) => one.isOutputCounted),
    cost: addDollars([...priceRequests(requests), elsewhere.dollars]),
  }
}

/** Undefined if one of them is unknown. */
export function addDollars(amounts: readonly (number | undefined)[]): number | undefined {
  return amounts.reduce(
    (sum, dollars) => (sum === undefined || dollars === undefined ? undefined : sum + dollars),
    0,
  )
}

/** US dollars of each at list prices. Undefined if the price of its model is unknown. */
export function priceRequests(
  requests: readonly (BilledTokens & Pick<BilledRequest, 'model'>)[],
): (number | undefined)[] {
  const models = new Map<string, Model>()
  return requests.map((request) => {
    const model = models.get(request.model) ?? findModel(request.model)
    models.set(request.model, model)
    const prices = model.pricesPerMillionTokens
    return prices && priceTokens(request, prices)
  })
}
