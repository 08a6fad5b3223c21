/** The transcript as lines. Old entries are left to the terminal's own scrollback. */

import type { ChatEntry, Palette } from '../rendering/chat-view.ts'
import { fit } from '../rendering/wrap.ts'

const MAX_ENTRIES = 400
const KEPT_ENTRIES = 250
// Words break at other places if the width changes.
const OVERLAP_LINES = 3

interface RenderedRows {
  readonly version: number
  readonly columns: number
  readonly lines: readonly string[]
}

export class ScreenTranscript {
  readonly #palette: Palette
  #entries: ChatEntry[] = []
  #rendered = new Map<ChatEntry, RenderedRows>()
  #now: ScreenLayout = { starts: [], lines: 0 }
  #before = this.#now

  constructor(palette: Palette) {
    this.#palette = palette
  }

  add(entry: ChatEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length <= MAX_ENTRIES) return
    this.#entries = this.#entries.slice(-KEPT_ENTRIES)
    this.#rendered = new Map([...this.#rendered].filter(([kept]) => this.#entries.includes(kept)))
  }

  clear(): void {
    this.#entries = []
    this.invalidate()
  }

  invalidate(): void {
    this.#rendered = new Map()
  }

  render(columns: number): string[] {
    const starts: number[] = []
    const lines: string[] = []
    let last: ChatEntry | undefined
    for (const entry of this.#entries) {
      const own = this.#renderEntry(entry, columns)
      const isTight = last?.kind === 'tool' && entry.kind === 'tool'
      if (own.length > 0 && last && !isTight) lines.push('')
      starts.push(lines.length)
      for (const line of own) lines.push(line)
      if (own.length > 0) last = entry
    }
    if (lines.length > 0) lines.push('')
    this.#before = this.#now
    this.#now = { starts, lines: lines.length }
    return lines
  }

  /**
   * The approximate new line of what was at a line of the previous rendering, and never a later
   * line.
   */
  findLine(lineBefore: number): number {
    const { starts } = this.#before
    const next = starts.findIndex((start) => start > lineBefore)
    const index = (next < 0 ? starts.length : next) - 1
    const share =
      (lineBefore - (starts[index] ?? 0)) / Math.max(measureEntry(this.#before, index), 1)
    const line = Math.floor(share * measureEntry(this.#now, index)) - OVERLAP_LINES
    return (this.#now.starts[index] ?? 0) + Math.max(line, 0)
  }

  #renderEntry(entry: ChatEntry, columns: number): readonly string[] {
    const known = this.#rendered.get(entry)
    if (known && known.version === entry.version && known.columns === columns) return known.lines
    const lines = entry.render(columns, this.#palette).map((line) => fit(line, columns))
    this.#rendered.set(entry, { version: entry.version, columns, lines })
    return lines
  }
}

interface ScreenLayout {
  /** First line of each entry. */
  readonly starts: readonly number[]
  readonly lines: number
}

function measureEntry({ starts, lines }: ScreenLayout, index: number): number {
  return (starts[index + 1] ?? lines) - (starts[index] ?? 0)
}
