/**
 * The answer to the brief `rewrite`: the sentences, lines and code of one message that matter, in
 * their order.
 */

import { readText } from '../conversation/message.ts'
import { isAnnouncement } from '../facts/decisions.ts'
import { scanEntities } from '../facts/entities.ts'
import { mentionsError } from '../facts/error-lines.ts'
import { isConclusion } from '../facts/is-conclusion.ts'
import { isBinding, isQuestion, splitSentences } from '../facts/sentences.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { cleanText } from './clean.ts'
import { readFocus } from './vocabulary.ts'

/**
 * Never over the target, empty when nothing fits. Adds no word of its own, so the language stays
 * what it was.
 */
export function rewriteByExtraction(request: SummaryRequest): string {
  const { span, targetTokens, countTokens, instructions = '' } = request
  const units = splitUnits(cleanText(span.map(readText).join('\n')))
  if (units.length === 0 || targetTokens <= 0) return ''
  const isUser = span.every(({ origin }) => origin === 'user')
  const worths = measureWorths(units, isUser, readFocus(instructions))
  let chosen = choose(units, worths, request)
  while (chosen.length > 0) {
    const text = renderUnits(chosen)
    // The sum of the parts nearly always exceeds the whole, so a second round is rare.
    if (countTokens(text) <= targetTokens) return text
    chosen = chosen.slice(0, Math.min(chosen.length - 1, Math.floor(chosen.length * 0.9)))
  }
  return ''
}

/**
 * Best first, by worth for their tokens, as long as they fit. The best one that does not fit is cut
 * to the remaining space.
 */
function choose(
  units: readonly RewriteUnit[],
  worths: readonly number[],
  request: SummaryRequest,
): RewriteUnit[] {
  const { targetTokens, countTokens } = request
  const costs = units.map(
    ({ text, fence }) => countTokens(text) + (fence === undefined ? 1 : FENCE_TOKENS),
  )
  // Squared, so that what matters comes before any number of short sentences that do not.
  const density = (index: number) => worths[index]! ** 2 / (costs[index]! + BASE_TOKENS)
  const order = units
    .map((_, index) => index)
    .filter((index) => worths[index]! > 0)
    .sort((a, b) => density(b) - density(a) || a - b)
  const chosen: RewriteUnit[] = []
  let left: RewriteUnit | undefined
  let room = targetTokens
  for (const index of order) {
    const unit = units[index]!
    if (costs[index]! <= room) {
      chosen.push(unit)
      room -= costs[index]!
    } else if (unit.fence === undefined) left ??= unit
  }
  const isAlone = chosen.length === 0
  if (!left || (!isAlone && room < SMALLEST_PIECE_TOKENS)) return chosen
  const piece = clipToTokens(left.text, isAlone ? room : room - 1, countTokens)
  return piece === '' ? chosen : [...chosen, { ...left, text: piece }]
}

// The cost of a code block in addition to its lines.
const FENCE_TOKENS = 6
// Keeps a few words from going before a whole sentence only because they are few.
const BASE_TOKENS = 12
// A shorter beginning of a sentence says nothing.
const SMALLEST_PIECE_TOKENS = 12

/** A line, a sentence of a long line, or a line of code. */
interface RewriteUnit {
  readonly text: string
  /** Position among all units of the message. */
  readonly order: number
  /** Row of its line. Sentences of one line share it. */
  readonly row: number
  /** The fence that opened its block of code. Undefined outside of a block. */
  readonly fence: string | undefined
  /** The number of its block of code. Lines of the same block are rendered together. */
  readonly block: number
  /** First of its paragraph. */
  readonly opens: boolean
}

// A line up to this many characters is taken whole or not at all.
const LONGEST_LINE = 120

function splitUnits(text: string): RewriteUnit[] {
  const units: RewriteUnit[] = []
  let fence: string | undefined
  let block = 0
  let opens = true
  text.split('\n').forEach((raw, row) => {
    const mark = /^\s{0,3}(?:```|~~~)/.test(raw)
    if (mark) {
      fence = fence === undefined ? raw.trim() : undefined
      block++
      opens = true
    } else if (raw.trim() === '') opens = true
    else {
      const line = raw.trimEnd()
      // A list item or a row of a table keeps its mark. Long prose is split into sentences.
      const pieces =
        fence !== undefined || line.length <= LONGEST_LINE ? [line] : splitSentences(line)
      for (const [index, piece] of pieces.entries()) {
        units.push({
          text: piece,
          order: units.length,
          row,
          fence,
          block,
          opens: opens && index === 0,
        })
      }
      opens = false
    }
  })
  return units
}

const GAP = '…'

/** Units in their order. Code is in its fence again, with a mark for left-out lines. */
function renderUnits(units: readonly RewriteUnit[]): string {
  const lines: string[] = []
  let last: RewriteUnit | undefined
  let fence: string | undefined
  const close = () => {
    if (fence !== undefined) lines.push(closingOf(fence))
    fence = undefined
  }
  for (const unit of [...units].sort((a, b) => a.order - b.order)) {
    if (last?.block !== unit.block) close()
    if (unit.fence !== undefined && fence === undefined) {
      fence = unit.fence
      lines.push(fence)
    } else if (unit.fence !== undefined && unit.order > (last?.order ?? 0) + 1) lines.push(GAP)
    if (last && last.row === unit.row) lines.push(`${lines.pop() ?? ''} ${unit.text}`)
    else lines.push(unit.text)
    last = unit
  }
  close()
  return lines.join('\n')
}

/** As many marks as opened it. */
function closingOf(fence: string): string {
  const mark = fence.charAt(0)
  let length = 0
  while (fence.charAt(length) === mark) length++
  return mark.repeat(length)
}

const FIRST = 4
const LAST = 2.5
const FINDING = 2.5
const QUESTION = 3
const INSTRUCTION = 4
const ERROR = 1.5
const NAME = 0.8
const MOST_NAMES = 5
const NUMBER = 0.4
const FOCUS = 6
const PLAIN = 1
const OPENING = 1.5
const ANNOUNCEMENT = 0.2
const CODE = 0.5

/** By position. 0 if it says nothing alone. In the user's messages, instructions matter most. */
function measureWorths(
  units: readonly RewriteUnit[],
  isUser: boolean,
  focus: readonly string[],
): number[] {
  const seen = new Set<string>()
  const said = new Set<string>()
  const saysSomething = ({ fence, text }: RewriteUnit) =>
    fence === undefined && !isEmpty(text) && !isHeading(text)
  const first = units.findIndex(saysSomething)
  const last = units.findLastIndex(saysSomething)
  return units.map((unit, index) => {
    const { text } = unit
    if (isEmpty(text) || isHeading(text) || said.has(text.trim())) return 0
    said.add(text.trim())
    const names = countNewNames(text, seen) * NAME
    const wanted = focus.filter((word) => text.toLowerCase().includes(word)).length * FOCUS
    if (unit.fence !== undefined) return (isFragment(text) ? 0 : CODE + names) + wanted
    let worth = names + wanted
    if (isAnnouncement(text.trim())) worth += ANNOUNCEMENT
    else worth += (unit.opens ? OPENING : PLAIN) + (index === first ? FIRST : 0)
    if (index === last) worth += LAST
    if (isConclusion(text)) worth += FINDING
    if (isQuestion(text)) worth += QUESTION
    if (isUser && isBinding(text)) worth += INSTRUCTION
    if (mentionsError(text)) worth += ERROR
    if (/\d/.test(text)) worth += NUMBER
    return worth
  })
}

function countNewNames(text: string, seen: Set<string>): number {
  let count = 0
  scanEntities(text, (_, name) => {
    if (seen.has(name)) return
    seen.add(name)
    count++
  })
  return Math.min(count, MOST_NAMES)
}

/** Rules, the lines of a table's frame, a lone bracket. */
const isEmpty = (line: string): boolean => !/[\p{L}\p{N}]/u.test(line)

/** A line of code that is an option or a bracket of the line above it. */
const isFragment = (line: string): boolean =>
  /^\s*(?:--|[)\]}])|\\$/.test(line) || line.trim().length < 12

/** Whether it only says what comes next. */
function isHeading(line: string): boolean {
  if (/^\s*#{1,6}\s/.test(line) || /^\s*\*\*[^*]*\*\*$/.test(line)) return true
  return line.length < SHORTEST_STATEMENT && /[:：][*_`\s]*$/.test(line)
}

// "The attribution works now, with accurate numbers:" says something before its colon.
const SHORTEST_STATEMENT = 50

// More characters than any token has on average in text worth keeping. A longer beginning is never
// counted.
const MOST_CHARACTERS_PER_TOKEN = 16

/**
 * The longest beginning that fits with a mark at its end, cut between words. Empty if not even one
 * word fits.
 */
function clipToTokens(
  text: string,
  targetTokens: number,
  countTokens: (text: string) => number,
): string {
  const start = text.slice(0, targetTokens * MOST_CHARACTERS_PER_TOKEN)
  if (start.length === text.length && countTokens(text) <= targetTokens) return text
  const ends = findWordEnds(start)
  let low = 0
  let high = ends.length
  // The tokens of a beginning grow with its length, except for a few at a joint. The last check is
  // exact.
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (countTokens(withMark(start.slice(0, ends[middle - 1]))) <= targetTokens) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : withMark(start.slice(0, ends[low - 1]))
}

const withMark = (text: string): string => `${text.trimEnd()} ${GAP}`

/**
 * Positions at which a word has just ended. A word that is cut off at the end of the text does not
 * count.
 */
function findWordEnds(text: string): number[] {
  const ends: number[] = []
  for (let position = 1; position < text.length; position++) {
    const before = text.charCodeAt(position - 1)
    const after = text.charCodeAt(position)
    if (isSpace(before)) continue
    if (isSpace(after) || isWrittenWithoutSpaces(before) || isWrittenWithoutSpaces(after))
      ends.push(position)
  }
  return ends
}

const isSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 10 || code === 0x3000

/** Kana, Han and the punctuation between them. Korean is written with spaces. */
function isWrittenWithoutSpaces(code: number): boolean {
  return (code >= 0x3001 && code <= 0x9fff) || (code >= 0xff00 && code <= 0xffef)
}
