import { visibleWidth } from '@mariozechner/pi-tui'
import { renderCount, renderDollars, renderShare } from '@precis/core/text'
import { CONTENT_KINDS, type ContentKind, type Palette } from './chat-view.ts'
import type { WindowContents } from './context-contents.ts'

export interface Status {
  /** `provider/model`. */
  readonly model: string
  readonly contents: WindowContents
  /** Undefined if a price is unknown. */
  readonly dollars: number | undefined
}

const MIN_WIDE = 64
const MAX_GAUGE = 48
const MIN_GAUGE = 8

/**
 * The lines below the editor: model, gauge and cost on one line, and the legend of the gauge below
 * it if it fits.
 */
export function renderStatus(status: Status, columns: number, palette: Palette): string[] {
  const money = status.dollars === undefined ? '$?' : renderDollars(status.dollars)
  const { contents } = status
  const isWide = columns >= MIN_WIDE
  const third = Math.floor(columns / 3)
  const model = isWide
    ? palette.preview(status.model, third)
    : shortenModel(status.model, Math.max(third, 6), palette)
  const fill = isWide ? renderFill(contents) : renderShare(contents.tokens, contents.windowTokens)
  const gap = isWide ? '  ' : ' '
  const used = visibleWidth([model, fill, money].join(gap)) + gap.length + 1
  const gauge = Math.min(columns - used - 1, MAX_GAUGE)
  const isUrgent = contents.tokens >= contents.thresholdTokens
  const parts = [
    palette.strong(model),
    ...(gauge >= MIN_GAUGE ? [renderGauge(contents, gauge, palette)] : []),
    isUrgent ? palette.warning(fill) : fill,
    palette.quiet(money),
  ]
  const line = ` ${parts.join(gap)}`
  const legend = isWide ? renderLegend(contents, columns - 1, palette) : ''
  return legend === '' ? [line] : [line, ` ${legend}`]
}

/** The name, shortened: no provider, and no prefix that all of its models share. */
function shortenModel(name: string, columns: number, { cut, preview }: Palette): string {
  const model = preview(name.slice(name.lastIndexOf('/') + 1), 60)
  return cut(model.replace(/^(?:claude|gemini)-/, ''), columns)
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 120
const NARROW_COLUMNS = 60

/** A function is called at every drawing, for text that changes with time. */
export type ActivityLabel = string | (() => string)

/** The line of the running work: its duration, and how to end it. */
export function renderActivity(
  { label, startedAt }: { readonly label: ActivityLabel; readonly startedAt: number },
  queued: number,
  columns: number,
  { accent, quiet, cut }: Palette,
): string[] {
  const elapsedMs = performance.now() - startedAt
  const frame = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length] ?? ''
  const waiting =
    queued === 0 ? '' : columns < NARROW_COLUMNS ? ` · +${queued}` : ` · ${queued} waiting`
  const rest = ` · ${Math.floor(elapsedMs / 1000)} s · Esc cancels${waiting}`
  const shown = cut(
    typeof label === 'string' ? label : label(),
    Math.max(columns - rest.length - 3, 8),
  )
  return [`${accent(frame)} ${shown}${quiet(cut(rest, columns - 2 - shown.length))}`]
}

/** "34 s", "2 min 5 s", "1 h 2 min". */
export function renderWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const FULL = '█'
const FREE = '·'
const THRESHOLD = '┊'
const RESERVE = '▒'

/**
 * The context window as a bar: its contents by kind, the free part, and the part that is kept for
 * the answer.
 *
 *   ssqqqaaaarrttttttttt·············┊·····▒▒▒▒▒▒▒▒
 *                                    └ from here on it is compressed
 */
export function renderGauge(contents: WindowContents, width: number, palette: Palette): string {
  const { windowTokens, thresholdTokens, reserveTokens, kinds } = contents
  const toCell = (tokens: number) =>
    Math.round((Math.min(tokens, windowTokens) / Math.max(windowTokens, 1)) * width)
  let bar = ''
  let tokens = 0
  let cell = 0
  for (const { kind, letter } of CONTENT_KINDS) {
    tokens += kinds[kind]
    const end = Math.max(cell, toCell(tokens))
    const mark = palette.hasColors ? FULL : letter
    if (end > cell) bar += palette.kinds[kind](mark.repeat(end - cell))
    cell = end
  }
  // Any amount above zero is visible.
  if (cell === 0 && tokens > 0 && width > 0) {
    bar += palette.kinds.requests(palette.hasColors ? '▏' : '.')
    cell = 1
  }
  const reserve = Math.max(cell, width - toCell(reserveTokens))
  const threshold = toCell(thresholdTokens)
  let rest = ''
  for (; cell < width; cell++) {
    const mark = cell < reserve ? FREE : RESERVE
    rest += cell === threshold ? THRESHOLD : mark
  }
  return bar + palette.quiet(rest)
}

/** "requests 2k" for each kind, with its color or letter. As many as fit, or nothing. */
export function renderLegend(contents: WindowContents, columns: number, palette: Palette): string {
  const { kinds, tokens, windowTokens, reserveTokens } = contents
  const list = (isShort: boolean) =>
    CONTENT_KINDS.filter(({ kind }) => kinds[kind] > 0).map(({ kind, name, shortName, letter }) => {
      const label = `${isShort ? shortName : name} ${renderShort(kinds[kind])}`
      return `${palette.kinds[kind](palette.hasColors ? '■' : letter)} ${palette.quiet(label)}`
    })
  const free = `${FREE} free ${renderShort(Math.max(windowTokens - tokens - reserveTokens, 0))}`
  const rest = palette.quiet(`${free}  ${RESERVE} reserve ${renderShort(reserveTokens)}`)
  const forms = [[...list(false), rest], [...list(true), palette.quiet(free)], list(true)]
  return forms.map((parts) => parts.join('  ')).find((form) => visibleWidth(form) <= columns) ?? ''
}

interface ContentRow {
  readonly name: string
  readonly letter: string
  /** Undefined for parts without content. */
  readonly kind?: ContentKind
  readonly tokens: number
}

/** A row for each kind, with its share of the window. */
export function listContents({
  kinds,
  tokens,
  windowTokens,
  reserveTokens,
}: WindowContents): ContentRow[] {
  return [
    ...CONTENT_KINDS.map(({ kind, name, letter }) => ({ name, letter, kind, tokens: kinds[kind] })),
    { name: 'free', letter: FREE, tokens: Math.max(windowTokens - tokens - reserveTokens, 0) },
    { name: 'reserve', letter: RESERVE, tokens: reserveTokens },
  ].filter((row) => row.tokens > 0)
}

/** "34k of 200k · 17 %" */
export function renderFill({ tokens, windowTokens }: WindowContents): string {
  return `${renderShort(tokens)} of ${renderShort(windowTokens)} · ${renderShare(tokens, windowTokens)}`
}

/** 950, 3.4k, 128k, 1.1M: at most three digits. */
export function renderShort(count: number): string {
  if (count < 1000) return renderCount(count)
  const isLarge = count >= 999_500
  const value = count / (isLarge ? 1_000_000 : 1000)
  return `${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${isLarge ? 'M' : 'k'}`
}
