import { renderScoredItem } from '../../../packages/precis/src/replay/items.ts'
import { countCharacters, sizeInCharacters } from '../items/size.ts'
import { createRandom, shuffle } from '../random.ts'
import type { Baseline } from './baseline.ts'

const SEED = 0
const LEAST_LINE_CHARACTERS = 40

export const randomLines: Baseline = {
  name: 'random-lines',
  title: 'random lines',
  render(items, size) {
    const lines = items
      .flatMap((item) => renderScoredItem(item).split('\n'))
      .filter((line) => line.trim() !== '')
    const order = [...lines.keys()]
    shuffle(order, createRandom(SEED))
    const kept: number[] = []
    let left = sizeInCharacters(size)
    for (const index of order) {
      const length = countCharacters(lines[index] ?? '') + 1
      if (length > left) continue
      kept.push(index)
      left -= length
      if (left < LEAST_LINE_CHARACTERS) break
    }
    return kept
      .sort((a, b) => a - b)
      .map((index) => lines[index])
      .join('\n')
  },
}
