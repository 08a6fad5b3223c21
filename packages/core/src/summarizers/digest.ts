import { readText } from '../conversation/message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { Candidate, SectionName } from './digest/candidate.ts'
import { collectCommands } from './digest/collect-commands.ts'
import { collectCourse } from './digest/collect-course.ts'
import { collectErrors } from './digest/collect-errors.ts'
import { collectFiles } from './digest/collect-files.ts'
import { collectLatest } from './digest/collect-latest.ts'
import type { Draft } from './digest/draft.ts'
import { type Event, showsOneFile } from './digest/event.ts'
import { findNewestErrors } from './digest/output-lines.ts'
import { findPurposes, findPurposeWords } from './digest/purpose.ts'
import { renderDigest } from './digest/render.ts'
import { rewriteByExtraction } from './digest/rewrite.ts'
import { select } from './digest/select.ts'
import { readTimeline } from './digest/timeline.ts'
import { Visible } from './digest/visible.ts'
import { Vocabulary } from './digest/vocabulary.ts'
import { weights as learned } from './digest/weights.data.ts'
import type { Weights } from './digest/weights.ts'
import { wordings } from './digest/wording.ts'
import { detectLanguage } from './language.ts'
import type { Summarizer, SummaryRequest } from './summarizer.ts'

/** A summary made of what stands in the span itself: no model, the same text for the same request, never over the target. */
export function digest(): Summarizer {
  return {
    name: 'digest',
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      return { text: request.brief === 'rewrite' ? rewriteByExtraction(request) : compose(request) }
    },
  }
}

// Before as many events only what closed a turn and what was run more than once is looked at.
const NEAR_EVENTS = 1_000

//   span ──► events ──► candidates ──► chosen ──► text
//        timeline   collect-…      select     render
export function compose(request: SummaryRequest, weights = learned): string {
  const draft = createDraft(request, weights)
  collectCourse(draft)
  collectLatest(draft)
  collectErrors(draft)
  collectFiles(draft)
  collectCommands(draft)
  const { candidates, vocabulary, wording, events } = draft
  const { targetTokens, countTokens, kept } = request
  const covered = vocabulary.read(kept.map(readText).join('\n'))
  const nameWorths = vocabulary.weigh(events.length, weights)
  const headingOf = (section: SectionName) => `## ${wording.headings[section]}`
  const options = { candidates, weights, nameWorths, covered, targetTokens, countTokens, headingOf }
  const chosen = select(options, (some) => countTokens(renderDigest(some, headingOf)))
  return fit(chosen, request, headingOf)
}

function createDraft(request: SummaryRequest, weights: Weights): Draft {
  const events = readTimeline(request.span, request.workingDirectory)
  const requests = [...request.span, ...request.kept].filter(isUserRequest).map(readText)
  const purposes = findPurposes(events)
  return {
    events,
    purposes,
    purposeWords: findPurposeWords(events, purposes),
    vocabulary: new Vocabulary(request.workingDirectory),
    wording: wordings[detectLanguage(requests.join('\n'))],
    weights,
    candidates: [],
    reported: new Set(),
    lastSteps: new Set(),
    visible: new Visible(request.kept),
    focus: readFocus(request.instructions),
    targetTokens: request.targetTokens,
    root: request.workingDirectory ? `${request.workingDirectory.replace(/\/$/, '')}/` : undefined,
    shownAfter: countShownAfter(events),
    nearStart: events.length - NEAR_EVENTS,
    newestErrors: findNewestErrors(events),
  }
}

/** Drops what was chosen last until the whole text, counted once more, fits. */
function fit(chosen: Candidate[], request: SummaryRequest, headingOf: (section: SectionName) => string): string {
  let kept = chosen
  while (kept.length > 0) {
    const text = redactSecrets(renderDigest(kept, headingOf))
    const excess = request.countTokens(text) - request.targetTokens
    if (excess <= 0) return text
    // Most of the time the sum of the parts is above the whole; a second round is rare.
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor(kept.length * 0.97)))
  }
  return ''
}

function readFocus(instructions: string | undefined): string[] {
  return (instructions ?? '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}_./-]+/u)
    .filter((word) => word.length > 3)
}

/** For each event, how many later ones show or change lines of a file: what was touched last is touched next. */
function countShownAfter(events: readonly Event[]): number[] {
  const counts = Array.from({ length: events.length }, () => 0)
  let count = 0
  for (let at = events.length - 1; at >= 0; at--) {
    counts[at] = count
    const event = events[at]
    if (event?.type === 'call' && (event.action.kind === 'write' || showsOneFile(event.action))) count++
  }
  return counts
}
