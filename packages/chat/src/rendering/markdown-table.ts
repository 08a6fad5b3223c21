import { visibleWidth } from '@mariozechner/pi-tui'
import type { Tokens } from 'marked'
import { type MarkdownPage, renderInline } from './markdown-inline.ts'
import { wrapText } from './wrap.ts'

const GAP = ' │ '

const MIN_CELL = 8

/**
 * A table that fits: natural columns, else narrower ones with cells over several lines, else one
 * record below the other.
 */
export function renderTable({ header, rows }: Tokens.Table, page: MarkdownPage): string[] {
  const { columns, colors } = page
  const heading = header.map(({ text }) => renderInline(text, page))
  const body = rows.map((row) => row.map(({ text }) => renderInline(text, page)))
  const natural = heading.map((cell, index) =>
    Math.max(visibleWidth(cell), ...body.map((row) => visibleWidth(row[index] ?? ''))),
  )
  const widths = narrow(natural, columns - GAP.length * (header.length - 1))
  if (!widths) return renderRecords(heading, body, page)
  const rule = colors.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'))
  const gap = colors.dim(GAP)
  const lines = body.flatMap((row) => renderRow(row, widths, gap))
  return [...renderRow(heading.map(colors.bold), widths, gap), rule, ...lines]
}

/** Narrows the widest columns until all fit. Undefined if they would become too narrow to read. */
function narrow(natural: readonly number[], room: number): number[] | undefined {
  const total = natural.reduce((a, b) => a + b, 0)
  if (total <= room) return [...natural]
  const fair = Math.floor(room / natural.length)
  if (fair < MIN_CELL) return undefined
  const slim = natural.map((width) => Math.min(width, fair))
  let left = room - slim.reduce((a, b) => a + b, 0)
  return slim.map((width, index) => {
    const more = Math.min(left, (natural[index] ?? width) - width)
    left -= more
    return width + more
  })
}

function renderRow(cells: readonly string[], widths: readonly number[], gap: string): string[] {
  const wrapped = widths.map((width, index) => wrapText(cells[index] ?? '', width))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  const pad = (text: string, width: number) =>
    text + ' '.repeat(Math.max(width - visibleWidth(text), 0))
  return Array.from({ length: height }, (_, line) => {
    const parts = widths.map((width, index) => pad(wrapped[index]?.[line] ?? '', width))
    return parts.join(gap).trimEnd()
  })
}

function renderRecords(
  header: readonly string[],
  body: readonly (readonly string[])[],
  page: MarkdownPage,
): string[] {
  const { columns, colors } = page
  return body.flatMap((row, index) => {
    const cells = row.map((cell, column) => `${colors.dim(header[column] ?? '')} ${cell}`)
    const lines = cells.flatMap((cell) => wrapText(cell, columns, { first: '', rest: '  ' }))
    return index > 0 ? [colors.dim('┄'.repeat(Math.min(columns, 12))), ...lines] : lines
  })
}
