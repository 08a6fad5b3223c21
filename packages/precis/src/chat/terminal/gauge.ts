/**
 * The context window as a bar: what fills it by kind, what is free, and what is kept for the answer.
 *
 *   ssqqqaaaarrttttttttt·············┊·····▒▒▒▒▒▒▒▒
 *                                    └ from here on it is compressed
 */
import stringWidth from 'string-width'
import { renderCount, renderShare } from '../../terminal/render.ts'
import { CONTENT_KINDS, type ContentKind } from './content-kinds.ts'
import type { WindowContents } from './context-contents.ts'
import type { Palette } from './palette.ts'

const FULL = '█'
const FREE = '·'
const THRESHOLD = '┊'
const RESERVE = '▒'

export function renderGauge(contents: WindowContents, width: number, palette: Palette): string {
  const { windowTokens, thresholdTokens, reserveTokens, kinds } = contents
  const toCell = (tokens: number) => Math.round((Math.min(tokens, windowTokens) / Math.max(windowTokens, 1)) * width)
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
  // Anything at all shows.
  if (cell === 0 && tokens > 0 && width > 0) {
    bar += palette.kinds.requests(palette.hasColors ? '▏' : '.')
    cell = 1
  }
  const reserve = Math.max(cell, width - toCell(reserveTokens))
  const threshold = toCell(thresholdTokens)
  let rest = ''
  for (; cell < width; cell++) rest += cell === threshold ? THRESHOLD : cell < reserve ? FREE : RESERVE
  return bar + palette.quiet(rest)
}

/** "requests 2k", one after the other, with the colour or the letter of each; as much of it as fits, or nothing. */
export function renderLegend(contents: WindowContents, columns: number, palette: Palette): string {
  const { kinds, tokens, windowTokens, reserveTokens } = contents
  const list = (isShort: boolean) =>
    CONTENT_KINDS.filter(({ kind }) => kinds[kind] > 0).map(({ kind, name, shortName, letter }) => {
      const label = `${isShort ? shortName : name} ${renderShort(kinds[kind])}`
      return `${palette.kinds[kind](palette.hasColors ? '■' : letter)} ${palette.quiet(label)}`
    })
  const free = `${FREE} free ${renderShort(Math.max(windowTokens - tokens - reserveTokens, 0))}`
  const rest = palette.quiet(`${free}  ${RESERVE} reserve ${renderShort(reserveTokens)}`)
  const forms = [[...list(false), rest], [...list(true), palette.quiet(free)], list(true)].map((parts) =>
    parts.join('  '),
  )
  return forms.find((form) => stringWidth(form) <= columns) ?? ''
}

/** A row for each kind, with its share of the window. */
export function listContents(
  contents: WindowContents,
): { name: string; letter: string; kind?: ContentKind; tokens: number }[] {
  const { kinds, tokens, windowTokens, reserveTokens } = contents
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

/** 950, 3.4k, 128k, 1.1M: three digits at most. */
export function renderShort(count: number): string {
  if (count < 1000) return renderCount(count)
  const isLarge = count >= 999_500
  const value = count / (isLarge ? 1_000_000 : 1000)
  return `${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${isLarge ? 'M' : 'k'}`
}
