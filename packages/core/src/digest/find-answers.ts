/** Which of the agent's words answer the user, and whether a list of questions is still open. */
import { isAnnouncement } from '../facts/decisions.ts'
import type { Requests } from '../facts/requests.ts'
import { splitSentences } from '../facts/sentences.ts'
import type { Event, Placed, TurnAnswer, WordsEvent } from './draft.ts'

// Words of this length before the last calls of a turn are its answer if none come after them.
const FULL_ANSWER = 200

/**
 * The answers of a span, by turn: the words after the last call of their turn. If a turn before
 * `newestTurn` ended with a call, its last words are the answer, unless they are only an
 * announcement. Before that, lists of what was found are answers too, unless files were changed for
 * them and the turn is over. Calls follow in `openTurn`.
 */
export function findAnswers(
  events: readonly Event[],
  newestTurn: number,
  openTurn?: number,
): TurnAnswer[] {
  const answers = new Map<number, Placed<WordsEvent>[]>()
  let calledIn = openTurn
  let saidIn = openTurn
  let changedIn: number | undefined
  for (const event of events.toReversed()) {
    const { type, turn } = event
    if (type === 'call') {
      calledIn = turn
      if (event.action.changes.length > 0) changedIn = turn
    }
    if (type !== 'words') continue
    const isLast = calledIn !== turn || (saidIn !== turn && turn < newestTurn && isFull(event))
    const isOwn = isLast || ((turn === openTurn || changedIn !== turn) && isFinding(event))
    saidIn = turn
    if (event.isRecord || !(event.isCarried ? event.isAnswer : isOwn)) continue
    const place = event.isAtFirst ? turn - 0.5 : turn
    const known = answers.get(place) ?? []
    answers.set(place, known)
    known.push(event)
  }
  return [...answers.values()].map((found) => {
    const { turn, isAtFirst = false } = found[0]!
    return { turn, isAtFirst, events: found.reverse() }
  })
}

const isFull = ({ text }: WordsEvent): boolean =>
  text.length >= FULL_ANSWER && !isAnnouncement(text)

// A verdict on each of several points, and not thoughts on what to do next.
const FEWEST_POINTS = 3
const LISTED = /^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s/
const ROW = /^\s{0,8}\|/

/** Whether words between calls list what was found. After the list they may lead to a call. */
function isFinding({ text }: WordsEvent): boolean {
  if (text.length < 2 * FULL_ANSWER) return false
  const lines = text.split('\n')
  const isPoint = (line: string) => LISTED.test(line) || ROW.test(line)
  if (lines.filter(isPoint).length < FEWEST_POINTS) return false
  return !lines
    .slice(0, lines.findLastIndex(isPoint))
    .flatMap(splitSentences)
    .some((sentence) => isAnnouncement(sentence) && !sentence.endsWith(':'))
}

const NEWEST_ANSWERS = 3
export const ASKS = /[?？]/

/** The turn of the newest answer that lists questions, unless the user spoke of it since. */
export function findUnanswered(
  answers: readonly TurnAnswer[],
  requests: Requests,
): number | undefined {
  const lists = ({ events }: TurnAnswer) =>
    events
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => LISTED.test(line) && ASKS.test(line)).length > 1
  const turn = answers.slice(0, NEWEST_ANSWERS).find(lists)?.turn
  if (turn === undefined) return undefined
  const replies = requests.referencesAfter(turn)
  return replies.some(({ labels, isGeneral }) => isGeneral || labels.size > 0) ? undefined : turn
}
