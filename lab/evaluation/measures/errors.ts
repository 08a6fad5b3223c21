import { countShared, findContentWords } from '../../../packages/precis/src/replay/carried-names.ts'
import type { Item } from '../../../packages/precis/src/replay/items.ts'
import { normalizeLine } from './edited-lines.ts'
import type { Measure } from './measure.ts'

export const errors: Measure = {
  name: 'err',
  title: 'the last five distinct error lines',
  prepare({ past }) {
    const wanted = findLastErrors(past).map(findContentWords)
    return ({ lines }) => {
      const there = lines.map(findContentWords)
      return { kept: wanted.filter((words) => isSaid(words, there)).length, total: wanted.length }
    }
  },
}

const SAID_SHARE = 0.8
const MOST_ERRORS = 5
const SHORTEST_LINE = 20
const LONGEST_LINE = 240
const ERROR = /\b(error|panic|exception|traceback|FAIL)\b[:\s]/i

function isSaid(words: ReadonlySet<string>, lines: readonly ReadonlySet<string>[]): boolean {
  return words.size > 0 && lines.some((line) => countShared(words, line) >= SAID_SHARE * words.size)
}

function findLastErrors(past: readonly Item[]): string[] {
  const found = new Set<string>()
  for (const { kind, text } of past.toReversed()) {
    if (kind !== 'result') continue
    for (const raw of text.split('\n').reverse()) {
      const line = normalizeLine(raw)
      if (line.length >= SHORTEST_LINE && line.length <= LONGEST_LINE && ERROR.test(line))
        found.add(line)
      if (found.size >= MOST_ERRORS) return [...found]
    }
  }
  return [...found]
}
