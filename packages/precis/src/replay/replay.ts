/**
 * The result of a replay. Tokens are upper bounds, counted for the model. Answers are the recorded
 * ones.
 */

import type { CompressionTrigger, ContextOutcome } from '@precis/core/context'
import type { ContextWindow } from '@precis/core/models'
import { NOT_IN_FILE } from '../sessions/recorded-context.ts'
import { neutralizeLine, renderCount, renderPlural } from '../terminal/render.ts'

export interface Replay extends ContextWindow {
  readonly session: string
  readonly format: string
  readonly model: string
  /** False: the catalog has no prices, and every amount of money is in input tokens. */
  readonly hasPrices: boolean
  /** False: the recording has no times, and the cache is taken to be always warm. */
  readonly hasTimes: boolean
  readonly reserveTokens: number
  readonly thresholdTokens: number
  /** Whether it compresses below the threshold too, to save money. */
  readonly saves: boolean
  /** Tokens that the agent adds to every request. 0 if the recording does not show them. */
  readonly notInFileTokens: number
  readonly strategy: string
  readonly summarizer: string
  /**
   * The number of the agent's own compactions in the recording. The replay has the messages
   * instead.
   */
  readonly recordedCompactions: number
  /** One for each lifetime of the provider's cache, the shortest first. */
  readonly runs: readonly ReplayRun[]
}

/** The session once, at the prices of one lifetime of the cache. */
export interface ReplayRun {
  /** Undefined if the model has no cache. */
  readonly cacheLifetimeSeconds: number | undefined
  readonly requests: readonly ReplayedRequest[]
  readonly compressions: readonly ReplayedCompression[]
  /** The cost without any compression. */
  readonly without: ReplayTotals
  readonly with: ReplayTotals
  /**
   * Requests above the threshold that were sent as they were, because the provider's cache was
   * cheaper than a compression.
   */
  readonly waited: number
  /** Sums over all compressions. See `ReplayedCompression`. */
  readonly needed: number
  readonly missing: number
  /** The first request that would not have fitted without compression. Undefined if all did. */
  readonly firstTooLarge: number | undefined
  /** The first request that did not fit even with compression. Undefined if all did. */
  readonly firstRefused: number | undefined
}

export interface ReplayTotals {
  readonly promptTokens: number
  readonly cachedTokens: number
  /** US dollars, or input tokens if the model has no prices. */
  readonly money: number
  /** The part of the money for summaries by a model. */
  readonly summaryMoney: number
  /** In addition to the money: the cost of reading once again what was needed and missing. */
  readonly readAgainMoney: number
}

export interface ReplayedRequest {
  /** From 1 on. */
  readonly request: number
  readonly turn: number
  readonly time: string | undefined
  readonly secondsSinceLast: number | undefined
  readonly tokens: number
  /** False: nothing could make it small enough. */
  readonly fits: boolean
  readonly cachedTokens: number
  readonly money: number
  readonly tokensWithout: number
  readonly cachedTokensWithout: number
  readonly moneyWithout: number
  /** The live context's reason to compress or wait. */
  readonly decision: string
}

export interface ReplayedCompression {
  /** The request that it was made for. */
  readonly request: number
  readonly trigger: CompressionTrigger
  readonly outcome: ContextOutcome['type']
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly explanation: string
  /**
   * Names of this project that the next 100 calls used, that occur before, and that were not seen
   * again until then.
   */
  readonly needed: number
  /** The needed names that were no longer in the shorter history with the words around them. */
  readonly missing: readonly string[]
  readonly readAgainTokens: number
}

/** A replay in words and amounts, the same on a terminal and on a page. */
/** Dollars, or input tokens if the model has no prices. */
export function renderMoney(money: number, { hasPrices }: Pick<Replay, 'hasPrices'>): string {
  if (!hasPrices) return renderCount(money)
  if (money === 0) return '$0'
  const digits = Math.abs(money) < 1 ? 4 : 2
  return `$${money.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

/** `−50 %`, `+3 %` */
export function renderCostChange(without: number, now: number): string {
  if (without <= 0) return '–'
  const percent = ((now - without) / without) * 100
  if (Math.abs(percent) < 0.05) return '0 %'
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`
}

export function describeLifetime(seconds: number | undefined): string {
  if (seconds === undefined) return 'no cache'
  if (seconds < 3600) return `cache of ${renderPlural(seconds / 60, 'minute')}`
  return `cache of ${renderPlural(seconds / 3600, 'hour')}`
}

export function describeReplay(replay: Replay): string {
  const {
    windowTokens,
    thresholdTokens,
    reserveTokens,
    saves,
    notInFileTokens,
    strategy,
    summarizer,
  } = replay
  const added =
    notInFileTokens > 0
      ? ` Of every request, ${NOT_IN_FILE}: ${renderCount(notInFileTokens)} tokens.`
      : ''
  return `Window of ${renderCount(windowTokens)} tokens, ${renderCount(reserveTokens)} of them kept for the answer. Threshold ${renderCount(thresholdTokens)}${saves ? ', and below it if that is expected to save money' : ''}. Strategy ${strategy}, summaries by ${neutralizeLine(summarizer)}.${added}`
}

/** Why so little was compressed. Undefined if no request waited. */
export function describeWaiting({ waited }: Pick<ReplayRun, 'waited'>): string | undefined {
  if (waited === 0) return undefined
  return `${renderPlural(waited, 'request')} passed the threshold, but waiting was cheaper while the cache was warm`
}

/** Whether the session would have fitted without any compression. */
export function describeDoingNothing(
  { windowTokens, reserveTokens }: Replay,
  run: ReplayRun,
): string {
  const { firstTooLarge, requests } = run
  if (firstTooLarge === undefined) {
    const largest = requests.reduce((most, { tokensWithout }) => Math.max(most, tokensWithout), 0)
    return `Doing nothing was possible: the largest request has ${renderPlural(largest, 'token')}.`
  }
  const tokens = requests[firstTooLarge - 1]?.tokensWithout ?? 0
  return `Doing nothing was not possible: request ${renderCount(firstTooLarge)} of ${renderCount(requests.length)} has ${renderPlural(tokens, 'token')}, and the window has space for ${renderCount(windowTokens - reserveTokens)}. From there on, “without” is the cost in a window that never fills.`
}

/** The limits of the numbers, for their reader. */
export function listCaveats(replay: Replay): string[] {
  const { hasPrices, hasTimes, recordedCompactions, model, notInFileTokens } = replay
  const refused = replay.runs[0]?.firstRefused
  return [
    'The answers are the recorded ones. The replay shows what would have been sent, not what an agent would have done with less context.',
    ...(notInFileTokens > 0
      ? []
      : [
          'Tokens are those in the session. A system prompt that it does not record would be added to both sides.',
        ]),
    ...(hasPrices
      ? []
      : [
          `The catalog has no prices for ${neutralizeLine(model) || 'this model'}. Amounts are input tokens, cached or not.`,
        ]),
    ...(hasTimes || !hasPrices
      ? []
      : ['The recording has no times, so every request counts as finding a warm cache.']),
    ...(recordedCompactions > 0
      ? [
          `The agent itself compacted ${renderPlural(recordedCompactions, 'time')} while this was recorded. The replay has all messages instead of its summaries.`,
        ]
      : []),
    ...describeOtherRuns(replay),
    'Needed later: project names from before a compression that the next 100 calls used before they saw them again. Lost: needed names that were no longer there with the words around them.',
    ...(refused === undefined
      ? []
      : [`Request ${renderCount(refused)} did not fit, whatever was compressed.`]),
  ]
}

const OUTCOMES: Readonly<Record<ReplayedCompression['outcome'], string>> = {
  compressed: '',
  unchanged: 'nothing to take',
  ineffective: 'saved next to nothing',
  'recall-too-low': 'would have lost too much',
  'cannot-fit': 'could not fit',
  'summary-failed': 'no summary came',
  vetoed: 'vetoed',
  discarded: 'discarded',
  aborted: 'stopped',
  failed: 'failed',
}

export function nameOutcome({ outcome }: ReplayedCompression): string {
  return OUTCOMES[outcome]
}

/** The names that later calls needed, and the lost ones. Empty if nothing was compressed. */
export function renderNeeded({
  outcome,
  needed,
  missing,
}: ReplayedCompression): [needed: string, lost: string] {
  return outcome === 'compressed' ? [renderCount(needed), renderCount(missing.length)] : ['', '']
}

/** The remark on a request. */
function describeRequest({ decision }: ReplayedRequest, isCompressed: boolean): string {
  if (isCompressed) return 'compressed'
  return decision === 'below-break-even' ? 'waits: cheaper as it is' : ''
}

/**
 * The cells of a request in a table: turn, sizes and amounts without and with compression, and a
 * remark.
 */
export function listCells(
  request: ReplayedRequest,
  isCompressed: boolean,
  replay: Replay,
): string[] {
  return [
    ...[request.request, request.turn, request.tokensWithout, request.tokens].map(renderCount),
    ...[request.moneyWithout, request.money].map((money) => renderMoney(money, replay)),
    describeRequest(request, isCompressed),
  ]
}

/**
 * The rows of the totals: a title, without, with, and the change. `titles` are for parts of the
 * cost.
 */
export function listTotals(
  replay: Replay,
  titles: { readonly summaries: string; readonly readAgain: string },
): string[][] {
  const money = (value: number) => renderMoney(value, replay)
  const compare = (
    title: string,
    without: number,
    now: number,
    render: (value: number) => string,
  ) => [title, render(without), render(now), renderCostChange(without, now)]
  const [first] = replay.runs
  const sizes = first
    ? [
        compare('prompt tokens', first.without.promptTokens, first.with.promptTokens, renderCount),
        compare(
          'of them from the cache',
          first.without.cachedTokens,
          first.with.cachedTokens,
          renderCount,
        ),
      ]
    : []
  const costs = replay.runs.flatMap(({ cacheLifetimeSeconds, without, with: paid }) => [
    compare(
      replay.hasPrices ? describeLifetime(cacheLifetimeSeconds) : 'input tokens',
      without.money,
      paid.money,
      money,
    ),
    ...(paid.summaryMoney > 0 ? [[titles.summaries, '', money(paid.summaryMoney), '']] : []),
    ...(paid.readAgainMoney > 0 ? [[titles.readAgain, '', money(paid.readAgainMoney), '']] : []),
  ])
  return [...sizes, ...costs]
}

const MOST_LISTED = 10

/** The tables use the shortest lifetime of the cache. This is the effect of other lifetimes. */
function describeOtherRuns({ runs }: Replay): string[] {
  const [shown, ...others] = runs
  const list = (run: ReplayRun) => {
    const requests = listApplied(run).map(({ request }) => renderCount(request))
    return requests.length > MOST_LISTED
      ? `${requests.slice(0, MOST_LISTED).join(', ')}, …`
      : requests.join(', ')
  }
  const differs = (run: ReplayRun, from: ReplayRun) =>
    listApplied(run).length !== listApplied(from).length || list(run) !== list(from)
  return others
    .filter((run) => shown && differs(run, shown))
    .map((run) => {
      const times = listApplied(run).length
      const said =
        times === 0 ? 'not at all' : `${renderPlural(times, 'time')}, for request ${list(run)}`
      return `With a ${describeLifetime(run.cacheLifetimeSeconds)} it compresses ${said}. The tables of requests show a ${describeLifetime(shown?.cacheLifetimeSeconds)}.`
    })
}

export function listApplied({ compressions }: ReplayRun): readonly ReplayedCompression[] {
  return compressions.filter(({ outcome }) => outcome === 'compressed')
}
