/** What the agent's words leave open: what it announced and did not do, and what it calls open. */

import { isAnnouncement } from '../facts/decisions.ts'
import { flatten } from '../facts/flatten.ts'
import { splitSentences } from '../facts/sentences.ts'
import type { Draft } from './draft.ts'

const OPEN =
  /\b(?:(?<=^)next\b(?! times?\b)|(?<!\b(?:in|for|at|with) the )next steps?\b|follow-?ups?:|is next(?=[.,;:!)]|$)|remaining (?:work|items?|tasks?|steps?|points?|issues?|questions?|failures?|gaps?)\b|remains? (?:to|open|unclear|undone|untested|unfixed)\b|left to do|to do\b(?! [a-z])|to-?dos?(?:\([^)]{1,40}\))?(?: (?:left|remain)\b|:)|(?:is|are|still|remains?|left|open|remaining)(?: an?)? to-?dos?\b|still (?:need|needs|have to|has to|missing|open|fails?|to be)|needs? (?:a|your) (?:\w{1,20} )?decision|not (?:yet|verified|tested|covered|done|implemented)|(?<!\b(?:if|when|while|unless) (?:\w{1,20} ){0,2})(?:haven['’]t|have not|has not been|hasn['’]t)|untested|unverified|out of scope|(?<!\b(?:the|a|(?:can|could|may|might|would) be) )deferred|(?:is|are|still|remains?|currently|left) pending\b|pending(?=[.,;:!)]|$| (?:your|review|approval|confirmation|merge|release|deployment|verification|decision|for|on|until)\b)|noch nicht|als nächstes|offen)/i
// These words also name what was done, and what may be done one day.
const NAMED = /^to-?do\b|\bfollow-?ups?\b/i
const DEED =
  /\b(?:add|creat|record|logg|updat|remov|sav|mov|end|merg|fix|complet|resolv|clean|commit|push|open)t?ed\b|\b(?:sent|found|made|makes|done|gone)\b/i
const LATER = /\b(?:for|until) later\b|\blater[.!]?$/i
const MAYBE = /\b(?:can|could|may|might|maybe|perhaps|would|if|in case)\b[^,;:]{0,80}\blater\b/i

/** Whether a sentence says that something is open. */
const saysOpen = (sentence: string): boolean =>
  OPEN.test(sentence) ||
  (NAMED.test(sentence) && !DEED.test(sentence)) ||
  (LATER.test(sentence) && !MAYBE.test(sentence))

const TITLE_OR_ROW = /^\s*(?:[#|]|\*\*[^*]*\*\*:?\s*$)/
// Names and titles may have these words.
const QUOTED = /`[^`]*`|"[^"]*"|\*[^*]*\*|“[^”]*”/g
const MOST_OPEN = 4
const MOST_REPORTS = 4
const LONGEST_OPEN = 240
const SHORTEST_OPEN = 16

/** What the agent announced last and did not do, and what its newest reports call open. */
export function findOpenPoints(draft: Draft): string[] {
  const { events } = draft
  const closing = listClosing(draft)
  const found: string[] = []
  let reports = 0
  let calledIn = draft.openTurn
  let isLast = calledIn === undefined
  for (
    let index = events.length - 1;
    index >= 0 && reports < MOST_REPORTS && found.length < MOST_OPEN;
    index--
  ) {
    const event = events[index]
    if (event?.type === 'call') {
      isLast = false
      calledIn = event.turn
    }
    if (event?.type !== 'words' || event.isCarried) continue
    reports++
    const closes = closing.has(index) && calledIn !== event.turn
    for (const line of event.text
      .split('\n')
      .filter((raw) => !TITLE_OR_ROW.test(raw))
      .map((raw) => flatten(stripMark(raw)))
      .toReversed()) {
      if (line.length < SHORTEST_OPEN || line.length > LONGEST_OPEN || found.length >= MOST_OPEN)
        continue
      // What a line with a colon announces is done by what follows.
      const isDone = line.endsWith(':') && !flatten(event.text).endsWith(line)
      const isAnnounced = isLast && isAnnouncement(line) && !isDone
      const open = closes && !isAnnounced ? findOpen(draft, line) : line
      if (open === '' || (!closes && !isAnnounced)) continue
      if (open === line) draft.reported.add(line)
      found.push(`${isAnnounced ? 'Announced' : 'Open'}: ${open}`)
    }
    isLast = false
  }
  return [...new Set(found)]
}

// "The questions from my last answer are still open" does not name the questions.
const REFERS =
  /\b(?:questions?|points?|items?|ones)\b[^.;:]{0,40}\b(?:above|before|earlier|last|previous)\b/i

/** The sentences of a line that say what is open. */
function findOpen({ unanswered }: Draft, line: string): string {
  if (/[?:]$/.test(line)) return ''
  const isOpen = (sentence: string) =>
    saysOpen(sentence.replace(QUOTED, '')) && (unanswered !== undefined || !REFERS.test(sentence))
  return splitSentences(line).filter(isOpen).join(' ')
}

const stripMark = (line: string): string => line.replace(/^\s*(?:[-*•]|#{1,6}|\d{1,2}[.)])\s+/, '')

/** Events of words that close a turn. */
export const listClosing = ({ answers }: Draft): ReadonlySet<number> =>
  new Set(answers.flatMap(({ events }) => events.map(({ at }) => at)))
