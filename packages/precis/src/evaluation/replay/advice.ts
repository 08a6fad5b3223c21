/** Which strategy and threshold would have served one recorded session best, by replaying it with each. */
import type { Ladder, Strategy, Summarizer } from '@precis/core'
import { chooseReserve } from './choose-reserve.ts'
import type { MeasuredSession } from './measured-session.ts'
import type { Replay, ReplayRun } from './replay.ts'
import { replaySession } from './replay-session.ts'

export interface AdviceOptions {
  readonly strategies: readonly (Strategy | Ladder)[]
  readonly summarizer: Summarizer
  /** By default that of the model. */
  readonly windowTokens?: number
  /** By default some of those that the session passes. */
  readonly thresholdsTokens?: readonly number[]
  readonly onProgress?: (step: string, share: number) => void
}

export interface Advice {
  readonly session: string
  readonly model: string
  readonly hasPrices: boolean
  readonly hasTimes: boolean
  readonly windowTokens: number
  readonly requests: number
  /** Of the largest request without compression. */
  readonly peakTokens: number
  /** False: the largest request would not have fitted. */
  readonly isPossibleWithout: boolean
  /** US dollars, or input tokens where the model has no prices; in a window that never fills. */
  readonly moneyWithout: number
  /** What saves most first; empty when the session is too short to tell. */
  readonly trials: readonly Trial[]
  readonly best: Trial | undefined
  /** Why nothing can be said; undefined when something can. */
  readonly tooShort: string | undefined
}

/** One strategy at one threshold. */
export interface Trial {
  readonly strategy: string
  readonly thresholdTokens: number
  readonly compressions: number
  /** Tried and came to nothing. */
  readonly failures: number
  readonly money: number
  /** Beside it: reading again what was lost. */
  readonly readAgainMoney: number
  /** Of what it costs without, after reading again; negative when it is dearer. */
  readonly savedShare: number
  /** Of the names that later calls needed, how many were there; undefined when none was needed. */
  readonly recall: number | undefined
  readonly needed: number
}

// Below these a replay says more of chance than of a strategy.
const LEAST_TOKENS = 15_000
const LEAST_REQUESTS = 10
const LEAST_NEEDED = 6
const THRESHOLDS = [20_000, 32_000, 50_000, 80_000, 120_000, 160_000, 250_000, 400_000, 600_000]
const MOST_THRESHOLDS = 4
// What saves most is no good when the agent has to guess.
const LEAST_RECALL = 0.9
// From the threshold down to half of it: room for as much again.
const TARGET_SHARE = 0.5

export async function adviseSession(session: MeasuredSession, options: AdviceOptions): Promise<Advice> {
  const { recorded, model, steps } = session
  const windowTokens = options.windowTokens ?? model.contextWindowTokens
  const reserveTokens = chooseReserve(steps, windowTokens)
  const room = windowTokens - reserveTokens
  const peakTokens = findPeak(session)
  const thresholds = options.thresholdsTokens ?? chooseThresholds(Math.min(peakTokens, room))
  const tooShort = describeTooShort(session, peakTokens)
  const trials: Trial[] = []
  let first: Replay | undefined
  const all = tooShort
    ? []
    : thresholds.flatMap((threshold) => options.strategies.map((strategy) => ({ threshold, strategy })))
  for (const [index, { threshold, strategy }] of all.entries()) {
    options.onProgress?.(`${strategy.name} at ${threshold}`, index / all.length)
    const replay = await replaySession(session, {
      strategy,
      summarizer: options.summarizer,
      windowTokens,
      reserveTokens,
      threshold: Math.min(threshold, room) / windowTokens,
      target: (TARGET_SHARE * threshold) / room,
      cacheLifetimesSeconds: [model.pricesPerMillionTokens && model.cache?.lifetimesSeconds[0]],
    })
    first ??= replay
    const [run] = replay.runs
    if (run) trials.push(createTrial(strategy.name, threshold, run))
  }
  const needed = trials.reduce((most, trial) => Math.max(most, trial.needed), 0)
  const isSilent = trials.length > 0 && needed < LEAST_NEEDED
  const bySaving = trials.toSorted((a, b) => b.savedShare - a.savedShare)
  return {
    session: recorded.name,
    model: model.id,
    hasPrices: model.pricesPerMillionTokens !== undefined,
    hasTimes: recorded.hasTimes,
    windowTokens,
    requests: steps.length,
    peakTokens,
    isPossibleWithout: peakTokens <= room,
    trials: bySaving,
    moneyWithout: first?.runs[0]?.without.money ?? 0,
    best: isSilent ? undefined : bySaving.find(isGood),
    tooShort:
      tooShort ??
      (isSilent ? `later calls needed ${needed} names of what came before, fewer than ${LEAST_NEEDED}` : undefined),
  }
}

function isGood({ savedShare, recall, compressions }: Trial): boolean {
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
  if (steps.length < LEAST_REQUESTS) return `it has ${steps.length} requests, fewer than ${LEAST_REQUESTS}`
  if (peakTokens < LEAST_TOKENS) return `its largest request has ${peakTokens} tokens, fewer than ${LEAST_TOKENS}`
  return undefined
}

/** Those that the session passes with something to spare, spread over its size. */
function chooseThresholds(mostTokens: number): readonly number[] {
  const passed = THRESHOLDS.filter((threshold) => threshold < mostTokens * 0.9)
  if (passed.length === 0) return [Math.floor(mostTokens / 2)]
  if (passed.length <= MOST_THRESHOLDS) return passed
  const places = Array.from({ length: MOST_THRESHOLDS }, (_, index) =>
    Math.round((index * (passed.length - 1)) / (MOST_THRESHOLDS - 1)),
  )
  return places.map((place) => passed[place] ?? 0)
}

function createTrial(strategy: string, thresholdTokens: number, run: ReplayRun): Trial {
  const { needed, missing, without } = run
  const compressions = run.compressions.filter(({ outcome }) => outcome === 'compressed').length
  const { money, readAgainMoney } = run.with
  return {
    strategy,
    thresholdTokens,
    compressions,
    failures: run.compressions.length - compressions,
    money,
    readAgainMoney,
    savedShare: without.money > 0 ? 1 - (money + readAgainMoney) / without.money : 0,
    recall: needed > 0 ? 1 - missing / needed : undefined,
    needed,
  }
}
