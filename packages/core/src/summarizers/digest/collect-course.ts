/** The person's requests, and the agent's own words about what it found and concluded. */
import { isDecision, isDemand } from '../../facts/demands.ts'
import { splitSentences } from '../../facts/sentences.ts'
import { priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { createGroup, type Draft } from './draft.ts'
import type { Placed, RequestEvent, WordsEvent } from './event.ts'
import { isPurpose } from './purpose.ts'
import { focusWorth, fullness, recencyOf } from './worth.ts'

// A request up to this many characters is kept whole or not at all, and so is one up to this share of the target.
const SHORT_REQUEST = 700
const SHORT_REQUEST_SHARE = 0.3
// More than this is a paste: what it holds counts like a file that was read.
const LONGEST_REQUEST = 6_000
const LONGEST_SENTENCE = 600
const LONGEST_WORDS_LINE = 500
const SHORTEST_WORDS_LINE = 12
const LONGEST_DISTANT_WORDS = 400
// A conclusion begins with what counts; after this many lines it says half as much.
const HALF_CLOSING_LINES = 20
// A sentence of this many characters says something on its own.
const FULL_WORDS_LINE = 80

export function collectCourse(draft: Draft): void {
  const { events } = draft
  const lastRequest = events.findLastIndex((event) => event.type === 'request')
  events.forEach((event, index) => {
    if (event.type === 'request') collectRequest(draft, event, index === lastRequest)
    else if (event.type === 'words' && !isPurpose(events, index)) collectWords(draft, event, closesTurn(draft, index))
  })
}

function closesTurn(draft: Draft, index: number): boolean {
  const next = draft.events[index + 1]
  return next === undefined || next.type === 'request'
}

function collectRequest(draft: Draft, event: Placed<RequestEvent>, isNewest: boolean): void {
  const { vocabulary, candidates, visible, events } = draft
  const group = createGroup('course', event.at)
  const shortLength = Math.min(SHORT_REQUEST, Math.floor(draft.targetTokens * SHORT_REQUEST_SHARE * 4))
  const isShort = event.text.length <= shortLength
  const units = isShort ? [event.text] : splitSentences(event.text)
  const isPaste = event.text.length > LONGEST_REQUEST
  const age = (events.length - event.at) / events.length
  units.forEach((unit, order) => {
    const entities = vocabulary.read(unit)
    vocabulary.note(entities, event.at, 'user')
    if (visible.tells(unit) || !/[\p{L}\p{N}]/u.test(unit)) return
    const isFrame = order === 0 || order === units.length - 1
    const matters = isShort || isFrame || (isDemand(unit) && !isPaste)
    const text = isShort ? unit : clip(unit, Math.min(LONGEST_SENTENCE, shortLength))
    const priority = (isNewest ? priorities.newestRequest : priorities.request) + age + (isFrame ? 0 : 0.5)
    candidates.push({
      kind: 'request',
      group,
      order,
      text: `> ${text.replaceAll('\n', '\n> ')}`,
      entities,
      value: (matters ? 6 : 2) * fullness(unit) + focusWorth(draft, unit),
      ...(matters && { priority }),
    })
  })
}

function collectWords(draft: Draft, event: Placed<WordsEvent>, closes: boolean): void {
  const { vocabulary, candidates, visible, weights } = draft
  const group = createGroup('course', event.at)
  const recency = recencyOf(draft, event.at)
  const isDistant = event.at < draft.nearStart
  if (isDistant && !closes && !event.isCarried) return
  const lines = splitMarkdown(isDistant ? event.text.slice(0, LONGEST_DISTANT_WORDS) : event.text)
  lines.forEach(({ text, isQuoted }, order) => {
    const entities = vocabulary.read(text)
    vocabulary.note(entities, event.at, 'agent')
    if (visible.tells(text) || text.length < SHORTEST_WORDS_LINE) return
    const place = order === 0 && closes ? weights.openingWords : 1 / (1 + order / HALF_CLOSING_LINES)
    const other = isAnnouncement(text) ? 0 : weights.otherWords
    const standing = event.isCarried || closes ? weights.closingWords * place : other
    const finding = isDecision(text) || (event.isCarried && isDemand(text)) ? weights.decidingWords : 0
    const saying = isTitle(text) ? 0.1 : Math.min(1, text.length / FULL_WORDS_LINE)
    const value = isQuoted ? 0 : saying * (standing * (0.4 + recency) + finding)
    candidates.push({
      kind: 'words',
      group,
      order,
      text: isQuoted ? `\t${text}` : `- ${text}`,
      entities,
      value: value + focusWorth(draft, text),
    })
  })
}

/** "Let me look at …" tells what was about to be done; that it was done stands elsewhere. */
function isAnnouncement(line: string): boolean {
  return /^(?:(?:now|ok(?:ay)?|good|great|first|next),? )?(?:let me|let's|i'll|i will|i'm going to|i need to|now i|lass mich|ich werde)\b/i.test(
    line,
  )
}

/** "Scenarios:" and the head of a table say nothing without what follows. */
function isTitle(raw: string): boolean {
  const line = raw.replace(/^\d{1,2}[.)] /, '')
  return (
    /[:：][*_`\s]*$/.test(line) || /^\*\*[^*]*\*\*$/.test(line) || (line.length < 50 && !/\s[\p{Ll}\d]/u.test(line))
  )
}

interface WordsLine {
  readonly text: string
  /** Whether it stood inside a code fence. */
  readonly isQuoted: boolean
}

/** Lines of the agent's Markdown; long paragraphs by sentences. */
function splitMarkdown(text: string): WordsLine[] {
  const lines: WordsLine[] = []
  let isQuoted = false
  for (const raw of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      isQuoted = !isQuoted
      continue
    }
    const line = flatten(isQuoted ? raw : raw.replace(/^\s*(?:[-*•]|#{1,6}|>)\s+/, ''))
    if (line === '' || /^[|\s:`=*-]+$/.test(line)) continue
    if (line.length <= 300) lines.push({ text: line, isQuoted })
    else for (const sentence of splitSentences(line)) lines.push({ text: clip(sentence, LONGEST_WORDS_LINE), isQuoted })
  }
  return lines
}
