import { type Entity, entityValue } from '../../../packages/precis/src/replay/entities.ts'
import type { Measure } from './measure.ts'

/** Names cut off in the middle lower it as inventions do. */
export const faithfulness: Measure = {
  name: 'faith',
  title: 'names in the result that occur in the original',
  prepare({ past }) {
    const known = new Set<Entity>()
    const knownValues = new Set<string>()
    for (const { entities } of past) {
      for (const entity of entities) {
        known.add(entity)
        knownValues.add(entityValue(entity))
      }
    }
    return ({ entities }) => ({
      kept: [...entities].filter(
        (entity) => known.has(entity) || knownValues.has(entityValue(entity)),
      ).length,
      total: entities.size,
    })
  },
}
