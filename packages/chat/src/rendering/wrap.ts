/**
 * Styled text as lines. A style is closed at the end of a line, and opened again on the next one.
 */
import { truncateToWidth, visibleWidth } from '@mariozechner/pi-tui'
import wrapAnsi from 'wrap-ansi'

/** Text before the first line and before the later lines, including styles. */
export interface Indent {
  readonly first?: string
  readonly rest?: string
}

/** A space at which no line breaks. It is printed like any other. */
export const JOINING_SPACE = '\u00a0'
// A private-use character, so it has no other meaning. Real spaces at the start of a line would be
// removed.
const LEADING_SPACE = '\u{f5f5f}'
const KEPT_SPACES = new RegExp(`[${JOINING_SPACE}${LEADING_SPACE}]`, 'gu')

/**
 * Breaks at spaces, and inside a word only if the word is wider than a line. Keeps line feeds, and
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

/** Breaks anywhere. For code, where spaces matter. */
export function wrapExactly(text: string, columns: number): string[] {
  return wrapAnsi(text, Math.max(columns, 1), { hard: true, wordWrap: false, trim: false }).split(
    '\n',
  )
}

/**
 * A line that is too wide would end the screen, and libraries disagree about the width of rare
 * characters.
 */
export function fit(line: string, columns: number): string {
  // The screen library splits these two when it writes, and measures again.
  const written = line.replaceAll('\u0e33', '\u0e4d\u0e32').replaceAll('\u0eb3', '\u0ecd\u0eb2')
  if (visibleWidth(written) <= columns) return line
  let cut = truncateToWidth(written, columns, '')
  for (let room = columns - 1; room > 0 && visibleWidth(cut) > columns; room--)
    cut = truncateToWidth(written, room, '')
  return cut
}
