/**
 * Strings for people. Nothing here prints. Session content is not ours: nothing of it may steer the
 * terminal it is printed on, and no secret of it is shown.
 */
import type { Receipt } from '@precis/core'
import { redactSecrets } from '@precis/core/secrets'
import { neutralizeLine, renderCount, renderPlural } from '@precis/core/text'
import stringWidth from 'fast-string-width'
import type picocolors from 'picocolors'
import { renderLocalTime, shortenHome } from '../files/user-folders.ts'

export {
  neutralizeLine,
  neutralizeText,
  renderAge,
  renderBytes,
  renderCount,
  renderDollars,
  renderJson,
  renderPlural,
  renderShare,
} from '@precis/core/text'

export type Colors = ReturnType<typeof picocolors.createColors>

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /**
   * Shrinks if the table is too wide, down to this many columns of the terminal. It shrinks further
   * if no column can be left out.
   */
  readonly shrinkTo?: number
  /** Left out if the table does not fit otherwise, the lowest first. */
  readonly leaves?: number
  /** A text that is too long loses its beginning, as a path, and not its end. */
  readonly keepsEnd?: boolean
  readonly style?: (text: string) => string
}

/** Size and colors of a terminal, or of its substitute. */
export interface Page {
  readonly columns: number
  readonly colors: Colors
}

/** A column of numbers. */
export function right(title: string): Column {
  return { title, align: 'right' }
}

const GAP = '  '
const INDENT = '  '

/**
 * Lines no wider than the page, with a heading. A column may be only its title. Cells are plain
 * text, and the style of a column is put around the padded cell.
 */
export function renderTable(
  titles: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
  { columns: width, colors }: Page,
): string {
  const { columns, widths } = fitColumns(
    titles.map((given, index) => {
      const column = typeof given === 'string' ? { title: given } : given
      const natural = rows.reduce(
        (most, row) => Math.max(most, stringWidth(row[index] ?? '')),
        stringWidth(column.title),
      )
      return { ...column, index, natural }
    }),
    width,
  )
  const line = (render: (column: (typeof columns)[number], pad: Pad) => string) => {
    const cells = columns.map((column, place) =>
      render(column, (text) =>
        padCell(text, widths[place] ?? 0, column, place === columns.length - 1),
      ),
    )
    return (INDENT + cells.join(GAP)).trimEnd()
  }
  return [
    line(({ title }, pad) => colors.dim(pad(title))),
    ...rows.map((row) => line(({ style = String, index }, pad) => style(pad(row[index] ?? '')))),
  ].join('\n')
}

type Pad = (text: string) => string

interface MeasuredColumn extends Column {
  readonly index: number
  /** As wide as its widest cell. */
  readonly natural: number
}

/** The columns that stay, with their widths. */
function fitColumns(all: readonly MeasuredColumn[], width: number) {
  let columns = all
  for (;;) {
    const available = width - INDENT.length - GAP.length * (columns.length - 1)
    const widths = shrinkWidths(columns, available, ({ shrinkTo }) => shrinkTo)
    if (sum(widths) <= available) return { columns, widths }
    const order = columns.flatMap(({ leaves }) => leaves ?? [])
    if (order.length === 0)
      return { columns, widths: shrinkWidths(columns, available, ({ shrinkTo }) => shrinkTo && 1) }
    const first = Math.min(...order)
    columns = columns.filter(({ leaves }) => leaves !== first)
  }
}

const sum = (widths: readonly number[]): number => widths.reduce((a, b) => a + b, 0)

/** Takes from the columns that may shrink, widest first. */
function shrinkWidths(
  columns: readonly MeasuredColumn[],
  available: number,
  findLeast: (column: Column) => number | undefined,
): number[] {
  const widths = columns.map(({ natural }) => natural)
  const least = columns.map((column) => findLeast(column) ?? Number.POSITIVE_INFINITY)
  let excess = sum(widths) - available
  while (excess > 0) {
    let widest = -1
    widths.forEach((width, index) => {
      if (width > (least[index] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0)))
        widest = index
    })
    if (widest < 0) break
    const width = widths[widest] ?? 0
    const taken = Math.min(
      excess,
      Math.max(1, Math.ceil(excess / columns.length)),
      width - (least[widest] ?? 0),
    )
    widths[widest] = width - taken
    excess -= taken
  }
  return widths
}

function padCell(text: string, width: number, column: Column, isLast: boolean): string {
  const { align = 'left', keepsEnd } = column
  const cut = cutToWidth(text, width, keepsEnd)
  if (isLast && align === 'left') return cut
  const space = ' '.repeat(Math.max(width - stringWidth(cut), 0))
  return align === 'right' ? space + cut : cut + space
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of `width` columns at fraction 1. Never empty for a fraction above 0. */
export function renderBar(fraction: number, width: number): string {
  const eighths = Math.round(Math.min(Math.max(fraction, 0), 1) * width * 8)
  const visible = fraction > 0 ? Math.max(eighths, 1) : 0
  return '█'.repeat(Math.floor(visible / 8)) + (EIGHTHS[visible % 8] ?? '')
}

/** `…/service-9/src` rather than `…rk/service-9/src`, if the last folder fits. */
function cutPath(path: string, columns: number): string {
  const end = path.slice(path.length - columns + 1)
  const at = end.indexOf('/')
  return `…${at < end.length - 1 ? end.slice(Math.max(at, 0)) : end}`
}

/** Local date and minute. */
export function renderTime(time: Date): string {
  return renderLocalTime(time).slice(0, 16).replace('T', ' ')
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** `640 ms`, `4.2 s`, `52 s`, `2 min 17 s`, `7.1 h` */
export function renderDuration(ms: number): string {
  if (ms < SECOND_MS - 0.5) return `${Math.round(ms)} ms`
  if (ms < 9.95 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  const seconds = Math.round(ms / SECOND_MS)
  if (seconds < 60) return `${seconds} s`
  return seconds < HOUR_MS / SECOND_MS
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${(ms / HOUR_MS).toFixed(1)} h`
}

const ASCII = /^[ -~]*$/

/**
 * Cuts to a width in terminal columns, with `…` in place of the removed text: the end, or the
 * beginning of a path.
 */
export function cutToWidth(text: string, columns: number, keepsEnd = false): string {
  // No character is wider than two columns and few need more than eight code units.
  const most = (columns + 1) * 16
  const part = keepsEnd ? text.slice(-most) : text.slice(0, most)
  if (part.length === text.length && stringWidth(text) <= columns) return text
  if (columns <= 0) return ''
  if (ASCII.test(part)) return keepsEnd ? cutPath(part, columns) : `${part.slice(0, columns - 1)}…`
  // One by one: of a long text few are asked for.
  const segments = new Intl.Segmenter().segment(part)
  let result = ''
  let width = 0
  for (const { segment } of keepsEnd ? Array.from(segments).reverse() : segments) {
    width += stringWidth(segment)
    if (width > columns - 1) break
    result = keepsEnd ? segment + result : result + segment
  }
  return keepsEnd ? `…${result}` : `${result}…`
}

/** Lines no wider than the page, broken between words. A word that is wider keeps its line. */
export function wrapText(text: string, columns: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const [, gap = '', word = ''] of text.matchAll(WORDS)) {
    const longer = line + gap + word
    if (line !== '' && stringWidth(indent + longer) > columns) {
      lines.push(indent + line)
      line = word
    } else line = longer
  }
  return [...lines, indent + line].join('\n')
}

// Between words there may be more than one space, and only a break removes them. A command in quotes
// is copied, so it is one word if it is short.
const WORDS = /(?<! )( *)(\(?"precis [^"]{1,40}"[^ ]*|[^ ]+)/g

// Colors may begin before the spaces.
const BEGINNING = /^((?:\p{Cc}\[[\d;]*m)*)( *)/u

/**
 * Breaks every line that is too wide between words. The rest is indented like the last column of the
 * line. What is indented further than a line above with a colon at its end is there to be copied, such
 * as a command, and stays in one line.
 */
export function wrapLines(text: string, columns: number): string {
  let copiedBelow: number | undefined
  const wrapped = text.split('\n').map((line) => {
    const [begin = '', colors = '', indent = ''] = BEGINNING.exec(line) ?? []
    if (indent.length <= (copiedBelow ?? 0)) copiedBelow = undefined
    const gapAt = line.trimEnd().lastIndexOf(GAP)
    const hasColumns = gapAt >= begin.length
    const isKept = (copiedBelow !== undefined && !hasColumns) || stringWidth(line) <= columns
    if (line.endsWith(':')) copiedBelow ??= indent.length
    if (isKept) return line
    const column = stringWidth(line.slice(0, gapAt)) + GAP.length
    const rest = ' '.repeat(hasColumns && column <= (columns * 2) / 3 ? column : indent.length)
    const [first = '', ...others] = wrapText(
      line.slice(begin.length),
      columns - indent.length,
    ).split('\n')
    return [
      colors + indent + first,
      ...(others.length > 0 ? [wrapText(others.join(' '), columns, rest)] : []),
    ].join('\n')
  })
  return wrapped.join('\n')
}

/** A preview of content: one line, safe, no wider than asked. */
export function renderPreview(text: string, columns: number): string {
  const beginning = redactSecrets(withoutSequences(text.slice(0, (columns + 1) * 32)))
  return cutToWidth(neutralizeLine(beginning).replace(/ {2,}/g, ' ').trim(), columns)
}

const ESCAPE = '\u001b'
const TERMINAL_SEQUENCE = new RegExp(`${ESCAPE}(?:\\[[0-9;:?]{0,40}[A-Za-z]|[()][A-Z0-9])`, 'g')

/** Without colors and cursor moves of terminals, in output of commands. */
export const withoutSequences = (text: string): string => text.replace(TERMINAL_SEQUENCE, '')

/** A path for people: whole, and with `~` for their home. */
export function renderPath(path: string): string {
  return neutralizeLine(shortenHome(path))
}

/**
 * A copy of the value with every text in it redacted. Objects that are not data, such as dates,
 * stay unchanged.
 */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redactValue(member)]),
  )
}

export const BEFORE_FIRST_MESSAGE = 'before your first message'

/** Turns count from 1, and `start` is what was before the first one. */
export function renderTurnNumber(turn: number): string {
  return turn === 0 ? 'start' : renderCount(turn)
}

/** The line of a receipt about the user's messages, in words. Empty if there are no messages. */
export function renderUserWords(words: Receipt['words']): string {
  const { total, verbatim, clipped, retrievable, missing } = words
  if (total === 0) return ''
  const counts = [
    [verbatim, 'word for word'],
    [clipped, 'shortened'],
    [retrievable, 'by recall'],
    [missing, 'gone'],
  ] as const
  const states = counts.flatMap(([count, state]) =>
    count > 0 ? [`${renderCount(count)} ${state}`] : [],
  )
  return `your words: ${renderPlural(total, 'message')}, ${verbatim === total ? 'all word for word' : states.join(', ')}`
}
