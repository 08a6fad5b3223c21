/** The plan that middle-out, tail-summary and one-shot share: head, one summary, tail. They differ in what they keep. */
import type { SummaryBrief } from '../conversation/edit.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { assertKeep, countBetween, findHeadEnd, findSystemEnd, findTailStart } from './ends.ts'
import type { Keep, Plan, StrategyOptions, StrategyView } from './strategy.ts'

interface SpanRules {
  readonly head: Keep
  readonly tail: Keep
  readonly brief: SummaryBrief
  /** A summary of fewer messages is not worth its call. */
  readonly minimumMessages: number
  /** Upper limit of the summary as a share of what it replaces, earlier summaries aside. */
  readonly summaryShare: number
}

// A last request up to this size moves to the tail with all that follows it (llxprt-code: 500).
const MOVED_REQUEST_TOKENS = 500

interface Span {
  readonly start: number
  readonly end: number
}

export function planSummarizedSpan(view: StrategyView, options: StrategyOptions, rules: SpanRules): Plan {
  const { messages } = view.conversation
  const systemEnd = findSystemEnd(view)
  const keep = { head: options.keep?.head ?? rules.head, tail: options.keep?.tail ?? rules.tail }
  assertKeep(keep.head, 'head')
  assertKeep(keep.tail, 'tail')
  if (messages.length === systemEnd) return { noop: 'empty-history' }
  const historyTokens = view.tokensBefore.at(-1)!
  if (historyTokens + view.fixedTokens <= options.targetTokens) return { noop: 'already-under-target' }

  const available = options.targetTokens - view.fixedTokens - view.tokensBefore[systemEnd]!
  const request = view.lastUserRequest
  let span = findSpan(view, keep, Math.max(available, 0), systemEnd)
  if (span.start >= span.end) return { noop: 'tail-covers-all' }
  if (request !== undefined && isInside(span, request)) {
    // The request takes its room from the ends before they are measured.
    const room = Math.max(available - countBetween(view, request, request + 1), 0)
    span = moveRequestToTail(view, findSpan(view, keep, room, systemEnd), request)
  }
  const isWorthCall = span.end - span.start >= rules.minimumMessages || holdsSummary(view, span)
  if (!isWorthCall) return { noop: 'too-few-messages' }

  const kept = request !== undefined && isInside(span, request) ? [request] : []
  const keptTokens =
    countBetween(view, systemEnd, span.start) +
    countBetween(view, span.end, messages.length) +
    kept.reduce((sum, index) => sum + countBetween(view, index, index + 1), 0)
  const room = available - keptTokens
  // What was summarized before is not halved again while there is room for it.
  const summaryTokens = countSummaries(view, span)
  const spanTokens = countBetween(view, span.start, span.end)
  const worth = Math.floor((spanTokens - summaryTokens) * rules.summaryShare) + summaryTokens
  const targetTokens = Math.min(room, worth)
  return {
    edits: [{ type: 'summarize', ...span, targetTokens: Math.max(targetTokens, 0), brief: rules.brief, keep: kept }],
  }
}

function findSpan(view: StrategyView, keep: { head: Keep; tail: Keep }, basisTokens: number, systemEnd: number): Span {
  const { openStart = view.conversation.messages.length } = view.cutPoints
  // What is not answered yet stays whatever it takes: the oldest gives way to it.
  const openTokens = countBetween(view, openStart, view.conversation.messages.length)
  const headBasis = Math.max(basisTokens - openTokens, 0)
  const half = { tokens: headBasis / 2 }
  const measured = Math.min(
    findHeadEnd(view, keep.head, headBasis, systemEnd),
    // However a head is measured, the rest needs room too.
    findHeadEnd(view, half, headBasis, systemEnd),
    openStart,
  )
  const withRequest = Math.min(withFirstRequest(view, keep, { measured, headBasis, basisTokens, systemEnd }), openStart)
  const start = withRequest === systemEnd ? withRequest : anchorHead(view, withRequest, headBasis, systemEnd)
  const tailStart = findTailStart(view, keep.tail, basisTokens, start)
  return { start, end: tailStart > start ? Math.max(tailStart, findSummariesEnd(view)) : tailStart }
}

// What the ends may take together when the first request is larger than the share of the head.
const BOTH_ENDS_SHARE = 0.8

/** The first request says what all the rest is for: a head measured in tokens reaches behind it where there is room. */
function withFirstRequest(
  view: StrategyView,
  keep: { head: Keep; tail: Keep },
  {
    measured,
    headBasis,
    basisTokens,
    systemEnd,
  }: { [Name in 'measured' | 'headBasis' | 'basisTokens' | 'systemEnd']: number },
): number {
  const [first] = view.turns
  const end = first && view.cutPoints.nearestCut(first.start + 1, 'forward')
  if (end === undefined || end <= measured || !isShare(keep.head)) return measured
  const headTokens = countBetween(view, systemEnd, end)
  const tailStart = findTailStart(view, keep.tail, basisTokens, end)
  const tailTokens = countBetween(view, tailStart, view.conversation.messages.length)
  const fits = headTokens <= headBasis / 2 && headTokens + tailTokens <= basisTokens * BOTH_ENDS_SHARE
  return fits ? end : measured
}

function isShare(keep: Keep): boolean {
  return 'fraction' in keep && keep.of !== 'messages' && keep.fraction > 0
}

/** Every older summary lies before this cut: a tail that held one would leave two beside each other. */
function findSummariesEnd({ conversation, cutPoints }: StrategyView): number {
  const last = conversation.messages.findLastIndex(isSummary)
  return Math.min(cutPoints.nearestCut(last + 1, 'forward') ?? 0, cutPoints.openStart ?? Infinity)
}

/**
 * The head ends where the live summary stands, as long as it fits: so it stays byte-identical over any number of
 * compressions, and the older summary is merged into the new one instead of standing beside it.
 */
function anchorHead(view: StrategyView, measured: number, basisTokens: number, systemEnd: number): number {
  const summary = view.conversation.messages.findIndex(isSummary)
  if (summary < 0) return measured
  return countBetween(view, systemEnd, summary) <= basisTokens / 2 ? summary : Math.min(measured, summary)
}

function moveRequestToTail(view: StrategyView, span: Span, request: number): Span {
  if (!isInside(span, request)) return span
  const cut = view.cutPoints.nearestCut(request, 'backward', span.start)
  if (cut === undefined || cut < findSummariesEnd(view)) return span
  if (countBetween(view, cut, span.end) > MOVED_REQUEST_TOKENS) return span
  return { start: span.start, end: cut }
}

/** An older summary stands for many messages: alone it may be worth another, shorter one. */
function holdsSummary({ conversation }: StrategyView, span: Span): boolean {
  return conversation.messages.some((message, index) => isInside(span, index) && isSummary(message))
}

function countSummaries(view: StrategyView, span: Span): number {
  let tokens = 0
  for (let index = span.start; index < span.end; index++) {
    if (isSummary(view.conversation.messages[index]!)) tokens += countBetween(view, index, index + 1)
  }
  return tokens
}

function isInside(span: Span, index: number): boolean {
  return span.start <= index && index < span.end
}
