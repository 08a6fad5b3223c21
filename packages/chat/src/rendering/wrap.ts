/** Styled text as lines: a style is closed where a line ends, and opened again on the next one. */
import { truncateToWidth, visibleWidth } from '@mariozechner/pi-tui'
import wrapAnsi from 'wrap-ansi'

/** Text before the first line and before those that follow, styles included. */
export interface Indent {
  readonly first?: string
  readonly rest?: string
}

/** A space at which no line breaks; it comes out as any other. */
export const JOINING_SPACE = '\u00a0'
// For private use, so that it means nothing elsewhere: spaces at the start of a line would be taken
// off.
const LEADING_SPACE = '\u{f5f5f}'
const KEPT_SPACES = new RegExp(`[${JOINING_SPACE}${LEADING_SPACE}]`, 'gu')

/**
 * Breaks at spaces, and inside a word only when it is wider than a line. Line feeds stay, and
 * spaces at the start of a line.
 */
export function wrapText(
  text: string,
  columns: number,
  { first = '', rest = first }: Indent = {},
): string[] {
  const room = Math.max(columns - Math.max(visibleWidth(first), visibleWidth(rest)), 1)
  const kept = text.replace(/^ +/gm, (spaces) => LEADING_SPACE.repeat(spaces.length))
  const lines = wrapAnsi(kept, room, { hard: true }).replace(KEPT_SPACES, ' ').split('\n')
  return lines.map((line, index) => ((index === 0 ? first : rest) + line).trimEnd())
}

/** Breaks anywhere: for code, where spaces count. */
export function wrapExactly(text: string, columns: number): string[] {
  return wrapAnsi(text, Math.max(columns, 1), { hard: true, wordWrap: false, trim: false }).split(
    '\n',
  )
}

/** A line too wide would end the screen; widths of rare characters are in dispute. */
export function fit(line: string, columns: number): string {
  // The screen library takes these two apart when it writes, and measures again.
  const written = line.replaceAll('\u0e33', '\u0e4d\u0e32').replaceAll('\u0eb3', '\u0ecd\u0eb2')
  if (visibleWidth(written) <= columns) return line
  let cut = truncateToWidth(written, columns, '')
  for (let room = columns - 1; room > 0 && visibleWidth(cut) > columns; room--)
    cut = truncateToWidth(written, room, '')
  return cut
}
