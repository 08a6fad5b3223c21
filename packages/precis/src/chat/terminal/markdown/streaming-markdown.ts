/**
 * An answer that grows. What can change no more is rendered once; only the open end is rendered again.
 *
 *   paragraph ¶ list ¶ ```code … ``` ¶ par‸
 *   └──────────── settled ───────────┘ └ open
 */
import type { Colors } from '../../../terminal/render.ts'
import { closesFence, type Fence, readFence } from './blocks.ts'
import { renderMarkdown } from './render-markdown.ts'

export interface StreamingMarkdown {
  append(delta: string): void
  /** All that was appended. */
  text(): string
  render(columns: number, colors: Colors): readonly string[]
}

interface Piece {
  readonly text: string
  /** The code that an earlier piece began and this one goes on with. */
  readonly inside: Fence | undefined
}

// An open end that is longer is settled wherever a line ends, so that rendering it again stays cheap.
const MAX_OPEN_LENGTH = 16_000

export function createStreamingMarkdown(initial = ''): StreamingMarkdown {
  const deltas: string[] = []
  const settled: Piece[] = []
  let open = ''
  let scanned = 0
  let fence: Fence | undefined
  let inside: Fence | undefined
  let cache: { columns: number; pieces: number; lines: string[] } | undefined

  const settle = (end: number, next: Fence | undefined) => {
    settled.push({ text: open.slice(0, end), inside })
    open = open.slice(end)
    scanned -= end
    inside = next
  }
  /** Looks at each whole line once. */
  const scan = () => {
    for (let end = open.indexOf('\n', scanned); end >= 0; end = open.indexOf('\n', scanned)) {
      const line = open.slice(scanned, end)
      scanned = end + 1
      if (fence) {
        if (closesFence(line, fence)) fence = undefined
      } else fence = readFence(line)
      const isLong = scanned > MAX_OPEN_LENGTH
      if ((line.trim() === '' && !fence) || isLong) settle(scanned, isLong ? fence : undefined)
    }
    while (open.length > 2 * MAX_OPEN_LENGTH) {
      scanned = Math.max(scanned, MAX_OPEN_LENGTH)
      settle(MAX_OPEN_LENGTH, fence)
    }
  }
  const append = (delta: string) => {
    deltas.push(delta)
    open += delta
    scan()
  }
  const render = (columns: number, colors: Colors) => {
    if (cache?.columns !== columns) cache = { columns, pieces: 0, lines: [] }
    for (; cache.pieces < settled.length; cache.pieces++) {
      const piece = settled[cache.pieces]
      if (piece) addPiece(cache.lines, piece, columns, colors)
    }
    if (open.trim() === '') return cache.lines
    const lines = [...cache.lines]
    addPiece(lines, { text: open, inside }, columns, colors)
    return lines
  }
  append(initial)
  return { append, render, text: () => deltas.join('') }
}

function addPiece(lines: string[], { text, inside }: Piece, columns: number, colors: Colors): void {
  const added = renderMarkdown(text, columns, colors, inside)
  // The frame of code that goes on is not opened again.
  if (inside) added.shift()
  if (added.length > 0 && lines.length > 0 && !inside) lines.push('')
  for (const line of added) lines.push(line)
}
