import { type Entity, entityValue } from '../../../packages/precis/src/replay/entities.ts'
import { countCharacters, sizeInCharacters } from '../items/size.ts'
import type { Baseline } from './baseline.ts'

/**
 * A control, useless as context: names without anything around them. A measure that it wins
 * measures stuffing.
 */
export const wordList: Baseline = {
  name: 'word-list',
  title: 'list of names (control)',
  render(items, size) {
    const worth = new Map<Entity, number>()
    items.forEach(({ kind, entities }, index) => {
      const recency = Math.exp(-(items.length - index) / Math.max(20, items.length / 6))
      const weight = recency + (kind === 'call' || kind === 'user' ? 0.5 : 0)
      for (const entity of entities) worth.set(entity, (worth.get(entity) ?? 0) + weight)
    })
    const names: string[] = []
    let left = sizeInCharacters(size)
    for (const [entity] of [...worth].sort(([, a], [, b]) => b - a)) {
      left -= countCharacters(entityValue(entity)) + 1
      if (left < 0) break
      names.push(entityValue(entity))
    }
    return names.join(' ')
  },
}
