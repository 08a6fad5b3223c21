/** What a write would change, for the person to say yes or no to. */
import { compareLines, type DiffLine } from '../../terminal/compare-lines.ts'

const CONTEXT_LINES = 3
const MOST_LINES = 400

/** Changed lines with `+` and `-`, and three unchanged ones around them; cut off after 400 lines. */
export function renderDiff(before: string, after: string): string {
  const all = compareLines(splitLines(before), splitLines(after))
  const isChange = ({ mark }: DiffLine) => mark !== ' '
  const last = all.findLastIndex(isChange)
  // Where only the break at the end of the file changes, its last lines.
  const first = last < 0 ? all.length : all.findIndex(isChange)
  const near = all.slice(Math.max(0, first - CONTEXT_LINES), Math.max(first, last) + CONTEXT_LINES + 1)
  const lines = foldUnchanged(near).map(({ mark, text }) => `${mark}${text}`)
  if (lines.length <= MOST_LINES) return lines.join('\n')
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`].join('\n')
}

function splitLines(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Long unchanged stretches between two changes become one line. */
function foldUnchanged(lines: readonly DiffLine[]): DiffLine[] {
  const folded: DiffLine[] = []
  for (let at = 0; at < lines.length; ) {
    let end = at
    while (end < lines.length && lines[end]?.mark === ' ') end++
    if (end - at > 2 * CONTEXT_LINES + 1) {
      const hidden = end - at - 2 * CONTEXT_LINES
      folded.push(...lines.slice(at, at + CONTEXT_LINES), { mark: ' ', text: `… ${hidden} unchanged lines` })
      folded.push(...lines.slice(end - CONTEXT_LINES, end))
    } else {
      folded.push(...lines.slice(at, end))
    }
    for (at = end; at < lines.length && lines[at]?.mark !== ' '; at++) {
      const line = lines[at]
      if (line) folded.push(line)
    }
  }
  return folded
}
