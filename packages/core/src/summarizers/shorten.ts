import { bisect } from '../conversation/lists.ts'

/** The largest excess that is cut off, as a share of the limit. More is written again. */
const LARGEST_EXCESS = 1 / 3

/**
 * The text without the ends of its sections, so that it fits. The last section gives first, and no
 * section gives more than half of itself. It ends after a sentence, a line or a row of a table,
 * never inside a fence. Undefined if the text is more than a third too long, or cannot be cut.
 *
 *     ## Where things stand    ████████████████████   gives second
 *     ## The conversation      ██████████████▒▒▒▒▒▒   gives first
 */
export function shorten(
  text: string,
  limitTokens: number,
  countTokens: (text: string) => number,
): string | undefined {
  if (countTokens(text) > limitTokens * (1 + LARGEST_EXCESS)) return undefined
  let sections = splitSections(text)
  for (let at = sections.length - 1; at >= 0; at--) {
    const section = sections[at]!
    const most = section.length - countFewest(section)
    const without = (count: number) =>
      sections.map((other, index) => (index === at ? cut(section, count) : other))
    const removed = bisect(most + 1, (count) => countTokens(render(without(count))) <= limitTokens)
    sections = without(Math.min(removed, most))
    if (removed <= most) return render(sections)
  }
  return undefined
}

/** A sentence, a line, a row or a fence, with the space after it. */
type Section = readonly string[]

const render = (sections: readonly Section[]): string =>
  sections.map((pieces) => pieces.join('').trimEnd()).join('\n\n')

// What only announces what follows it.
const OPENING = /^\s*#{1,6} |:\s*$/

/** The heading of a section always stays. */
function cut(section: Section, count: number): Section {
  if (count === 0) return section
  let end = section.length - count
  while (end > 1 && (section[end - 1]!.trim() === '' || OPENING.test(section[end - 1]!))) end--
  return section.slice(0, end)
}

/** How many pieces are half of a section. */
function countFewest(section: Section): number {
  let missing = section.reduce((sum, piece) => sum + piece.length, 0) / 2
  let count = 0
  while (missing > 0) missing -= section[count++]!.length
  return count
}

const HEADING = /^#{1,2} /
const FENCE = /^\s{0,3}(`{3,}|~{3,})/
const ROW = /^\s{0,9}\|/
// The names of its columns, the line below them and one row.
const LEAST_ROWS = 3

function splitSections(text: string): Section[] {
  const sections: string[][] = [[]]
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const end = findBlockEnd(lines, at)
    if (HEADING.test(line) && sections.at(-1)!.length > 0) sections.push([])
    const section = sections.at(-1)!
    if (FENCE.test(line)) section.push(lines.slice(at, end).join(''))
    else if (ROW.test(line)) {
      const body = Math.min(at + LEAST_ROWS, end)
      section.push(lines.slice(at, body).join(''), ...lines.slice(body, end))
    } else section.push(...splitSentences(line))
    at = end
  }
  return sections
}

/** After the fence or the table that a line begins, or after the line. */
function findBlockEnd(lines: readonly string[], start: number): number {
  const mark = FENCE.exec(lines[start]!)?.[1]
  const isRow = ROW.test(lines[start]!)
  let end = start + 1
  if (isRow) while (end < lines.length && ROW.test(lines[end]!)) end++
  if (mark === undefined) return end
  while (end < lines.length && !lines[end]!.trimStart().startsWith(mark)) end++
  return Math.min(end + 1, lines.length)
}

const END = /[.!?]["'’”)\]*_`]{0,4}(?=\s+(\S))|[。！？]/gu
// The dot of "1." ends no sentence.
const ONLY_MARKER = /^\s{0,9}\d{1,3}\.$/

/** An end before a small letter is that of "e.g.", and one between backticks belongs to code. */
function splitSentences(line: string): string[] {
  const pieces: string[] = []
  let start = 0
  let isCode = false
  let seen = 0
  for (const { 0: mark, 1: next = '', index } of line.matchAll(END)) {
    for (; seen < index + mark.length; seen++) if (line[seen] === '`') isCode = !isCode
    const before = line.slice(start, seen)
    if (isCode || /\p{Ll}/u.test(next) || ONLY_MARKER.test(before)) continue
    pieces.push(before)
    start = seen
  }
  return [...pieces, line.slice(start)].filter((piece) => piece !== '')
}
