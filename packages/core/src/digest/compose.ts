import { readText } from '../conversation/message.ts'
import { atOnce, type Steps } from '../conversation/steps.ts'
import { flatten } from '../facts/flatten.ts'
import { type Readings, readingsOfRun } from '../facts/readings.ts'
import { Requests } from '../facts/requests.ts'
import { redactInSteps } from '../secrets/redact-secrets.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { collectCommands } from './collect-commands.ts'
import { collectConversation } from './collect-conversation.ts'
import { collectErrors, findNewestErrors } from './collect-errors.ts'
import { collectFiles } from './collect-files.ts'
import { collectState } from './collect-state.ts'
import {
  type CallEvent,
  type Candidate,
  type Draft,
  type Event,
  listChanged,
  type Placed,
  showsOneFile,
} from './draft.ts'
import { findAnswers, findUnanswered } from './find-answers.ts'
import { findPurposes, findPurposeWords } from './purposes.ts'
import { renderDigest } from './render.ts'
import { rewriteByExtraction } from './rewrite.ts'
import { createScratchCheck } from './scratch.ts'
import { select } from './select.ts'
import { readTimeline } from './timeline.ts'
import { NameVocabulary, readFocus, Visible } from './vocabulary.ts'
import { weights as learned, type Weights } from './weights.data.ts'

// Among older events, only those that closed a turn, and repeated commands, are read.
const NEAR_EVENTS = 1_000

//   span ──► events ──► candidates ──► chosen ──► text
//        timeline   collect-…      select     render
export function* composeInSteps(request: SummaryRequest, weights = learned): Steps<string> {
  if (request.brief === 'rewrite') return rewriteByExtraction(request)
  const draft = yield* createDraft(request, readingsOfRun(request.pause), weights)
  yield
  collectErrors(draft)
  yield
  collectState(draft)
  yield
  yield* collectConversation(draft)
  yield* collectFiles(draft)
  yield* collectCommands(draft)
  const { candidates, vocabulary, events } = draft
  const { targetTokens, countTokens, kept } = request
  const covered = vocabulary.read(kept.map(readText).join('\n'))
  const nameWorths = vocabulary.weigh(events.length, weights)
  const isUsed = (id: number) => vocabulary.isUsed(id)
  const options = { candidates, weights, nameWorths, isUsed, covered, targetTokens, countTokens }
  yield
  const chosen = yield* select(options, (some) => countTokens(renderDigest(some)))
  yield
  return yield* fit(chosen, request)
}

export const compose = (request: SummaryRequest, weights?: Weights): string =>
  atOnce(composeInSteps(request, weights))

function* createDraft(request: SummaryRequest, readings: Readings, weights: Weights): Steps<Draft> {
  const timeline = yield* readTimeline(request, readings)
  const { events } = timeline
  yield
  const purposes = findPurposes(events)
  yield
  const purposeWords = findPurposeWords(events, purposes)
  yield
  const visible = new Visible(request.kept)
  yield
  const runs = readRuns(events)
  yield
  const shownAfter = countShownAfter(events)
  yield
  const artifacts = timeline.listArtifacts()
  yield
  const newestTurn = [...timeline.requests.keys()].reduce((a, b) => Math.max(a, b), 0)
  const answers = findAnswers(events, newestTurn, timeline.openTurn)
  const answered = new Set(answers.map(({ turn }) => turn))
  const unanswered = new Set(events.flatMap(({ turn }) => (answered.has(turn) ? [] : turn)))
  const requests = new Requests(timeline.requests, { readings, unanswered })
  yield
  const isScratch = createScratchCheck(events, request.workingDirectory, timeline.requests.values())
  const folder = request.workingDirectory?.replace(/\/$/, '')
  yield
  return {
    events,
    artifacts,
    branch: timeline.earlier.branch,
    answers,
    unanswered: findUnanswered(answers, requests),
    openTurn: timeline.openTurn,
    requests,
    isScratch,
    changingTurns: new Set(
      events.flatMap((event) => (listChanged(event, isScratch).length > 0 ? event.turn : [])),
    ),
    purposes,
    purposeWords,
    vocabulary: new NameVocabulary(request.workingDirectory, readings),
    readings,
    weights,
    candidates: [],
    reported: new Set(),
    failures: new Map(),
    stateWords: new Set(),
    ...runs,
    visible,
    focus: readFocus(request.instructions),
    targetTokens: request.targetTokens,
    root: folder === undefined || folder === '' ? undefined : `${folder}/`,
    shownAfter,
    nearStart: events.length - NEAR_EVENTS,
    newestErrors: findNewestErrors(events),
  }
}

/** Drops candidates that were chosen last until the whole text, counted again, fits. */
function* fit(chosen: Candidate[], request: SummaryRequest): Steps<string> {
  let kept = chosen
  while (kept.length > 0) {
    const rendered = renderDigest(kept)
    yield
    const text = yield* redactInSteps(rendered)
    const excess = request.countTokens(text) - request.targetTokens
    if (excess <= 0) return text
    // Usually the sum of the parts exceeds the whole, so a second round is rare.
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor(kept.length * 0.97)))
  }
  return ''
}

/**
 * How often each command was run, by its text on one line, and the newest run of each that failed.
 */
function readRuns(events: readonly Event[]) {
  const runs = new Map<string, number>()
  const failedRuns = new Map<string, Placed<CallEvent>>()
  for (const event of events) {
    if (event.type !== 'call' || event.action.command === undefined) continue
    const command = flatten(event.action.command)
    runs.set(command, (runs.get(command) ?? 0) + (event.times ?? 1))
    if (event.outcome?.failed) failedRuns.set(command, event)
  }
  return { runs, failedRuns }
}

/**
 * For each event, how many later ones show or change lines of a file: what was touched last is
 * touched next.
 */
function countShownAfter(events: readonly Event[]): number[] {
  let count = 0
  const counts = events.toReversed().map((event) => {
    const isTouch =
      event.type === 'call' && (event.action.kind === 'write' || showsOneFile(event.action))
    return isTouch ? count++ : count
  })
  return counts.reverse()
}
