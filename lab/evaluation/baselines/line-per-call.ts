import type { KnownItem } from '../../../packages/precis/src/replay/items.ts'
import { countCharacters, countSize, sizeInCharacters, takeFirst } from '../items/size.ts'
import { type Baseline, OMISSION, renderNewest } from './baseline.ts'

const LINES_SHARE = 0.7

export const linePerCall: Baseline = {
  name: 'line-per-call',
  title: 'one line per call + newest',
  render(items, size) {
    const lines: string[] = []
    let left = sizeInCharacters(Math.floor(size * LINES_SHARE))
    for (const item of items.toReversed()) {
      const line = renderLine(item)
      if (line === undefined) continue
      left -= countCharacters(line)
      if (left < 0) break
      lines.push(line)
    }
    const record = lines.reverse().join('\n')
    return record + OMISSION + renderNewest(items, size - countSize(record))
  },
}

function renderLine({ kind, text, name = '' }: KnownItem): string | undefined {
  if (kind === 'user') return `User: ${takeFirst(text, 600)}`
  if (kind === 'call') return `${name}: ${takeFirst(text.replace(/\s+/g, ' '), 160)}`
  if (kind === 'assistant') return `A: ${takeFirst(text.replace(/\s+/g, ' '), 200)}`
  return undefined
}
