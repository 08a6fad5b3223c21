/**
 * Which strategy and threshold would have served one recorded session best, by replaying it with
 * each.
 */
import { auto, type Ladder, type Strategy } from '@precis/core'
import { chooseReserve, type MeasuredSession } from './recorded-session.ts'
import type { Replay, ReplayRun } from './replay.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'

export interface AdviceOptions
  extends Pick<ReplayOptions, 'summarizer' | 'windowTokens' | 'reserveTokens' | 'save'> {
  /**
   * Each strategy is tried at every threshold. By default only "auto" is tried, which uses the
   * gentlest rung that is enough. It stops at the first threshold that keeps too little, counting
   * down from the highest, because a trial is a whole replay.
   */
  readonly strategies?: readonly (Strategy | Ladder)[]
  /** By default some of those that the session passes. */
  readonly thresholdsTokens?: readonly number[]
  readonly onProgress?: (step: string, share: number) => void
}

export type Advice = Awaited<ReturnType<typeof adviseSession>>
export type AdviceTrial = ReturnType<typeof createTrial>

// Below these limits a replay shows chance, not a strategy.
const LEAST_TOKENS = 15_000
const LEAST_REQUESTS = 10
const LEAST_NEEDED = 6
const THRESHOLDS = [20_000, 32_000, 50_000, 80_000, 120_000, 160_000, 250_000, 400_000, 600_000]
const MOST_THRESHOLDS = 4
// The share of needed names that are kept. With less, the agent has to guess.
const LEAST_RECALL = 0.9
// More compressions leave no time to earn back their costs.
const MOST_COMPRESSED_SHARE = 1 / 8

export async function adviseSession(session: MeasuredSession, options: AdviceOptions) {
  const { recorded, model, steps } = session
  const windowTokens = options.windowTokens ?? session.windowTokens
  const isQuick = options.strategies === undefined
  const reserveTokens = options.reserveTokens ?? chooseReserve(steps, windowTokens)
  const room = windowTokens - reserveTokens
  const peakTokens = findPeak(session)
  const thresholds = options.thresholdsTokens ?? chooseThresholds(Math.min(peakTokens, room))
  const tooShort = describeTooShort(session, peakTokens)
  const { trials, first } = tooShort
    ? { trials: [], first: undefined }
    : await tryThresholds(session, thresholds, { ...options, windowTokens, reserveTokens })
  const needed = trials.reduce((most, trial) => Math.max(most, trial.needed), 0)
  const isSilent = trials.length > 0 && needed < LEAST_NEEDED
  const bySaving = trials.toSorted((a, b) => b.savedShare - a.savedShare)
  return {
    session: recorded.name,
    model: model.id,
    /** Whether no strategy was named, so that only a few were tried. */
    isQuick,
    hasPrices: model.pricesPerMillionTokens !== undefined,
    hasTimes: recorded.hasTimes,
    windowTokens,
    saves: options.save === true,
    requests: steps.length,
    /** Tokens of the largest request without compression. */
    peakTokens,
    isPossibleWithout: peakTokens <= room,
    /** The largest savings first. Empty if the session is too short. */
    trials: bySaving,
    /** US dollars, or input tokens if the model has no prices, in a window that never fills. */
    moneyWithout: first?.runs[0]?.without.money ?? 0,
    best: isSilent ? undefined : bySaving.find(isGood),
    /** Why there is no advice. Undefined if there is advice. */
    tooShort:
      tooShort ??
      (isSilent
        ? `later calls needed ${needed} names of what came before, fewer than ${LEAST_NEEDED}`
        : undefined),
  }
}

interface TrialOptions extends AdviceOptions {
  readonly windowTokens: number
  readonly reserveTokens: number
}

/** Every strategy at every threshold, the highest first. `first` is the first whole replay. */
async function tryThresholds(
  session: MeasuredSession,
  thresholds: readonly number[],
  { strategies, windowTokens, reserveTokens, summarizer, save, onProgress }: TrialOptions,
): Promise<{ readonly trials: readonly AdviceTrial[]; readonly first: Replay | undefined }> {
  const { model, steps } = session
  const isQuick = strategies === undefined
  const mustCompress = findPeak(session) > windowTokens - reserveTokens
  const trials: AdviceTrial[] = []
  let first: Replay | undefined
  const pairs = thresholds
    .toSorted((a, b) => b - a)
    .flatMap((threshold) => (strategies ?? [auto]).map((strategy) => ({ threshold, strategy })))
  const replayAt = (threshold: number, strategy: Strategy | Ladder, mostCompressions?: number) =>
    replaySession(session, {
      strategy,
      summarizer,
      windowTokens,
      reserveTokens,
      threshold: threshold / windowTokens,
      save,
      mostCompressions,
      cacheLifetimesSeconds: [model.pricesPerMillionTokens && model.cache?.lifetimesSeconds[0]],
    })
  for (const [index, { threshold, strategy }] of pairs.entries()) {
    onProgress?.(`${strategy.name} at ${threshold}`, index / pairs.length)
    // If something has to be done, the highest threshold is tried to its end, as a replay does.
    const isLimited = isQuick && (index > 0 || !mustCompress)
    const replay = await replayAt(
      threshold,
      strategy,
      isLimited ? steps.length * MOST_COMPRESSED_SHARE : undefined,
    )
    const [run] = replay.runs
    // It would compress at every other request.
    if (!run || run.requests.length < steps.length) break
    first ??= replay
    const trial = createTrial(strategy.name, threshold, run)
    trials.push(trial)
    if (isQuick && (trial.recall ?? 1) < LEAST_RECALL) break
  }
  // Nothing passes the whole window, so this is the cost without.
  return { trials, first: first ?? (await replayAt(windowTokens, auto)) }
}

function isGood({ savedShare, recall, compressions }: AdviceTrial): boolean {
  return compressions > 0 && savedShare > 0 && (recall ?? 1) >= LEAST_RECALL
}

function findPeak({ steps, fixedTokens }: MeasuredSession): number {
  let tokens = fixedTokens
  let peak = tokens
  for (const { inputTokens, answerTokens } of steps) {
    tokens += inputTokens
    peak = Math.max(peak, tokens)
    tokens += answerTokens
  }
  return peak
}

function describeTooShort({ steps }: MeasuredSession, peakTokens: number): string | undefined {
  if (steps.length < LEAST_REQUESTS)
    return `it has ${steps.length} requests, fewer than ${LEAST_REQUESTS}`
  if (peakTokens < LEAST_TOKENS)
    return `its largest request has ${peakTokens} tokens, fewer than ${LEAST_TOKENS}`
  return undefined
}

/** Those that the session passes with something to spare, spread over its size. */
function chooseThresholds(mostTokens: number): readonly number[] {
  const passed = THRESHOLDS.filter((threshold) => threshold < mostTokens * 0.9)
  if (passed.length === 0) return [Math.max(Math.floor(mostTokens / 2), 1)]
  if (passed.length <= MOST_THRESHOLDS) return passed
  const step = (passed.length - 1) / (MOST_THRESHOLDS - 1)
  return Array.from(
    { length: MOST_THRESHOLDS },
    (_, index) => passed[Math.round(index * step)] ?? 0,
  )
}

function createTrial(strategy: string, thresholdTokens: number, run: ReplayRun) {
  const { needed, missing, without, waited } = run
  const compressions = run.compressions.filter(({ outcome }) => outcome === 'compressed').length
  const { money, readAgainMoney } = run.with
  return {
    strategy,
    thresholdTokens,
    compressions,
    /** Tried and came to nothing. */
    failures: run.compressions.length - compressions,
    /** Requests above the threshold that were cheaper to send than to compress. */
    waited,
    money,
    readAgainMoney,
    /** Share of the cost without compression, after reading again. Negative if it costs more. */
    savedShare: without.money > 0 ? 1 - (money + readAgainMoney) / without.money : 0,
    /** The share of needed names that were there. Undefined if no name was needed. */
    recall: needed > 0 ? 1 - missing / needed : undefined,
    needed,
  }
}
