/** What a replay says in words and amounts, the same on a terminal and on a page. */
import type { Replay, ReplayedCompression, ReplayRun } from '../evaluation/replay/replay.ts'
import { renderCount, renderPlural } from './render.ts'
import { neutralizeLine } from './terminal-text.ts'

/** Dollars, or input tokens where the model has no prices. */
export function renderMoney(money: number, { hasPrices }: Pick<Replay, 'hasPrices'>): string {
  if (!hasPrices) return renderCount(money)
  return `$${money.toFixed(money < 1 ? 4 : 2)}`
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

/** Compressions that changed the history. */
export function listApplied({ compressions }: ReplayRun): readonly ReplayedCompression[] {
  return compressions.filter(({ outcome }) => outcome === 'compressed')
}
