/**
 * Clips one message of the user: the first and the last of the user's own sentences and those that
 * bind or ask stay, what was pasted goes first.
 */
import { cutAfter, cutBefore } from '../text/clip-line.ts'
import { reportsError } from './error-lines.ts'
import { isBinding, isQuestion, splitSentences } from './sentences.ts'

interface WordUnit {
  /** As in the message, the white space after it included. */
  readonly text: string
  readonly isOwn: boolean
}

// A beginning of a sentence in fewer tokens says nothing.
const SHORTEST_PIECE = 12
// Most text has fewer characters to a token.
const LONGEST_TOKEN = 12

/**
 * In at most about `limitTokens`, as `countTokens` counts. If something is cut, a mark contains the
 * number of characters.
 */
export function clipWords(
  text: string,
  limitTokens: number,
  countTokens: (text: string) => number,
): string {
  if (countUpTo(limitTokens, text, countTokens) <= limitTokens) return text
  const units = splitUnits(text)
  const chosen = new Set<number>()
  const markCost = countTokens(mark(LONGEST))
  let left = limitTokens - markCost
  for (const index of rankUnits(units)) {
    if (left < SHORTEST_PIECE) break
    // Counting is slow, so a text that is far too long is not counted.
    if (chosen.has(index) || units[index]!.text.length > left * LONGEST_TOKEN) continue
    const { start, end, joined } = joinNeighbours(index, units, chosen)
    const added = units.slice(start, end).filter((_, place) => !chosen.has(start + place))
    // Each gap has a mark: one more if it is separate, one less if it closes a gap.
    const cost = countTokens(added.map((unit) => unit.text).join('')) + (1 - joined) * markCost
    if (cost > left) continue
    left -= cost
    for (let place = start; place < end; place++) chosen.add(place)
  }
  if (chosen.size > 0) return renderUnits(units, chosen)
  // How many characters make a token is seen at the ends, which are what stays.
  const cutEnds = (length: number) => ({
    head: cutBefore(text, Math.ceil(length * HEAD_SHARE)).trimEnd(),
    tail: cutAfter(text, Math.floor(length * (1 - HEAD_SHARE))).trimStart(),
  })
  const wanted = Math.max(left, SHORTEST_PIECE)
  const sampled = Math.min(wanted * LONGEST_TOKEN, text.length)
  const sample = cutEnds(sampled)
  const fitting = Math.floor(
    (sampled * wanted) / Math.max(countTokens(sample.head) + countTokens(sample.tail), 1),
  )
  const { head, tail } = cutEnds(Math.max(Math.min(fitting, text.length - SHORTEST_CUT), 1))
  const cut = text.slice(head.length, text.length - tail.length)
  return `${head} ${mark(countCut(cut))} ${tail}`
}

const GROWTH = 8

/**
 * The tokens of a text, exact up to `most`. A longer text is only counted until that is certain.
 */
export function countUpTo(
  most: number,
  text: string,
  countTokens: (text: string) => number,
): number {
  for (let length = (most + 1) * LONGEST_TOKEN; length < text.length; length *= GROWTH) {
    const count = countTokens(cutBefore(text, length))
    if (count > most) return count
  }
  return countTokens(text)
}

const LONGEST = 1e6
// Twice what the mark takes: a shorter cut saves next to nothing.
const SHORTEST_CUT = 60
const HEAD_SHARE = 0.7

const mark = (characters: number): string => `[… ${characters} characters cut …]`

const CUT = /\[… (\d{1,15}) characters cut …\]/

/** With what was cut out of it before. */
const countCut = (text: string): number =>
  text
    .split(CUT)
    .reduce((sum, piece, place) => sum + (place % 2 === 0 ? piece.length : Number(piece)), 0)

// A longer message is a document that was handed over.
const LONGEST_TYPED = 6_000

/** The sentences that the user typed in a message. None from a document. */
export function readOwnSentences(text: string): string[] {
  if (text.length > LONGEST_TYPED) return []
  return splitUnits(text).flatMap((unit) =>
    unit.isOwn ? [unit.text.trim().replace(LIST_MARK, '')] : [],
  )
}

const CLIPPED_HEAD = 60

/** The beginning of a message, which clipping keeps. It identifies what remains of the message. */
export const beginningOf = (text: string): string => text.slice(0, CLIPPED_HEAD)

/** Whether a text was clipped by `clipWords`. */
export const isClipped = (text: string): boolean => CUT.test(text)

function splitUnits(text: string): WordUnit[] {
  const lines = text.split('\n')
  const own = findOwnLines(lines)
  return lines.flatMap((line, index): WordUnit[] => {
    const end = index < lines.length - 1 ? '\n' : ''
    if (!own[index]) return [{ text: line + end, isOwn: false }]
    const units: WordUnit[] = []
    let position = 0
    for (const sentence of splitSentences(line)) {
      const start = line.indexOf(sentence, position)
      const next = start + sentence.length
      units.push({ text: line.slice(position, next), isOwn: true })
      position = next
    }
    const rest = line.slice(position) + end
    const last = units.pop()
    return [...units, { text: (last?.text ?? '') + rest, isOwn: last !== undefined }]
  })
}

const MOST_ERRORS = 2

/** The first errors in pasted text. Users paste a log for them. */
function findErrors(units: readonly WordUnit[]): ReadonlySet<number> {
  const errors = new Map<string, number>()
  for (const [index, { text, isOwn }] of units.entries()) {
    const key = text.trim().replace(/\d+/g, '0')
    if (!isOwn && !errors.has(key) && reportsError(text.trim())) errors.set(key, index)
    if (errors.size === MOST_ERRORS) break
  }
  return new Set(errors.values())
}

/**
 * The order: first, last, binding and asking sentences, pasted errors, then other own ones, then
 * other pasted text from its beginning.
 */
function rankUnits(units: readonly WordUnit[]): number[] {
  const first = units.findIndex(({ isOwn }) => isOwn)
  const last = units.findLastIndex(({ isOwn }) => isOwn)
  const times = new Map<string, number>()
  for (const { text } of units) times.set(text.trim(), (times.get(text.trim()) ?? 0) + 1)
  // A user asks once, and programs repeat "Did you mean this?".
  const asks = (sentence: string) => isQuestion(sentence) && times.get(sentence) === 1
  const errors = findErrors(units)
  const rankOf = ({ text, isOwn }: WordUnit, index: number) => {
    if (!isOwn) return errors.has(index) ? 2.5 : 4
    if (index === first) return 0
    if (index === last) return 1
    return isBinding(text) || asks(text.trim()) ? 2 : 3
  }
  const ranks = units.map(rankOf)
  const said = units.flatMap(({ text }, index) => (text.trim() === '' ? [] : [index]))
  return said.sort((a, b) => ranks[a]! - ranks[b]! || a - b)
}

/**
 * What is chosen together with a unit. It includes text that is too short to be cut, between it and
 * another chosen unit or an end of the message.
 */
function joinNeighbours(index: number, units: readonly WordUnit[], chosen: ReadonlySet<number>) {
  let joined = 0
  const reach = (step: 1 | -1): number => {
    let length = 0
    for (let place = index + step; ; place += step) {
      const unit = units[place]
      if (unit === undefined || chosen.has(place)) {
        joined++
        return place - step
      }
      length += unit.text.length
      if (length >= SHORTEST_CUT) return index
    }
  }
  return { start: reach(-1), end: reach(1) + 1, joined }
}

function renderUnits(units: readonly WordUnit[], chosen: ReadonlySet<number>): string {
  let text = ''
  let cut = ''
  const close = () => {
    // An empty line between kept sentences is not a loss.
    if (cut.trim() === '') text += cut
    else text = `${text.trimEnd()} ${mark(countCut(cut))} `
    cut = ''
  }
  units.forEach((unit, index) => {
    if (!chosen.has(index)) {
      cut += unit.text
      return
    }
    close()
    text += unit.text
  })
  close()
  return text.trim()
}

const FENCE = /^\s*(?:```|~~~)/
// What an agent's screen shows before its words and its output, which go on below with an indent:
// `⏺ Read 2 files`, `  ⎿  Added 3 lines`.
const AGENT_SCREEN = /^\s*[⏺⎿]/
const GOES_ON = /^(?: {2}|\t|$)/
const ELEMENT = /^\s*<([A-Za-z][\w-]{0,60})(?:[ >\n]|$)/
// Prompts, time stamps, line numbers, levels, tags of tools, tables, diffs, stack frames, code.
const DATA =
  /^\s*(?:[❯➜$#%>|┃│┌└├+@]|\[[\w:. -]{1,40}\]|\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|\d{1,6}(?:→|:[^\s\w])|\d{3,6}:\s|(?:target|source|remote|stderr|stdout):|(?:error|warn|warning|info|debug|fatal|FAIL|ok|PASS)\b:?\s{1,8}\S{0,80}[:/[]|at \S{1,200} \(|---|===|\/\/|\/\*|"[\w-]{1,40}":|(?:const|let|var|func|def|class|import|export|return|package) \S)|[{};]\s*$|\blevel=|=>|for more information|^\s*[\w./-]{1,80}:\d{1,6}(?::|\b)/i
const LIST_MARK = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/
const LONGEST_LINE = 4_000

/**
 * For each line of a message whether it was typed: not in a fence or an element, and without the
 * shape of data.
 */
function findOwnLines(lines: readonly string[]): boolean[] {
  const closings = findLastClosings(lines)
  let fenced = false
  let element: string | undefined
  let isScreen = false
  return lines.map((line, index) => {
    isScreen = AGENT_SCREEN.test(line) || (isScreen && GOES_ON.test(line))
    if (element !== undefined) {
      if (line.includes(`</${element}>`)) element = undefined
      return false
    }
    const opening = ELEMENT.exec(line)?.[1]
    if (FENCE.test(line)) {
      fenced = !fenced
      return false
    }
    if (isScreen || fenced || line.length > LONGEST_LINE || line.trim() === '') return false
    if (opening !== undefined && (closings.get(opening) ?? -1) >= index) {
      if (!line.includes(`</${opening}>`)) element = opening
      return false
    }
    return !looksLikeData(line)
  })
}

/** The last line on which each element is closed, so that one which never is hides nothing. */
function findLastClosings(lines: readonly string[]): Map<string, number> {
  const last = new Map<string, number>()
  lines.forEach((line, index) => {
    if (!line.includes('</')) return
    for (const [, name] of line.slice(0, LONGEST_LINE).matchAll(/<\/([A-Za-z][\w-]{0,60})>/g))
      if (name) last.set(name, index)
  })
  return last
}

function looksLikeData(line: string): boolean {
  if (/^(?: {4,}|\t)\S/.test(line) && !LIST_MARK.test(line)) return true
  return DATA.test(line)
}
