import type { Entity } from '../../../packages/precis/src/replay/entities.ts'
import type { KnownItem } from '../../../packages/precis/src/replay/items.ts'
import { prepareRecall } from './carried-references.ts'
import type { Measure } from './measure.ts'

/** As `carriedReferences`, for names in few places: they do not survive by chance. */
export const rareReferences: Measure = {
  name: 'gcrr_rare',
  title: 'the same, for names in at most 3 places',
  prepare: ({ demanded, past }) => prepareRecall(findRare(demanded, past), past),
}

const RARE_PLACES = 3

function findRare(demanded: ReadonlySet<Entity>, past: readonly KnownItem[]): Set<Entity> {
  const places = new Map<Entity, number>()
  for (const { entities } of past) {
    for (const entity of entities)
      if (demanded.has(entity)) places.set(entity, (places.get(entity) ?? 0) + 1)
  }
  return new Set([...demanded].filter((entity) => (places.get(entity) ?? 0) <= RARE_PLACES))
}
