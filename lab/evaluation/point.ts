import { findDemanded } from '../../packages/precis/src/replay/carried-names.ts'
import type { Entity } from '../../packages/precis/src/replay/entities.ts'
import type { KnownItem } from '../../packages/precis/src/replay/items.ts'
import { isGeneralKnowledge } from './entities/general-knowledge.ts'

/**
 * A place in a recorded session: what is compressed there, and what the agent then needed of it.
 */
export interface Point {
  /** Everything before, oldest first. */
  readonly past: readonly KnownItem[]
  /** Everything after, as far as it counts. */
  readonly future: readonly KnownItem[]
  readonly workingDirectory: string
  /** Project-specific names that the next calls use and had to carry over. */
  readonly demanded: ReadonlySet<Entity>
}

const LEAST_CALLS = 10
const LEAST_DEMANDED = 6

/** A point, or the reason why this place is left out. */
export function createPoint(
  past: readonly KnownItem[],
  future: readonly KnownItem[],
  workingDirectory: string,
): Point | string {
  const { demanded, calls } = findDemanded(past, future, isGeneralKnowledge)
  if (calls < LEAST_CALLS) return `${calls} calls follow, fewer than ${LEAST_CALLS}`
  if (demanded.size < LEAST_DEMANDED) {
    return `${demanded.size} project-specific names are carried over, fewer than ${LEAST_DEMANDED}`
  }
  return { past, future, workingDirectory, demanded }
}
