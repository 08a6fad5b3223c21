/** A recorded session through the live context, once for each lifetime of the provider's cache. */
import { createContext, type Ladder, type Pricing, type Strategy, type Summarizer, UNIT_PRICES } from '@precis/core'
import { chooseReserve } from './choose-reserve.ts'
import type { MeasuredSession } from './measured-session.ts'
import type { Replay, ReplayRun } from './replay.ts'
import { type LiveSession, replayRun } from './replay-run.ts'

export interface ReplayOptions {
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  /** By default that of the model. */
  readonly windowTokens?: number
  /** By default the largest answer of the recording, and at most a fifth of the window. */
  readonly reserveTokens?: number
  /** Share of the window; by default that of the live context. */
  readonly threshold?: number
  /** Share of the window less the reserve that a compression aims at; by default that of the live context. */
  readonly target?: number
  /** By default all that the provider has. */
  readonly cacheLifetimesSeconds?: readonly (number | undefined)[]
  /** Told how much is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

export async function replaySession(session: MeasuredSession, options: ReplayOptions): Promise<Replay> {
  const { recorded, model } = session
  const windowTokens = options.windowTokens ?? model.contextWindowTokens
  const reserveTokens = options.reserveTokens ?? chooseReserve(session.steps, windowTokens)
  const prices = model.pricesPerMillionTokens
  const lifetimes = options.cacheLifetimesSeconds ?? (prices && model.cache?.lifetimesSeconds) ?? [undefined]
  const runs: ReplayRun[] = []
  let thresholdTokens = windowTokens
  for (const [index, cacheLifetimeSeconds] of lifetimes.entries()) {
    const pricing: Pricing = prices
      ? { prices, cache: model.cache, isLongLived: index > 0 && prices.cacheWriteLong !== undefined }
      : { prices: UNIT_PRICES, cache: undefined }
    const live = openLiveSession(session, { ...options, windowTokens, reserveTokens }, cacheLifetimeSeconds)
    thresholdTokens = live.context.state.thresholdTokens
    const onProgress = (share: number) => options.onProgress?.((index + share) / lifetimes.length)
    const terms = { pricing, cacheLifetimeSeconds, windowTokens, reserveTokens, onProgress }
    runs.push(await replayRun(session, live, terms))
  }
  return {
    session: recorded.name,
    format: recorded.format,
    model: model.id,
    hasPrices: prices !== undefined,
    hasTimes: recorded.hasTimes,
    windowTokens,
    reserveTokens,
    thresholdTokens,
    strategy: options.strategy.name,
    summarizer: options.summarizer.name,
    recordedCompactions: recorded.compactions,
    runs,
  }
}

function openLiveSession(
  { recorded, model }: MeasuredSession,
  options: ReplayOptions & { readonly windowTokens: number; readonly reserveTokens: number },
  cacheLifetimeSeconds: number | undefined,
): LiveSession {
  const { strategy, summarizer, windowTokens, reserveTokens, threshold, target } = options
  let nowMs = 0
  const context = createContext<object>({
    model: model.id,
    format: recorded.requestFormat,
    strategy,
    summarizer,
    windowTokens,
    reserveTokens,
    ...(recorded.system !== undefined && { system: recorded.system }),
    ...(recorded.tools.length > 0 && { tools: recorded.tools }),
    ...(threshold !== undefined && { threshold }),
    ...(target !== undefined && { target }),
    ...(cacheLifetimeSeconds !== undefined && { cacheLifetimeSeconds }),
    // A session without times: the cache is taken to be warm.
    clock: { now: () => nowMs },
  })
  return {
    context,
    summarizer,
    setTime: (timeMs) => {
      nowMs = Math.max(nowMs, timeMs)
    },
  }
}
