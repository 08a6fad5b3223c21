/**
 * The plan of middle-out, tail-summary and one-shot: head, one summary, tail. They differ in what
 * they keep.
 */

import type { SummaryBrief } from '../conversation/edit.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { assertKeep, countAt, countBetween, findHeadEnd, findTailStart } from './ends.ts'
import type { Keep, Plan, Strategy, StrategyOptions, StrategyView } from './strategy.ts'

interface SpanRules {
  readonly head: Keep
  readonly tail: Keep
  readonly brief: SummaryBrief
  /** A summary of fewer messages is not worth its call. */
  readonly minimumMessages: number
}

// A last request up to this size moves to the tail with all that follows it (llxprt-code: 500).
const MOVED_REQUEST_TOKENS = 500

interface MessageSpan {
  readonly start: number
  readonly end: number
}

/** Creates a strategy of that kind, with its own rules on what it keeps. */
export function createSpanStrategy(name: string, rules: SpanRules): Strategy {
  return { name, summarizes: true, plan: (view, options) => planSpan(view, options, rules) }
}

function planSpan(view: StrategyView, options: StrategyOptions, rules: SpanRules): Plan {
  const { messages } = view.conversation
  const fixedEnd = view.cutPoints.fixedEnd
  const keep = { head: options.keep?.head ?? rules.head, tail: options.keep?.tail ?? rules.tail }
  assertKeep(keep.head, 'head')
  assertKeep(keep.tail, 'tail')
  if (messages.length === fixedEnd) return { noop: 'empty-history' }
  const historyTokens = view.tokensBefore.at(-1)!
  if (historyTokens + view.fixedTokens <= options.targetTokens)
    return { noop: 'already-under-target' }

  const available = options.targetTokens - view.fixedTokens - view.tokensBefore[fixedEnd]!
  const { minimumMessages } = rules
  const tailTokens = options.keep?.tail ? 0 : (options.tailTokens ?? 0)
  const measure = (basisTokens: number) =>
    findSpan(view, { keep, basisTokens, tailTokens, fixedEnd, minimumMessages })
  let span = measure(Math.max(available, 0))
  if (span.start >= span.end) return { noop: 'tail-covers-all' }
  const asked = view.asked.filter((index) => isInside(span, index))
  const [request] = asked
  if (request !== undefined) {
    // The request is subtracted from the space of the ends before they are measured.
    const room = Math.max(available - countAt(view, asked), 0)
    span = moveRequestToTail(view, measure(room), request)
  }
  const isWorthCall = span.end - span.start >= minimumMessages || holdsSummary(view, span)
  if (!isWorthCall) return { noop: 'too-few-messages' }

  const kept = findTied(
    view,
    view.asked.filter((index) => isInside(span, index)),
  )
  const endTokens =
    countBetween(view, fixedEnd, span.start) + countBetween(view, span.end, messages.length)
  const room = available - endTokens - countAt(view, kept)
  const targetTokens = Math.min(room, countBetween(view, span.start, span.end))
  return { edits: [{ type: 'summarize', ...span, targetTokens, brief: rules.brief, keep: kept }] }
}

type Ends = { readonly head: Keep; readonly tail: Keep }

interface SpanMeasure {
  readonly keep: Ends
  /** What fractions are of. */
  readonly basisTokens: number
  readonly tailTokens: number
  readonly fixedEnd: number
  readonly minimumMessages: number
}

function findSpan(view: StrategyView, measure: SpanMeasure): MessageSpan {
  const { keep, basisTokens, tailTokens, fixedEnd } = measure
  const { openStart = view.conversation.messages.length } = view.cutPoints
  // Messages without an answer yet stay: the oldest ones give way.
  const openTokens = countBetween(view, openStart, view.conversation.messages.length)
  const headBasis = Math.max(basisTokens - openTokens, 0)
  const half = { tokens: headBasis / 2 }
  const measured = Math.min(
    findHeadEnd(view, keep.head, headBasis, fixedEnd),
    // The rest needs space too, however the head is measured.
    findHeadEnd(view, half, headBasis, fixedEnd),
    openStart,
  )
  const firstEnd = findFirstRequestEnd(view, keep, headBasis, basisTokens, fixedEnd)
  const withRequest = Math.min(Math.max(measured, firstEnd), openStart)
  const start =
    withRequest === fixedEnd ? withRequest : anchorHead(view, withRequest, headBasis, fixedEnd)
  const own = findTailStart(view, keep.tail, basisTokens, start)
  const tailStart = tailTokens > 0 ? widenTail(view, { start, end: own }, measure) : own
  return { start, end: tailStart > start ? Math.max(tailStart, findSummariesEnd(view)) : tailStart }
}

// A summary has at least this share of the space, and at least this many tokens.
const LEAST_SUMMARY_SHARE = 0.02
const LEAST_SUMMARY_TOKENS = 150

/**
 * The start of a tail of this many tokens, if it leaves messages to summarize and space for the
 * summary. Never after `end`.
 */
function widenTail(view: StrategyView, { start, end }: MessageSpan, measure: SpanMeasure): number {
  const { basisTokens, tailTokens, fixedEnd, minimumMessages } = measure
  const least = Math.max(basisTokens * LEAST_SUMMARY_SHARE, LEAST_SUMMARY_TOKENS)
  const tokens = Math.min(tailTokens, basisTokens - countBetween(view, fixedEnd, start) - least)
  const fewest = view.cutPoints.nearestCut(start + minimumMessages, 'forward') ?? end
  const widened = tokens > 0 ? findTailStart(view, { tokens }, 0, start) : end
  return Math.min(Math.max(widened, fewest), end)
}

// What the ends may take together when the first request is larger than the share of the head.
const BOTH_ENDS_SHARE = 0.8

/**
 * The first request says what the rest is for. So a head measured in tokens includes it if it fits,
 * and is otherwise 0.
 */
function findFirstRequestEnd(
  view: StrategyView,
  { head, tail }: Ends,
  headBasis: number,
  basisTokens: number,
  fixedEnd: number,
): number {
  const [first] = view.turns
  const end = first && view.cutPoints.nearestCut(first.start + 1, 'forward')
  const isShare = 'fraction' in head && head.of !== 'messages' && head.fraction > 0
  if (end === undefined || !isShare) return 0
  const headTokens = countBetween(view, fixedEnd, end)
  const tailStart = findTailStart(view, tail, basisTokens, end)
  const tailTokens = countBetween(view, tailStart, view.conversation.messages.length)
  const fits =
    headTokens <= headBasis / 2 && headTokens + tailTokens <= basisTokens * BOTH_ENDS_SHARE
  return fits ? end : 0
}

/**
 * Every older summary is before this cut. A tail with a summary would leave two summaries next to
 * each other.
 */
function findSummariesEnd({ conversation, cutPoints }: StrategyView): number {
  const last = conversation.messages.findLastIndex(isSummary)
  return Math.min(cutPoints.nearestCut(last + 1, 'forward') ?? 0, cutPoints.openStart ?? Infinity)
}

/**
 * The head ends at the live summary, if it fits: it stays byte-identical, and the older summary is
 * merged into the new. A unit around the summary goes with it.
 */
function anchorHead(
  view: StrategyView,
  measured: number,
  basisTokens: number,
  fixedEnd: number,
): number {
  const summary = view.conversation.messages.findIndex(
    (message, index) => index >= fixedEnd && isSummary(message),
  )
  if (summary < 0) return measured
  const end = view.cutPoints.nearestCut(summary, 'backward', fixedEnd) ?? fixedEnd
  return countBetween(view, fixedEnd, end) <= basisTokens / 2 ? end : Math.min(measured, end)
}

function moveRequestToTail(view: StrategyView, span: MessageSpan, request: number): MessageSpan {
  if (!isInside(span, request)) return span
  const cut = view.cutPoints.nearestCut(request, 'backward', span.start)
  if (cut === undefined || cut < findSummariesEnd(view)) return span
  if (countBetween(view, cut, span.end) > MOVED_REQUEST_TOKENS) return span
  return { start: span.start, end: cut }
}

/** These messages and all that are tied to one of them. */
function findTied({ cutPoints, conversation }: StrategyView, asked: readonly number[]): number[] {
  const tied = asked.flatMap((request) => {
    if (!cutPoints.isTied(request)) return [request]
    const start = cutPoints.nearestCut(request, 'backward') ?? request
    const end = cutPoints.nearestCut(request + 1, 'forward') ?? conversation.messages.length
    return Array.from({ length: end - start }, (_, offset) => start + offset)
  })
  return [...new Set(tied)]
}

/** An older summary covers many messages, so even a single one may be worth a shorter summary. */
function holdsSummary({ conversation }: StrategyView, span: MessageSpan): boolean {
  return conversation.messages.some((message, index) => isInside(span, index) && isSummary(message))
}

const isInside = (span: MessageSpan, index: number): boolean =>
  span.start <= index && index < span.end
