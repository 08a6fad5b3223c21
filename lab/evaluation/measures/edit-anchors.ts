import { HORIZON_CALLS } from '../../../packages/precis/src/replay/carried-names.ts'
import type { Point } from '../point.ts'
import { findAnchorLines, normalizeLine } from './edited-lines.ts'
import type { Measure } from './measure.ts'

/** Edit-anchor recall: an edit whose lines are gone has to read the file again. */
export const editAnchors: Measure = {
  name: 'ear',
  title: 'lines that later edits had to know word for word',
  prepare(point) {
    const needed = findNeededLines(point)
    return ({ lines }) => {
      const there = new Set(lines.map(normalizeLine))
      return { kept: [...needed].filter((line) => there.has(line)).length, total: needed.size }
    }
  },
}

const LEAST_LINE_CHARACTERS = 12

function findNeededLines({ past, future }: Point): Set<string> {
  const known = new Set<string>()
  for (const { text } of past) {
    for (const line of text.split('\n')) {
      if (line.trim().length >= LEAST_LINE_CHARACTERS) known.add(normalizeLine(line))
    }
  }
  const seenAgain = new Set<string>()
  const needed = new Set<string>()
  let calls = 0
  for (const item of future) {
    if (item.kind === 'assistant' || item.kind === 'boundary') continue
    if (item.kind === 'call') {
      calls++
      for (const line of findAnchorLines(item))
        if (known.has(line) && !seenAgain.has(line)) needed.add(line)
    }
    for (const line of item.text.split('\n')) seenAgain.add(normalizeLine(line))
    if (calls >= HORIZON_CALLS) break
  }
  return needed
}
