import { type Message, readText, renderPart } from '../conversation/message.ts'
import { redactSecrets } from '../facts/secrets.ts'
import type { Candidate, SectionName } from './digest/candidate.ts'
import { collectCommands } from './digest/collect-commands.ts'
import { collectCourse } from './digest/collect-course.ts'
import { collectErrors } from './digest/collect-errors.ts'
import { collectFiles } from './digest/collect-files.ts'
import { collectLatest } from './digest/collect-latest.ts'
import { collectTasks } from './digest/collect-tasks.ts'
import type { Draft } from './digest/draft.ts'
import { type Event, showsOneFile } from './digest/event.ts'
import { detectLanguage } from './digest/language.ts'
import { findNearStart } from './digest/output-lines.ts'
import { renderDigest } from './digest/render.ts'
import { select } from './digest/select.ts'
import { readTimeline } from './digest/timeline.ts'
import { Vocabulary } from './digest/vocabulary.ts'
import { wordings } from './digest/wording.ts'
import type { Summarizer, SummaryRequest } from './summarizer.ts'

/** A summary made of what stands in the span itself: no model, the same text for the same request, never over the target. */
export function digest(): Summarizer {
  return {
    name: 'digest',
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      return { text: compose(request) }
    },
  }
}

//   span ──► events ──► candidates ──► chosen ──► text
//        timeline   collect-…      select     render
function compose(request: SummaryRequest): string {
  const draft = createDraft(request)
  collectCourse(draft)
  collectTasks(draft)
  collectLatest(draft)
  collectErrors(draft)
  collectFiles(draft)
  collectCommands(draft)
  const { candidates, vocabulary, wording, events } = draft
  const { targetTokens, countTokens, kept } = request
  const covered = vocabulary.read(kept.map(readText).join('\n'))
  const weights = vocabulary.weigh(events.length)
  const headingOf = (section: SectionName) => `## ${wording.headings[section]}`
  return fit(select({ candidates, weights, covered, targetTokens, countTokens, headingOf }), request, headingOf)
}

function createDraft(request: SummaryRequest): Draft {
  const events = readTimeline(request.span, request.workingDirectory)
  const spoken = events.flatMap((event) => (event.type === 'request' ? [event.text] : []))
  return {
    events,
    vocabulary: new Vocabulary(request.workingDirectory),
    wording: wordings[detectLanguage(spoken.join('\n'))],
    candidates: [],
    visible: readVisibleLines(request.kept),
    focus: readFocus(request.instructions),
    targetTokens: request.targetTokens,
    shownAfter: countShownAfter(events),
    nearStart: findNearStart(events),
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

function readVisibleLines(kept: readonly Message[]): Set<string> {
  const lines = new Set<string>()
  for (const message of kept) {
    for (const part of message.parts) for (const line of renderPart(part).split('\n')) lines.add(line.trim())
  }
  return lines
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
