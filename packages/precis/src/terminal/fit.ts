import { truncateToWidth, visibleWidth } from '@mariozechner/pi-tui'

/** A line too wide would end the screen; widths of rare characters are in dispute. */
export function fit(line: string, columns: number): string {
  // The screen library takes these two apart when it writes, and measures again.
  const written = line.replaceAll('\u0e33', '\u0e4d\u0e32').replaceAll('\u0eb3', '\u0ecd\u0eb2')
  if (visibleWidth(written) <= columns) return line
  let cut = truncateToWidth(written, columns, '')
  for (let room = columns - 1; room > 0 && visibleWidth(cut) > columns; room--) cut = truncateToWidth(written, room, '')
  return cut
}
