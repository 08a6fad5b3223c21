import { findSupports, isGrounded } from '../../../packages/precis/src/replay/carried-names.ts'
import type { Entity } from '../../../packages/precis/src/replay/entities.ts'
import type { KnownItem } from '../../../packages/precis/src/replay/items.ts'
import type { Measure, Score, ScoredText } from './measure.ts'

/**
 * Grounded carried-reference recall: names that the agent had to carry over, kept with the words
 * around them.
 */
export const carriedReferences: Measure = {
  name: 'gcrr',
  title: 'names the agent had to carry over, with their context',
  prepare: (point) => prepareRecall(point.demanded, point.past),
}

/** How many of these names are kept. */
export function prepareRecall(
  demanded: Iterable<Entity>,
  past: readonly KnownItem[],
): (text: ScoredText) => Score {
  const supports = findSupports(demanded, past)
  return ({ lines }) => {
    let kept = 0
    for (const [entity, support] of supports) if (isGrounded(entity, support, lines)) kept++
    return { kept, total: supports.size }
  }
}
