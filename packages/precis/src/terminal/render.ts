/** Strings for people. Nothing here prints. */
import type picocolors from 'picocolors'
import stringWidth from 'string-width'
import { renderLocalTime } from '../sessions/local-time.ts'
import { cutStartToWidth, cutToWidth } from './terminal-text.ts'

export type Colors = ReturnType<typeof picocolors.createColors>

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Gives way when the table is too wide, down to this many columns of the terminal. */
  readonly shrinkTo?: number
  /** Left out on a terminal of fewer columns. */
  readonly hideBelow?: number
  /** What is too long loses its beginning, as a path, and not its end. */
  readonly keepsEnd?: boolean
  readonly style?: (text: string) => string
}

export interface Table {
  readonly columns: readonly Column[]
  /** Cells are plain text; a column's style is put around the padded cell. */
  readonly rows: readonly (readonly string[])[]
}

const GAP = '  '
const INDENT = '  '

/** Lines no wider than `width`, with a heading. */
export function renderTable(table: Table, width: number, colors: Colors): string {
  const { columns, rows } = leaveOutColumns(table, width)
  const natural = columns.map(({ title }, column) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[column] ?? ''))),
  )
  const widths = shrinkWidths(columns, natural, width - INDENT.length - GAP.length * (columns.length - 1))
  const line = (cells: readonly string[], style: (column: Column) => (text: string) => string) =>
    (
      INDENT +
      columns.map((column, index) => style(column)(pad(cells[index] ?? '', widths[index] ?? 0, column))).join(GAP)
    ).trimEnd()
  const heading = line(
    columns.map(({ title }) => title),
    () => colors.dim,
  )
  return [heading, ...rows.map((row) => line(row, ({ style }) => style ?? String))].join('\n')
}

function leaveOutColumns(table: Table, width: number): Table {
  const isShown = (index: number) => (table.columns[index]?.hideBelow ?? 0) <= width
  if (table.columns.every((_, index) => isShown(index))) return table
  return {
    columns: table.columns.filter((_, index) => isShown(index)),
    rows: table.rows.map((cells) => cells.filter((_, index) => isShown(index))),
  }
}

/** Takes from the columns that may shrink, widest first. */
function shrinkWidths(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((a, b) => a + b, 0) - available
  while (excess > 0) {
    let widest = -1
    columns.forEach(({ shrinkTo }, index) => {
      const room = shrinkTo === undefined ? 0 : (widths[index] ?? 0) - shrinkTo
      if (room > 0 && (widest < 0 || (widths[index] ?? 0) > (widths[widest] ?? 0))) widest = index
    })
    if (widest < 0) break
    const taken = Math.min(
      excess,
      Math.max(1, Math.ceil(excess / columns.length)),
      (widths[widest] ?? 0) - (columns[widest]?.shrinkTo ?? 0),
    )
    widths[widest] = (widths[widest] ?? 0) - taken
    excess -= taken
  }
  return widths
}

function pad(text: string, width: number, { align = 'left', keepsEnd }: Column): string {
  const cut = keepsEnd ? cutStartToWidth(text, width) : cutToWidth(text, width)
  const space = ' '.repeat(Math.max(width - stringWidth(cut), 0))
  return align === 'right' ? space + cut : cut + space
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of `width` columns at fraction 1; never empty for something above nothing. */
export function renderBar(fraction: number, width: number): string {
  const eighths = Math.round(Math.min(Math.max(fraction, 0), 1) * width * 8)
  const visible = fraction > 0 ? Math.max(eighths, 1) : 0
  return '█'.repeat(Math.floor(visible / 8)) + (EIGHTHS[visible % 8] ?? '')
}

const NUMBERS = new Intl.NumberFormat('en-US')

export function renderCount(count: number): string {
  return NUMBERS.format(Math.round(count))
}

/** "1 message", "2 messages". */
export function renderPlural(count: number, noun: string): string {
  return `${renderCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function renderBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function renderShare(part: number, whole: number): string {
  if (whole <= 0) return '–'
  const percent = (part / whole) * 100
  if (part > 0 && percent < 1) return '<1 %'
  return `${Math.round(percent)} %`
}

export function renderDollars(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return '< $0.01'
  return `$${dollars.toFixed(2)}`
}

/** Local date and minute. */
export function renderTime(time: Date): string {
  return renderLocalTime(time).slice(0, 16).replace('T', ' ')
}

export function renderDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Short, for lists that have to fit a narrow terminal: `7m`, `3h`, `12d`. */
export function renderAge(ms: number): string {
  if (ms < HOUR_MS) return `${Math.max(Math.floor(ms / MINUTE_MS), 0)}m`
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`
}
