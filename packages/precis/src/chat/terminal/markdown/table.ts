/** A table that fits: natural columns, else narrower ones with cells over several lines, else one record below the other. */
import stringWidth from 'string-width'
import type { Colors } from '../../../terminal/render.ts'
import { measureWidth, type Span, wrapSpans } from '../../../terminal/spans.ts'
import type { Block } from './blocks.ts'
import { renderInline } from './inline.ts'

type Table = Extract<Block, { type: 'table' }>

const GAP = ' │ '
const MIN_COLUMN = 8

export function renderMarkdownTable({ header, rows }: Table, columns: number, colors: Colors): string[] {
  const heading = header.map((cell) => renderInline(cell, colors, colors.bold))
  const body = rows.map((row) => row.map((cell) => renderInline(cell, colors)))
  const natural = heading.map((cell, index) =>
    Math.max(measureCell(cell), ...body.map((row) => measureCell(row[index] ?? []))),
  )
  const room = columns - GAP.length * (header.length - 1)
  const widths = narrow(natural, room)
  if (!widths) return renderRecords(header, body, columns, colors)
  const rule = colors.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'))
  const gap = colors.dim(GAP)
  return [...renderRow(heading, widths, gap), rule, ...body.flatMap((row) => renderRow(row, widths, gap))]
}

function measureCell(cell: readonly Span[]): number {
  return cell.reduce((sum, { text }) => sum + measureWidth(text), 0)
}

/** Takes from the widest columns until all fit; undefined when they would become too narrow to read. */
function narrow(natural: readonly number[], room: number): number[] | undefined {
  const total = natural.reduce((a, b) => a + b, 0)
  if (total <= room) return [...natural]
  const fair = Math.floor(room / natural.length)
  if (fair < MIN_COLUMN) return undefined
  const slim = natural.map((width) => Math.min(width, fair))
  let left = room - slim.reduce((a, b) => a + b, 0)
  return slim.map((width, index) => {
    const more = Math.min(left, (natural[index] ?? width) - width)
    left -= more
    return width + more
  })
}

function renderRow(cells: readonly (readonly Span[])[], widths: readonly number[], gap: string): string[] {
  const wrapped = widths.map((width, index) => wrapSpans(cells[index] ?? [], width))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, index) => {
        const text = wrapped[index]?.[line] ?? ''
        return text + ' '.repeat(Math.max(width - stringWidth(text), 0))
      })
      .join(gap)
      .trimEnd(),
  )
}

function renderRecords(
  header: readonly string[],
  body: readonly (readonly (readonly Span[])[])[],
  columns: number,
  colors: Colors,
): string[] {
  const names = header.map((name) => renderInline(name, colors, colors.dim))
  return body.flatMap((row, index) => [
    ...(index > 0 ? [colors.dim('┄'.repeat(Math.min(columns, 12)))] : []),
    ...row.flatMap((cell, column) =>
      wrapSpans([...(names[column] ?? []), { text: ' ' }, ...cell], columns, { first: '', rest: '  ' }),
    ),
  ])
}
