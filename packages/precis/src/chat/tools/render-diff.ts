/** What a write would change, for the person to say yes or no to. */

const CONTEXT_LINES = 3
// Of the table of the longest common subsequence; larger changes are shown as a block.
const MOST_CELLS = 250_000
const MOST_LINES = 400

interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

/** Changed lines with `+` and `-`, and three unchanged ones around them; cut off after 400 lines. */
export function renderDiff(before: string, after: string): string {
  const old = splitLines(before)
  const now = splitLines(after)
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const middle = compareLines(old.slice(start, old.length - end), now.slice(start, now.length - end))
  const unchanged = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: ' ', text }))
  const all = [
    ...unchanged(old.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...middle,
    ...unchanged(old.slice(old.length - end, old.length - end + CONTEXT_LINES)),
  ]
  const lines = foldUnchanged(all).map(({ mark, text }) => `${mark}${text}`)
  if (lines.length <= MOST_LINES) return lines.join('\n')
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`].join('\n')
}

function splitLines(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function compareLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > MOST_CELLS) {
    return [
      ...old.map((text): DiffLine => ({ mark: '-', text })),
      ...now.map((text): DiffLine => ({ mark: '+', text })),
    ]
  }
  const width = now.length + 1
  // common[i * width + j]: length of the longest common subsequence of old from i on and now from j on.
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    const [gone, added] = [old[i], now[j]]
    if (gone !== undefined && gone === added) {
      lines.push({ mark: ' ', text: gone })
      i++
      j++
    } else if (gone !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: gone })
      i++
    } else {
      lines.push({ mark: '+', text: added ?? '' })
      j++
    }
  }
  return lines
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
