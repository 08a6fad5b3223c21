import { addTo } from '../conversation/lists.ts'
import { readText } from '../conversation/message.ts'
import { type SummarySection, summaryHeadings } from '../conversation/summary-layout.ts'
import { splitSentences } from '../facts/sentences.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { Summarizer, SummaryRequest } from '../summarizers/summarizer.ts'
import { flatten } from './clean.ts'
import { collectCommands } from './collect-commands.ts'
import { collectConversation } from './collect-conversation.ts'
import { collectErrors, findNewestErrors } from './collect-errors.ts'
import { collectFiles } from './collect-files.ts'
import { collectState } from './collect-state.ts'
import { type Candidate, type Draft, type Event, type Group, type Purpose, showsOneFile } from './draft.ts'
import { rewriteByExtraction } from './rewrite.ts'
import { select } from './select.ts'
import { readTimeline } from './timeline.ts'
import { readFocus, Visible, Vocabulary } from './vocabulary.ts'
import { weights as learned, type Weights } from './weights.data.ts'

/** Makes a summary of pieces of the span itself: no model, the same text for the same request, never over the target. */
export function digest(): Summarizer {
  return {
    name: 'digest',
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      return { text: request.brief === 'rewrite' ? rewriteByExtraction(request) : compose(request) }
    },
  }
}

// Of older events only those that closed a turn and commands that were run more than once are looked at.
const NEAR_EVENTS = 1_000

//   span ──► events ──► candidates ──► chosen ──► text
//        timeline   collect-…      select     render
export function compose(request: SummaryRequest, weights = learned): string {
  const draft = createDraft(request, weights)
  collectState(draft)
  collectConversation(draft)
  collectErrors(draft)
  collectFiles(draft)
  collectCommands(draft)
  const { candidates, vocabulary, events } = draft
  const { targetTokens, countTokens, kept } = request
  const covered = vocabulary.read(kept.map(readText).join('\n'))
  const nameWorths = vocabulary.weigh(events.length, weights)
  const options = { candidates, weights, nameWorths, covered, targetTokens, countTokens }
  const chosen = select(options, (some) => countTokens(renderDigest(some)))
  return fit(chosen, request)
}

function createDraft(request: SummaryRequest, weights: Weights): Draft {
  const timeline = readTimeline(request)
  const { events } = timeline
  const purposes = findPurposes(events)
  return {
    events,
    artifacts: timeline.listArtifacts(),
    purposes,
    purposeWords: findPurposeWords(events, purposes),
    vocabulary: new Vocabulary(request.workingDirectory),
    weights,
    candidates: [],
    reported: new Set(),
    stateWords: new Set(),
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

/** Drops candidates that were chosen last until the whole text, counted once more, fits. */
function fit(chosen: Candidate[], request: SummaryRequest): string {
  let kept = chosen
  while (kept.length > 0) {
    const text = redactSecrets(renderDigest(kept))
    const excess = request.countTokens(text) - request.targetTokens
    if (excess <= 0) return text
    // Most of the time the sum of the parts is above the whole; a second round is rare.
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor(kept.length * 0.97)))
  }
  return ''
}

/** For each event, how many later ones show or change lines of a file: what was touched last is touched next. */
function countShownAfter(events: readonly Event[]): number[] {
  let count = 0
  const counts = events.toReversed().map((event) => {
    const isTouch = event.type === 'call' && (event.action.kind === 'write' || showsOneFile(event.action))
    return isTouch ? count++ : count
  })
  return counts.reverse()
}

/** The chosen candidates as text: sections in their order, groups and lines in theirs. */
function renderDigest(chosen: readonly Candidate[]): string {
  const sections = new Map<SummarySection, Map<Group, Candidate[]>>()
  for (const candidate of chosen) {
    const { group } = candidate
    const groups = sections.get(group.section) ?? new Map<Group, Candidate[]>()
    sections.set(group.section, groups)
    addTo(groups, group, candidate)
  }
  const lines: string[] = []
  for (const section of Object.keys(summaryHeadings) as SummarySection[]) {
    const groups = sections.get(section)
    if (!groups) continue
    if (lines.length > 0) lines.push('')
    lines.push(`## ${summaryHeadings[section]}`)
    for (const [group, members] of [...groups].sort(([a], [b]) => a.order - b.order)) {
      if (group.heading !== undefined) lines.push(group.heading)
      for (const candidate of members.sort((a, b) => a.order - b.order))
        if (candidate.text !== '') lines.push(candidate.text)
    }
  }
  return lines.join('\n')
}

// Longer words are more than the purpose of one edit.
const LONGEST_WORDS = 500
const LONGEST_PURPOSE = 280
const SHORTEST_REST = 8
// Reads and searches may come between words and the edit they announce.
const FARTHEST = 6

/** The purposes of the edits that were made, by their position: words before one that failed are for the next one. */
function findPurposes(events: readonly Event[]): Map<number, Purpose> {
  const purposes = new Map<number, Purpose>()
  events.forEach((event, index) => {
    if (event.type !== 'call' || event.action.kind !== 'write' || event.outcome?.failed === true) return
    const purpose = findPurpose(events, index)
    if (purpose) purposes.set(index, purpose)
  })
  return purposes
}

/** The words right before an edit, about one that was made: they are shown beside the file instead. */
function findPurposeWords(events: readonly Event[], purposes: ReadonlyMap<number, Purpose>): Set<number> {
  const found = new Set<number>()
  for (const { words } of purposes.values()) {
    if (words === undefined) continue
    const event = events[words]
    const next = events[words + 1]
    if (event?.type !== 'words' || event.text.length > LONGEST_WORDS || next?.type !== 'call') continue
    if (next.action.kind === 'write' && next.action.paths.length > 0) found.add(words)
  }
  return found
}

/** Undefined when the agent wrote nothing since the last request, or nothing about this. */
function findPurpose(events: readonly Event[], edit: number): Purpose | undefined {
  for (let index = edit - 1; index >= 0 && index >= edit - FARTHEST; index--) {
    const event = events[index]
    if (event?.type === 'request') return undefined
    if (event?.type === 'words') return { text: shorten(event.text), words: index }
    if (event?.type !== 'call') continue
    // Words before a change of the plan are about the plan, and those before a command about the command.
    const { kind, tasks } = event.action
    if (kind === 'plan') {
      const text = tasks.find((task) => task.status === 'active' && task.text !== undefined)?.text
      return text === undefined ? undefined : { text, words: undefined }
    }
    if (kind === 'command') return undefined
  }
  return undefined
}

// "Now let me add the limit" says no more than "Add the limit".
const LEAD_IN = /^(?:(?:now|next|ok|okay|good|great|perfect|then)\b[,.!:]? {0,2}){0,3}(?:let me |let's )?/i

/** The sentence without the words that only lead up to what it says. */
function stripLeadIn(sentence: string): string {
  const rest = sentence.slice(LEAD_IN.exec(sentence)?.[0].length ?? 0)
  // "Now I know", "Now: …", "Next steps": the beginning was no mere lead-in, or little would be left.
  if (rest === sentence || rest.length < SHORTEST_REST || !/^(?:[a-z]+ |I['’ ])/.test(rest)) return sentence
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

/** Words lead up to what is done next: of long ones the end counts. */
function shorten(text: string): string {
  const sentences = splitSentences(text).map(stripLeadIn)
  let purpose = ''
  for (let index = sentences.length - 1; index >= 0; index--) {
    const longer = flatten(`${sentences[index]!} ${purpose}`)
    if (purpose !== '' && longer.length > LONGEST_PURPOSE) break
    purpose = longer
  }
  return purpose
}
