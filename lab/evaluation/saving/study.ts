/**
 * One recorded session four times: as the live context sends it, to save money, and twice with its
 * future known.
 */

import { createHash } from 'node:crypto'
import { auto, digest } from '@precis/core'
import {
  chooseReserve,
  type MeasuredSession,
} from '../../../packages/precis/src/replay/recorded-session.ts'
import { listApplied, type ReplayRun } from '../../../packages/precis/src/replay/replay.ts'
import { replaySession } from '../../../packages/precis/src/replay/replay-session.ts'
import { planInHindsight } from './hindsight.ts'
import { measureTrials } from './trials.ts'

/** A way to send a session. */
export interface WayResult {
  /** What it cost, reading again included, over the cost without any compression. */
  readonly ratio: number
  /** Of the ratio: reading again. */
  readonly readAgain: number
  readonly compressions: number
  /** Names that later calls needed, and those that were lost. */
  readonly needed: number
  readonly missing: number
  /** Tokens that compressions removed, and those that had to be read again. */
  readonly removedTokens: number
  readonly readAgainTokens: number
}

export interface SessionStudy {
  readonly session: string
  readonly model: string
  readonly requests: number
  /** Requests after a pause longer than the cache lives. */
  readonly pauses: number
  /** Every request would have fitted without compression. */
  readonly isPossibleWithout: boolean
  /** By a hash of the name: what is chosen by one half is checked on the other. */
  readonly half: 1 | 2
  readonly ways: {
    readonly usual: WayResult
    readonly save: WayResult
    /**
     * The cheapest of all ways that were tried, whatever it loses; undefined where hindsight was
     * not asked for.
     */
    readonly cheapest?: WayResult
    /**
     * The cheapest of them that loses at most 2 % of the names that later calls need; the best
     * found, not the best there is.
     */
    readonly careful?: WayResult
  }
}

export interface StudyOptions {
  /** Undefined where the model has no cache. */
  readonly cacheLifetimeSeconds: number | undefined
  /** Finding the plans of one who knows the future takes minutes for a long session. */
  readonly withHindsight: boolean
  readonly onProgress?: (step: string, share: number) => void
}

/** Of the names that are needed later, the most that may be lost. */
export const MOST_LOST = 0.02
// What a lost name counts in a plan, in thousandths of the cost of the session.
const LOSS_WEIGHTS = [0, 10, 50, 250]

/** Undefined where the catalogue has no prices for the model. */
export async function studySession(
  session: MeasuredSession,
  options: StudyOptions,
): Promise<SessionStudy | undefined> {
  const { recorded, model, steps } = session
  const { cacheLifetimeSeconds, onProgress = () => {} } = options
  const { pricesPerMillionTokens: prices, cache } = model
  if (!prices) return undefined
  // Only so a history that fits is never dearer, which is what saving is compared with.
  const means = { strategy: auto, summarizer: digest(), spend: 'most-context' } as const
  const replay = async (how: {
    readonly save?: boolean
    readonly plan?: ReadonlyMap<number, number>
  }) => {
    const reserveTokens = chooseReserve(steps, model.contextWindowTokens)
    const cacheLifetimesSeconds = [cacheLifetimeSeconds]
    const { runs } = await replaySession(session, {
      ...means,
      ...how,
      reserveTokens,
      cacheLifetimesSeconds,
    })
    const [run] = runs
    if (!run) throw new Error(`Replaying "${recorded.name}" gave no run.`)
    return run
  }
  onProgress('replaying', 0)
  const usual = await replay({})
  const save = await replay({ save: true })
  const ways = { usual: describeRun(usual), save: describeRun(save) }
  const study = {
    session: recorded.name,
    model: model.id,
    requests: steps.length,
    pauses: usual.requests.filter(
      ({ secondsSinceLast = 0 }) => secondsSinceLast > (cacheLifetimeSeconds ?? Infinity),
    ).length,
    isPossibleWithout: usual.firstTooLarge === undefined,
    half: findHalf(recorded.name),
  }
  if (!options.withHindsight) return { ...study, ways }
  const trials = await measureTrials(session, means, (share) => onProgress('looking ahead', share))
  const isLongLived = (cacheLifetimeSeconds ?? 0) > (cache?.lifetimesSeconds[0] ?? Infinity)
  const found: WayResult[] = [ways.usual, ways.save]
  for (const weight of LOSS_WEIGHTS) {
    const lossDollars = (weight * usual.without.money) / 1000
    const pricing = { prices, cache, isLongLived }
    const plan = planInHindsight(session, trials, { pricing, cacheLifetimeSeconds, lossDollars })
    found.push(describeRun(await replay({ plan })))
  }
  const byCost = found.toSorted((a, b) => a.ratio - b.ratio)
  const careful = byCost.find((way) => way.missing <= MOST_LOST * way.needed)
  return { ...study, ways: { ...ways, cheapest: byCost[0], careful } }
}

function describeRun(run: ReplayRun): WayResult {
  const applied = listApplied(run)
  const add = (amount: (one: (typeof applied)[number]) => number) =>
    applied.reduce((sum, one) => sum + amount(one), 0)
  const { money, readAgainMoney } = run.with
  return {
    ratio: (money + readAgainMoney) / run.without.money,
    readAgain: readAgainMoney / run.without.money,
    compressions: applied.length,
    needed: run.needed,
    missing: run.missing,
    removedTokens: add(({ tokensBefore, tokensAfter }) => tokensBefore - tokensAfter),
    readAgainTokens: add(({ readAgainTokens }) => readAgainTokens),
  }
}

/** Of the last two parts of the path, so that a folder may be anywhere. */
function findHalf(name: string): 1 | 2 {
  const tail = name.split('/').slice(-2).join('/')
  return (createHash('sha256').update(tail).digest()[0] ?? 0) % 2 === 0 ? 1 : 2
}
