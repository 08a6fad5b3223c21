/** What a replay says in words and amounts, the same on a terminal and on a page. */
import type { Replay, ReplayedCompression, ReplayedRequest, ReplayRun } from '../evaluation/replay/replay.ts'
import { renderCount, renderPlural } from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'

/** Dollars, or input tokens where the model has no prices. */
export function renderMoney(money: number, { hasPrices }: Pick<Replay, 'hasPrices'>): string {
  if (!hasPrices) return renderCount(money)
  if (money === 0) return '$0'
  const digits = Math.abs(money) < 1 ? 4 : 2
  return `$${money.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

/** `−50 %`, `+3 %` */
export function renderChange(without: number, now: number): string {
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
  const { windowTokens, thresholdTokens, reserveTokens, strategy, summarizer } = replay
  return `Window of ${renderCount(windowTokens)} tokens, ${renderCount(reserveTokens)} of them kept for the answer; threshold ${renderCount(thresholdTokens)}. Strategy ${strategy}, summaries by ${neutralizeLine(summarizer)}.`
}

/** Whether the session could have gone on without any compression at all. */
export function describeDoingNothing({ windowTokens, reserveTokens }: Replay, run: ReplayRun): string {
  const { firstTooLarge, requests } = run
  if (firstTooLarge === undefined) {
    const largest = requests.reduce((most, { tokensWithout }) => Math.max(most, tokensWithout), 0)
    return `Doing nothing was possible: the largest request has ${renderPlural(largest, 'token')}.`
  }
  const tokens = requests[firstTooLarge - 1]?.tokensWithout ?? 0
  return `Doing nothing was not possible: request ${renderCount(firstTooLarge)} of ${renderCount(requests.length)} has ${renderPlural(tokens, 'token')}, and the window has room for ${renderCount(windowTokens - reserveTokens)}. From there on, “without” is what it would have cost in a window that never fills.`
}

/** What a reader has to know about the numbers. */
export function listCaveats(replay: Replay): string[] {
  const { hasPrices, hasTimes, recordedCompactions, model } = replay
  const refused = replay.runs[0]?.firstRefused
  return [
    'The answers are the recorded ones: the replay shows what would have been sent, not what an agent would have done with less before its eyes.',
    'Tokens are those the session holds; a system prompt that it does not record would come on top, the same both ways.',
    ...(hasPrices
      ? []
      : [
          `The catalogue has no prices for ${neutralizeLine(model) || 'this model'}: amounts are input tokens, cached or not.`,
        ]),
    ...(hasTimes || !hasPrices ? [] : ['The recording has no times: the cache is taken to be warm at every request.']),
    ...(recordedCompactions > 0
      ? [
          `The agent itself compacted ${renderPlural(recordedCompactions, 'time')} while this was recorded; the replay has all messages instead of its summaries.`,
        ]
      : []),
    ...describeOtherRuns(replay),
    'Needed later: names of this project that stood before a compression and that the next 100 calls used before they saw them again. Lost: those of them that were no longer there with the words around them.',
    ...(refused === undefined ? [] : [`Request ${renderCount(refused)} did not fit, whatever was compressed.`]),
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

/** Empty for a compression that did what it should. */
export function describeOutcome({ outcome }: ReplayedCompression): string {
  return OUTCOMES[outcome]
}

/** What later calls needed of it and how much of that was lost; nothing where it says nothing. */
export function renderNeeded({ outcome, needed, missing }: ReplayedCompression): [needed: string, lost: string] {
  return outcome === 'compressed' ? [renderCount(needed), renderCount(missing.length)] : ['', '']
}

/** What stands beside a request. */
export function describeRequest({ decision }: ReplayedRequest, isCompressed: boolean): string {
  if (isCompressed) return 'compressed'
  return decision === 'below-break-even' ? 'waits: cheaper as it is' : ''
}

const MOST_LISTED = 10

/** What the tables show belongs to the shortest lifetime of the cache; what other lifetimes change. */
function describeOtherRuns({ runs }: Replay): string[] {
  const [shown, ...others] = runs
  const list = (run: ReplayRun) => {
    const requests = listApplied(run).map(({ request }) => renderCount(request))
    return requests.length > MOST_LISTED ? `${requests.slice(0, MOST_LISTED).join(', ')}, …` : requests.join(', ')
  }
  const differs = (run: ReplayRun, from: ReplayRun) =>
    listApplied(run).length !== listApplied(from).length || list(run) !== list(from)
  return others
    .filter((run) => shown && differs(run, shown))
    .map((run) => {
      const times = listApplied(run).length
      const said = times === 0 ? 'not at all' : `${renderPlural(times, 'time')}, for request ${list(run)}`
      return `With a ${describeLifetime(run.cacheLifetimeSeconds)} it compresses ${said}; the tables of requests show a ${describeLifetime(shown?.cacheLifetimeSeconds)}.`
    })
}

/** Compressions that changed the history. */
export function listApplied({ compressions }: ReplayRun): readonly ReplayedCompression[] {
  return compressions.filter(({ outcome }) => outcome === 'compressed')
}
