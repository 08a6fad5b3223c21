/** All that was said, as lines. Old entries are left to the terminal's own scrollback. */
import { fit } from '../../terminal/fit.ts'
import type { Entry } from './entry.ts'
import type { Palette } from './palette.ts'

export interface Transcript {
  add(entry: Entry): void
  clear(): void
  invalidate(): void
  render(columns: number): string[]
  /** About where now stands what stood at a line of the rendering before, and never behind it. */
  findLine(lineBefore: number): number
}

const MAX_ENTRIES = 400
const KEPT_ENTRIES = 250
// Words break elsewhere at another width.
const OVERLAP_LINES = 3

interface Rendered {
  readonly version: number
  readonly columns: number
  readonly lines: readonly string[]
}

export function createTranscript(palette: Palette): Transcript {
  let entries: Entry[] = []
  let rendered = new Map<Entry, Rendered>()
  let now: Layout = { starts: [], lines: 0 }
  let before = now

  const renderEntry = (entry: Entry, columns: number): readonly string[] => {
    const known = rendered.get(entry)
    if (known && known.version === entry.version && known.columns === columns) return known.lines
    const lines = entry.render(columns, palette).map((line) => fit(line, columns))
    rendered.set(entry, { version: entry.version, columns, lines })
    return lines
  }
  return {
    add(entry) {
      entries.push(entry)
      if (entries.length <= MAX_ENTRIES) return
      entries = entries.slice(-KEPT_ENTRIES)
      rendered = new Map([...rendered].filter(([kept]) => entries.includes(kept)))
    },
    clear() {
      entries = []
      rendered = new Map()
    },
    invalidate() {
      rendered = new Map()
    },
    render(columns) {
      const starts: number[] = []
      const lines: string[] = []
      let last: Entry | undefined
      for (const entry of entries) {
        const own = renderEntry(entry, columns)
        if (own.length > 0 && last && !isTight(last, entry)) lines.push('')
        starts.push(lines.length)
        for (const line of own) lines.push(line)
        if (own.length > 0) last = entry
      }
      if (lines.length > 0) lines.push('')
      before = now
      now = { starts, lines: lines.length }
      return lines
    },
    findLine(lineBefore) {
      const next = before.starts.findIndex((start) => start > lineBefore)
      const index = (next < 0 ? before.starts.length : next) - 1
      const share = (lineBefore - (before.starts[index] ?? 0)) / Math.max(measureEntry(before, index), 1)
      const line = Math.floor(share * measureEntry(now, index)) - OVERLAP_LINES
      return (now.starts[index] ?? 0) + Math.max(line, 0)
    },
  }
}

interface Layout {
  /** First line of each entry. */
  readonly starts: readonly number[]
  readonly lines: number
}

function measureEntry({ starts, lines }: Layout, index: number): number {
  return (starts[index + 1] ?? lines) - (starts[index] ?? 0)
}

function isTight(last: Entry, entry: Entry): boolean {
  return last.kind === 'tool' && entry.kind === 'tool'
}
