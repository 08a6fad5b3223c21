/** Which lines went and which came. Source of the search: Myers, An O(ND) Difference Algorithm and Its Variations (1986). */

export interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

// The search takes the square of what changed, in time and in memory.
const MOST_CHANGES = 1000

/** As few changed lines as can be; one block of all that went and all that came where they are over a thousand. */
export function compareLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const mark = (lines: readonly string[], sign: DiffLine['mark']) =>
    lines.map((text): DiffLine => ({ mark: sign, text }))
  const [gone, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  return [
    ...mark(old.slice(0, start), ' '),
    ...(searchPath(gone, added) ?? [...mark(gone, '-'), ...mark(added, '+')]),
    ...mark(old.slice(old.length - end), ' '),
  ]
}

/** The shortest way from one list to the other; undefined when it is too long. */
function searchPath(old: readonly string[], now: readonly string[]): DiffLine[] | undefined {
  const mostChanges = Math.min(old.length + now.length, MOST_CHANGES)
  // How far along each diagonal, lines of `old` minus lines of `now`, the best way has come; diagonal 0 in the middle.
  const reached = new Int32Array(2 * mostChanges + 3)
  const history: Int32Array[] = []
  for (let changes = 0; changes <= mostChanges; changes++) {
    history.push(reached.slice())
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = comesFromAbove(reached, diagonal, changes) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
      reached[(reached.length >> 1) + diagonal] = x
      if (x >= old.length && x - diagonal >= now.length) return walkBack(old, now, history)
    }
  }
  return undefined
}

/** `history` holds what was reached before each change. */
function walkBack(old: readonly string[], now: readonly string[], history: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [old.length, now.length]
  for (const [changes, reached] of [...history.entries()].reverse()) {
    const diagonal = x - y
    const isAdded = comesFromAbove(reached, diagonal, changes)
    const from = isAdded ? diagonal + 1 : diagonal - 1
    const startX = changes === 0 ? 0 : at(reached, from)
    const startY = changes === 0 ? 0 : startX - from
    while (x > startX && y > startY) {
      lines.push({ mark: ' ', text: old[--x] ?? '' })
      y--
    }
    if (changes === 0) break
    lines.push(isAdded ? { mark: '+', text: now[--y] ?? '' } : { mark: '-', text: old[--x] ?? '' })
  }
  return lines.reverse()
}

function comesFromAbove(reached: Int32Array, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(reached, diagonal - 1) < at(reached, diagonal + 1))
}

function at(reached: Int32Array, diagonal: number): number {
  return reached[(reached.length >> 1) + diagonal] ?? 0
}
