/**
 * The cheapest compressions of a session for one who knows all of it, among those that were tried:
 * a shortest path from compression to compression. A later one is taken to leave what it would have
 * left of the whole history.
 */
import { billPrompt, type Pricing, pricePrompt, priceTokens } from '@precis/core/engine'
import { type MeasuredSession, sum } from '../../../packages/precis/src/replay/recorded-session.ts'
import { countReadAgain, type Trial, type Trials } from './trials.ts'

/**
 * Before which request (from 0) the history is compressed, and to how many tokens, without what is
 * fixed.
 */
export type Plan = ReadonlyMap<number, number>

export interface HindsightOptions {
  readonly pricing: Pricing
  readonly cacheLifetimeSeconds: number | undefined
  /**
   * Dollars that a name which is needed later and lost counts, beside the price of reading again.
   */
  readonly lossDollars: number
}

interface Station {
  readonly request: number
  readonly trial: Trial | undefined
  dollars: number
  from: Station | undefined
}

export function planInHindsight(
  session: MeasuredSession,
  trials: Trials,
  options: HindsightOptions,
): Plan {
  const prices = priceSteps(session, options)
  const start: Station = { request: 0, trial: undefined, dollars: 0, from: undefined }
  const stations: Station[] = [start]
  for (const [request, found] of [...trials].sort(([a], [b]) => a - b)) {
    const before = stations.filter((station) => station.request < request || station === start)
    const arrivals = before.map((station) => station.dollars + prices.stretch(station, request))
    for (const trial of found) {
      const station: Station = { request, trial, dollars: Infinity, from: undefined }
      for (const [index, from] of before.entries()) {
        const dollars = arrivals[index] ?? Infinity
        if (dollars >= station.dollars) continue
        station.dollars = dollars
        station.from = from
      }
      stations.push(station)
    }
  }
  const end = session.steps.length
  let best: Station | undefined = start
  let least = Infinity
  for (const station of stations) {
    const dollars = station.dollars + prices.stretch(station, end)
    if (dollars < least) [best, least] = [station, dollars]
  }
  const plan = new Map<number, number>()
  for (; best?.trial; best = best.from) plan.set(best.request, best.trial.tokens)
  return plan
}

/**
 * US dollars of the prompts from a compression up to the next one, with what is read again
 * meanwhile.
 */
function priceSteps({ steps, fixedTokens }: MeasuredSession, options: HindsightOptions) {
  const { pricing, cacheLifetimeSeconds = 0, lossDollars } = options
  const grown: number[] = []
  const isWarm: boolean[] = []
  let tokens = 0
  let sentAtMs: number | undefined
  for (const { inputTokens, answerTokens, timeMs } of steps) {
    tokens += inputTokens
    grown.push(tokens)
    tokens += answerTokens
    isWarm.push(
      timeMs === undefined ||
        sentAtMs === undefined ||
        timeMs - sentAtMs <= cacheLifetimeSeconds * 1000,
    )
    sentAtMs = timeMs ?? sentAtMs
  }
  const readingPricing = {
    ...pricing,
    cache: pricing.cache && { ...pricing.cache, minimumPrefixTokens: 0 },
  }
  const stretch = ({ request, trial }: Station, end: number): number => {
    const base = grown[request] ?? 0
    const removed = trial ? base - trial.tokens : 0
    let held = trial ? fixedTokens + trial.keptTokens : 0
    let dollars = 0
    for (let index = request; index < end; index++) {
      const prompt = fixedTokens + (grown[index] ?? 0) - removed
      const output = steps[index]?.answerTokens ?? 0
      const billed = billPrompt(prompt, isWarm[index] ? held : 0, pricing)
      dollars += priceTokens({ ...billed, output }, pricing.prices)
      held = prompt
    }
    if (!trial) return dollars
    const lost = sum(trial.losses.flatMap((loss) => (loss.request < end ? [loss.names] : [])))
    return dollars + pricePrompt(countReadAgain(trial, end), 0, readingPricing) + lost * lossDollars
  }
  return { stretch }
}
