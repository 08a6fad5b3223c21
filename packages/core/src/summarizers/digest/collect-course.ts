/** The person's requests, and the agent's own words about what it found and concluded. */
import { isDemand } from '../../facts/demands.ts'
import { readOwnWords } from '../../facts/own-words.ts'
import { splitSentences } from '../../facts/sentences.ts'
import { isUnspaced } from '../../facts/word-lists.ts'
import { priorities } from './candidate.ts'
import { clip } from './clip.ts'
import { collectWords } from './collect-words.ts'
import { createGroup, type Draft } from './draft.ts'
import type { Placed, RequestEvent } from './event.ts'
import { focusWorth, fullness } from './worth.ts'

// A request up to this many characters is kept whole or not at all, and so is one up to this share of the target.
const SHORT_REQUEST = 700
const SHORT_REQUEST_SHARE = 0.3
// More than this is a paste: what it holds counts like a file that was read.
const LONGEST_REQUEST = 6_000
const LONGEST_SENTENCE = 600
const SHORTEST_REPORT = 80
const SHORTEST_SHOWN = 240

export function collectCourse(draft: Draft): void {
  const { events } = draft
  const lastRequest = events.findLastIndex((event) => event.type === 'request' && event.question === undefined)
  const lastReport = findLastReport(draft)
  events.forEach((event, index) => {
    if (event.type === 'request') collectRequest(draft, event, index === lastRequest)
    else if (event.type === 'words' && !draft.purposeWords.has(index)) {
      const role = index === lastReport ? 'lastReport' : closesTurn(draft, index) ? 'closing' : 'passing'
      collectWords(draft, event, role)
    }
  })
}

/** Nothing was called after it; a request that followed may have been taken out, since it stays verbatim. */
function closesTurn({ events }: Draft, index: number): boolean {
  const event = events[index]
  const next = events[index + 1]
  if (event?.type !== 'words' || next?.type === 'call') return false
  return next?.type !== 'words' || (!event.isCarried && !next.isCarried)
}

/** The newest words that close a turn and are more than a nod. */
function findLastReport(draft: Draft): number {
  return draft.events.findLastIndex(
    (event, index) =>
      event.type === 'words' && !event.isCarried && event.text.length >= SHORTEST_REPORT && closesTurn(draft, index),
  )
}

/** Whether more of it was pasted from a terminal or a file than typed: that counts line by line, like output. */
function isMostlyShown(said: string): boolean {
  if (said.length < SHORTEST_SHOWN || !said.includes('\n')) return false
  let own = 0
  for (const sentence of readOwnWords(said).sentences)
    if (/^\p{L}/u.test(sentence) && (sentence.includes(' ') || isUnspaced(sentence))) own += sentence.length
  return own < said.length / 2
}

function collectRequest(draft: Draft, event: Placed<RequestEvent>, isNewest: boolean): void {
  const { vocabulary, candidates, visible, events } = draft
  const group = createGroup('course', event.at)
  const shortLength = Math.min(SHORT_REQUEST, Math.floor(draft.targetTokens * SHORT_REQUEST_SHARE * 4))
  const asked = event.question === undefined ? '' : `[${draft.wording.asked}: ${event.question}] `
  const said = `${asked}${event.text}`
  const isShort = said.length <= shortLength && !isMostlyShown(said)
  const units = isShort ? [said] : splitSentences(said)
  const isPaste = said.length > LONGEST_REQUEST
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
