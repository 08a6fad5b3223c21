/** The agent's own words: what it found and concluded in each turn, and why. */

import type { Steps } from '../conversation/steps.ts'
import { nameTurn } from '../conversation/summary-layout.ts'
import { splitBlocks, type WordsLine } from '../facts/answer-blocks.ts'
import { isAnnouncement } from '../facts/decisions.ts'
import { isConclusion } from '../facts/is-conclusion.ts'
import { isBinding, splitSentences } from '../facts/sentences.ts'
import { collectAnswer, isOnlyCode, renderBlock } from './collect-answers.ts'
import {
  type Candidate,
  createGroup,
  type Draft,
  focusWorth,
  fullness,
  type Group,
  orderOf,
  type Placed,
  priorities,
  recencyOf,
  type WordsEvent,
} from './draft.ts'
import { isChatter, isStatus, isWaiting } from './empty-sentences.ts'
import { Revisions } from './revisions.ts'
import { Sayings } from './vocabulary.ts'

// A longer text is a paste. Its names count like those of a file that was read.
const LONGEST_REQUEST = 20_000

export function* collectConversation(draft: Draft): Steps<void> {
  const { events, answers, vocabulary } = draft
  const turns = new Map<number, Group>()
  const shown = new Map<number, string>()
  for (const event of events)
    if (event.type !== 'call' && event.shown !== undefined) shown.set(event.turn, event.shown)
  const groupOf = (turn: number, isAtFirst = false) => {
    const order = isAtFirst ? turn - 0.5 : turn
    const heading = turn > 0 ? nameTurn({ turn, isAtFirst, shown: shown.get(turn) }) : undefined
    const group = turns.get(order) ?? createGroup('conversation', order, heading)
    turns.set(order, group)
    return group
  }
  const isTold = new Set([...draft.purposeWords, ...draft.stateWords])
  for (const answer of answers) for (const { at } of answer.events) isTold.add(at)
  const candidatesOfRecord: Candidate[] = []
  for (const event of events) {
    yield
    if (event.type === 'request') {
      vocabulary.note(vocabulary.read(event.text.slice(0, LONGEST_REQUEST)), event.at, 'user')
    } else if (event.type === 'words' && !isTold.has(event.at)) {
      const collected = collectWords(draft, event, groupOf(event.turn, event.isAtFirst))
      if (event.isRecord && !isOnFiles(event)) candidatesOfRecord.push(...collected)
    }
  }
  // The newest first: an older one does not repeat what it says.
  const newer = new Sayings()
  const revisions = new Revisions()
  for (const answer of answers) {
    yield
    collectAnswer(draft, answer, newer, revisions, groupOf(answer.turn, answer.isAtFirst))
    for (const { text } of answer.events) newer.note(text)
  }
  reserveRecord(draft, candidatesOfRecord)
}

// The part of the words' share that is reserved for a model's summary of the time before.
const RECORD_SHARE = 0.25

/**
 * Reserves space for the lines of a summary that say the most for their length. Otherwise newer
 * words would take all of it.
 */
function reserveRecord({ weights, targetTokens }: Draft, candidates: readonly Candidate[]): void {
  const costOf = ({ text, lines = 1 }: Candidate) =>
    weights.lineCost * lines + text.length / CHARACTERS_PER_TOKEN
  const settledBy = ({ text }: Candidate) => new Set(text.toLowerCase().match(SETTLED)).size
  const worth = new Map(
    candidates.map((one) => [one, (one.value * (1 + settledBy(one))) / costOf(one)]),
  )
  let left = targetTokens * weights.wordsShare * RECORD_SHARE
  const best = candidates
    .filter(({ value }) => value > 0)
    .sort((a, b) => worth.get(b)! - worth.get(a)!)
  for (const [rank, candidate] of best.entries()) {
    const tokens = candidate.text.length / CHARACTERS_PER_TOKEN
    if (tokens > left) continue
    left -= tokens
    candidate.priority = priorities.record + rank / (best.length + 1)
  }
}

// What was settled, in the words of summaries. A passage with several of them explains how it was
// decided.
const SETTLED =
  /\b(?:user|agreed|approved|rejected|chose|chosen|decided|corrected|retracted|root cause|instead)\b/g

const SHORTEST_LINE = 12
// A section of a summary begins with what matters. After this many lines, it says half as much.
const HALF_LINES = 20
// A sentence of this many characters says something on its own.
const FULL_LINE = 80
const LONGEST_BLOCK = 1_000
const LONGEST_PIECE = 300
const CHARACTERS_PER_TOKEN = 4

/** Words between steps, and words that an earlier summary separates from answers. */
function collectWords(draft: Draft, event: Placed<WordsEvent>, group: Group): Candidate[] {
  const { vocabulary, visible } = draft
  const candidates: Candidate[] = []
  if (event.at < draft.nearStart && !event.isCarried) return candidates
  const isWhole = event.isCarried && event.text.length <= LONGEST_BLOCK
  const isNew = (line: WordsLine) =>
    line.text.length >= SHORTEST_LINE &&
    !draft.readings.of(leadsOn, line.text) &&
    !draft.reported.has(line.text) &&
    !visible.tells(line.text)
  // What the user wants kept above all is looked for line by line.
  const longest = draft.focus.length > 0 ? 0 : isWhole ? LONGEST_BLOCK : LONGEST_PIECE
  let row = 0
  const text = event.isCarried ? event.text : draft.readings.of(withoutAnnouncements, event.text)
  splitBlocks(text, longest, isNew).forEach((lines, order) => {
    if (isOnlyCode(lines) && (isOnFiles(event) || !event.isRecord)) return
    const told = lines.at(-1)!.isTitle && leadsOn(lines.at(-1)!.text) ? lines.slice(0, -1) : lines
    const said = told.map((line) => line.text).join('\n')
    const entities = vocabulary.read(said)
    vocabulary.note(entities, event.at, 'agent')
    let value = focusWorth(draft, said)
    for (const line of lines) value += worthOfLine(draft, event, line, row++)
    candidates.push({
      kind: 'words',
      group,
      order: orderOf({ at: event.at, row: order }),
      text: renderBlock(told),
      entities,
      value,
      // Words that lead to a call are worth less than others.
      lines: lines.length,
      isSteady: event.isCarried,
    })
  })
  draft.candidates.push(...candidates)
  return candidates
}

const leadsOn = (sentence: string): boolean =>
  isAnnouncement(sentence) || isChatter(sentence) || isStatus(sentence) || STEP.test(sentence)

// "Now the tests.", "Next, add the import."
const STEP =
  /^(?:now|next|then|finally),? (?!.{0,80}\b(?:is|are|was|were|i|we|it|this|that|there|works?|fails?|passes|has|have|needs?|because)\b)/i

/** Without "Good question! Let me verify.", alone on a line or beside what was found. */
const withoutAnnouncements = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      if (line.startsWith('\t')) return line
      const sentences = splitSentences(line)
      const saying = sentences.filter((one) => !leadsOn(one) && !isWaiting(one))
      return saying.length === sentences.length ? line : saying.join(' ')
    })
    .join('\n')

/** Whether a section of a summary describes files, which can be read again. */
const isOnFiles = ({ text }: WordsEvent): boolean =>
  /\b(?:files?|code)\b/i.test(text.slice(0, text.indexOf('\n') + 1))

function worthOfLine(draft: Draft, event: Placed<WordsEvent>, line: WordsLine, row: number) {
  const { weights } = draft
  // No file contains an agreed format.
  if (line.isQuoted)
    return event.isRecord && !isOnFiles(event) ? weights.otherWords * fullness(line.text) * 0.4 : 0
  const base = event.isCarried ? weights.closingWords / (1 + row / HALF_LINES) : weights.otherWords
  const decides = isConclusion(line.text) || (event.isCarried && isBinding(line.text))
  const saying = line.isTitle ? 0.1 : Math.min(1, line.text.length / FULL_LINE)
  return (
    saying * (base * (0.4 + recencyOf(draft, event.at)) + (decides ? weights.decidingWords : 0))
  )
}
