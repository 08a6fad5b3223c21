/** Opens a series of attempts: its first history, the size of its ledger, and its goal. */
import type { Conversation } from '../conversation/message.ts'
import { renderRecallPath } from '../conversation/summary-message.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { carryLedger, findBindingRoom, findLedgerLimit } from './carry-ledger.ts'
import { chooseParts } from './choose-parts.ts'
import { countWhatStays } from './goal.ts'
import type { Known } from './known.ts'
import type { Ladder, Stage } from './ladder.ts'
import { findExcess, findRequestExcess, type Limits } from './limits.ts'
import { StageMaker } from './make-stage.ts'
import type { CompressOptions, EngineRun } from './options.ts'
import type { Series } from './plan-attempts.ts'
import { countOverhead } from './refusal.ts'
import { SharedRoom } from './share-room.ts'
import { type SearchRun, SpanSummarizer } from './summarize-spans.ts'
import { type Fit, Judge } from './verdict.ts'

/** A history, what it has to fit, and how. */
export interface SearchTask {
  readonly given: Conversation
  readonly repaired: Conversation
  readonly ladder: Ladder
  readonly limits: Limits
  readonly run: EngineRun & CompressOptions
  readonly known: Known
}

/** One series, while its attempts are made. */
export interface OpenSeries {
  readonly series: Series
  readonly history: Conversation
  readonly run: SearchRun
  readonly maker: StageMaker
  readonly summaries: SpanSummarizer
  readonly judge: Judge
  /** Whether other ends than the strategy's may stay. */
  readonly isFree: boolean
  isOver: boolean
  /** Created with the first attempt that divides the space. */
  room?: SharedRoom
  /** What is enough without a summary, the gentlest first. */
  readonly cleared: Fit[]
}

export async function openSeries(
  task: SearchTask,
  series: Series,
  history: Conversation,
): Promise<OpenSeries> {
  const { given, run: options, limits, known, ladder } = task
  const { counter, pins, pause } = options
  // No result is larger than the input, except for lines that replace images.
  const isLightened = findRequestExcess(given, limits) !== undefined
  const tokens = isLightened
    ? limits.tokens
    : Math.min(limits.tokens, counter.countConversation(given).upper)
  const roomTokens = countLedgerRoom(task, series, history)
  const run: SearchRun = {
    ...options,
    known,
    limits: { ...limits, tokens },
    targetTokens: Math.min(options.targetTokens ?? tokens, tokens),
    ledgerTokens: findLedgerLimit(history, pins, counter, roomTokens),
  }
  const carry = (recall: string) =>
    carryLedger(history, { ...run, limitTokens: run.ledgerTokens, recall })
  const recall = run.recall ? renderRecallPath(run.recall) : ''
  const ledger = carry(series.mayOmitRecall ? '' : recall)
  const isFree = chooseParts(ladder, options, series.keptShare, limits.tokens).rungs.length > 1
  await pause()
  const maker = new StageMaker(history, run, ledger)
  const judge = new Judge({
    given: history,
    base: maker.start.conversation,
    mayStay: mayStay(task),
    ledgers: series.mayOmitRecall ? [carry(recall), ledger] : [ledger],
    goal: maker.goal,
    known,
    pause,
  })
  const summaries = new SpanSummarizer({ goal: maker.goal, run, ledger, mayRelax: isFree })
  return { series, history, run, maker, summaries, judge, isFree, cleared: [], isOver: false }
}

/** Whether what was given keeps the limits itself, so that nothing has to come of a search. */
export const mayStay = ({ given, limits, run }: SearchTask): boolean =>
  findExcess(given, limits, run.counter) === undefined

/** The space of a summary, the ends next to it, and what is enough without a summary. */
export function openRoom(
  { run, maker, summaries, isFree, cleared }: OpenSeries,
  strategy: Strategy,
  whole: Stage,
): SharedRoom {
  const { conversation } = whole
  const room = new SharedRoom({
    view: maker.goal.viewOf(conversation),
    targetTokens: maker.goal.targetFor(conversation),
    countTokens: (result) => maker.goal.countTokens(result),
    isFree,
    // A live context aims below its limit. It continues with a beginning that its provider has in
    // the cache.
    isHeadFixed: run.keep?.head !== undefined || run.targetTokens < run.limits.tokens,
    pause: run.pause,
    readSurvey: () => run.known.surveyOf(conversation, run.pins, run.pause),
    plan: (share) => summaries.plan(strategy, whole, share),
  })
  for (const fit of cleared) room.note(fit)
  return room
}

/** Whether a ledger can be short enough to fit, and shorter than in other series. */
export function hasLedgerRoom(
  task: SearchTask,
  { ledgerRoom }: Series,
  history: Conversation,
): boolean {
  if (ledgerRoom === 'all-that-stays') return true
  const besideRequest = countBesideRequest(task, history)
  if (besideRequest <= 0) return false
  return ledgerRoom !== 'last-request' || besideRequest < countFewest(task, history)
}

function countLedgerRoom(task: SearchTask, { ledgerRoom }: Series, history: Conversation): number {
  const { limits, run, known } = task
  const { counter, pins, targetTokens = limits.tokens } = run
  if (ledgerRoom === 'pins') return 0
  if (ledgerRoom === 'last-request') return countBesideRequest(task, history)
  // If the target is below the limit, what the agent has not answered yet stays next to the user's
  // words.
  const isLive = targetTokens < limits.tokens
  const beside = Math.min(
    targetTokens - countOverhead(history, counter),
    limits.tokens - countWhatStays(known.viewOf(history), isLive),
  )
  const room = Math.max(beside, countFewest(task, history))
  return ledgerRoom === 'all-that-stays'
    ? room
    : Math.min(findBindingRoom(history, pins, counter), room)
}

const countBesideRequest = ({ limits, known }: SearchTask, history: Conversation): number =>
  limits.tokens - countWhatStays(known.viewOf(history), false)

// A share of the space next to system prompt and tool schemas.
const FEWEST_BESIDE = 0.25

/** However much stays, the words of the user share at least so many tokens. */
const countFewest = ({ limits, run }: SearchTask, history: Conversation): number =>
  (limits.tokens - countOverhead(history, run.counter)) * FEWEST_BESIDE
