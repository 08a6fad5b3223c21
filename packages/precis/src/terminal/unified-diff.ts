import { compareLines, type DiffLine } from './compare-lines.ts'

const CONTEXT_LINES = 3

/** A change of a file as `diff -u` shows it: `/dev/null` for a file that is not there; empty when nothing changes. */
export function renderUnifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const lines = compareLines(splitLines(before ?? ''), splitLines(after ?? ''))
  const heading = [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
  ]
  return [...heading, ...renderHunks(lines)].join('\n')
}

/** The last line tells when nothing ends it. */
function splitLines(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

function renderHunks(lines: readonly DiffLine[]): string[] {
  const shown = new Set<number>()
  lines.forEach(({ mark }, at) => {
    if (mark === ' ') return
    for (let near = Math.max(at - CONTEXT_LINES, 0); near <= at + CONTEXT_LINES; near++) shown.add(near)
  })
  const rendered: string[] = []
  let [old, now] = [1, 1]
  for (let at = 0; at < lines.length; ) {
    let end = at
    while (end < lines.length && shown.has(end)) end++
    const hunk = lines.slice(at, end)
    const [oldCount, nowCount] = [count(hunk, '+'), count(hunk, '-')]
    if (hunk.length > 0) {
      rendered.push(`@@ -${renderRange(old, oldCount)} +${renderRange(now, nowCount)} @@`)
      for (const { mark, text } of hunk) rendered.push(`${mark}${text}`)
    }
    // A line that is not shown is there before and after.
    old += oldCount + (hunk.length === 0 ? 1 : 0)
    now += nowCount + (hunk.length === 0 ? 1 : 0)
    at = hunk.length === 0 ? at + 1 : end
  }
  return rendered
}

function count(lines: readonly DiffLine[], other: '+' | '-'): number {
  return lines.filter(({ mark }) => mark !== other).length
}

function renderRange(start: number, length: number): string {
  return length === 0 ? `${start - 1},0` : `${start},${length}`
}
