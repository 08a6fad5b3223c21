/** Bold, italic, struck, code and links of one block, in one pass: a mark opens only where a later one can close it. */
import type { Colors } from '../../../terminal/render.ts'
import type { Span, Style } from '../../../terminal/spans.ts'

interface Marks {
  bold: boolean
  italic: boolean
  struck: boolean
  /** Where the last of each mark stands. */
  readonly last: Map<string, number>
}

const SPECIAL = /[\\`*_~[<]/g
const ESCAPABLE = /[!-/:-@[-`{-~]/
const WORD = /[\p{L}\p{N}]/u
// Longer ones are text: nobody reads them as links.
const MAX_LINK_LENGTH = 2000

export function renderInline(text: string, colors: Colors, base: Style = String): Span[] {
  const spans: Span[] = []
  const marks: Marks = { bold: false, italic: false, struck: false, last: new Map() }
  const add = (piece: string, style?: Style) => {
    if (piece !== '') spans.push({ text: piece, style: combine(marks, colors, style ?? base) })
  }
  let position = 0
  while (position < text.length) {
    SPECIAL.lastIndex = position
    const next = SPECIAL.exec(text)?.index ?? text.length
    add(text.slice(position, next))
    position = next === text.length ? next : readSpecial(text, next, marks, colors, add)
  }
  return spans
}

type MarkName = 'bold' | 'italic' | 'struck'
type Add = (piece: string, style?: Style) => void

/** Takes what begins at `start`, and gives where the text goes on. */
function readSpecial(text: string, start: number, marks: Marks, colors: Colors, add: Add): number {
  const character = text[start] ?? ''
  if (character === '\\' && ESCAPABLE.test(text[start + 1] ?? '')) {
    add(text[start + 1] ?? '')
    return start + 2
  }
  if (character === '`') return readCode(text, start, colors, add)
  if (character === '[') return readLink(text, start, colors, add)
  const mark = readMark(text, start)
  if (mark && toggle(mark.name, text, start, mark.length, marks)) return start + mark.length
  const length = mark?.length ?? 1
  add(text.slice(start, start + length))
  return start + length
}

function readMark(text: string, start: number): { name: MarkName; length: number } | undefined {
  const pair = text.slice(start, start + 2)
  if (pair === '**' || pair === '__') return { name: 'bold', length: 2 }
  if (pair === '~~') return { name: 'struck', length: 2 }
  if (pair[0] === '*' || pair[0] === '_') return { name: 'italic', length: 1 }
  return undefined
}

/** False when the mark is only a character. */
function toggle(name: MarkName, text: string, start: number, length: number, marks: Marks): boolean {
  const before = text[start - 1] ?? ' '
  const after = text[start + length] ?? ' '
  const isUnderscore = text[start] === '_'
  if (marks[name]) {
    if (before.trim() === '' || (isUnderscore && WORD.test(after))) return false
    marks[name] = false
    return true
  }
  if (after.trim() === '' || (isUnderscore && WORD.test(before))) return false
  if (findLast(text, text.slice(start, start + length), marks) < start + length) return false
  marks[name] = true
  return true
}

/** Looked up once, so that a text of a thousand openings stays cheap. */
function findLast(text: string, mark: string, { last }: Marks): number {
  const known = last.get(mark) ?? text.lastIndexOf(mark)
  last.set(mark, known)
  return known
}

function readCode(text: string, start: number, colors: Colors, add: Add): number {
  let end = start
  while (text[end] === '`') end++
  const fence = text.slice(start, end)
  const close = text.slice(end, end + MAX_LINK_LENGTH).indexOf(fence)
  if (close < 0) {
    add(fence)
    return end
  }
  const inner = text.slice(end, end + close)
  const code = inner.trim() === '' ? inner : inner.trim()
  if (colors.isColorSupported) add(code, colors.cyan)
  else add(`\`${code}\``)
  return end + close + fence.length
}

function readLink(text: string, start: number, colors: Colors, add: Add): number {
  const window = text.slice(start, start + MAX_LINK_LENGTH)
  const middle = window.indexOf('](')
  const end = middle < 0 ? -1 : window.indexOf(')', middle)
  const label = window.slice(1, Math.max(middle, 1))
  if (end < 0 || label.includes('[')) {
    add('[')
    return start + 1
  }
  const address = window.slice(middle + 2, end)
  add(label || address, colors.underline)
  if (label !== '' && label !== address) add(` (${address})`, colors.dim)
  return start + end + 1
}

function combine({ bold, italic, struck }: Marks, colors: Colors, base: Style): Style {
  if (!bold && !italic && !struck) return base
  return (text) => {
    let styled = base(text)
    if (bold) styled = colors.bold(styled)
    if (italic) styled = colors.italic(styled)
    if (struck) styled = colors.strikethrough(styled)
    return styled
  }
}
