import type { Entity } from './entities/find-entities.ts'
import { isGeneralKnowledge } from './entities/general-knowledge.ts'
import type { KnownItem } from './recording.ts'

/** A place in a recorded session: what is compressed there, and what the agent then needed of it. */
export interface Point {
  /** Everything before, oldest first. */
  readonly past: readonly KnownItem[]
  /** Everything after, as far as it counts. */
  readonly future: readonly KnownItem[]
  readonly workingDirectory: string
  /** Project-specific names that the next calls use and had to carry over. */
  readonly demanded: ReadonlySet<Entity>
}

/** How many calls after the point are looked at. */
export const HORIZON_CALLS = 100
const LEAST_CALLS = 10
const LEAST_DEMANDED = 6

/** A point, or the reason why nothing can be said about this place. */
export function createPoint(
  past: readonly KnownItem[],
  future: readonly KnownItem[],
  workingDirectory: string,
): Point | string {
  const { demanded, calls } = findDemanded(past, future, HORIZON_CALLS)
  if (calls < LEAST_CALLS) return `${calls} calls follow, fewer than ${LEAST_CALLS}`
  if (demanded.size < LEAST_DEMANDED) {
    return `${demanded.size} project-specific names are carried over, fewer than ${LEAST_DEMANDED}`
  }
  return { past, future, workingDirectory, demanded }
}

/**
 * Names in the next calls that occur before the point and were not seen again after it until they were used. What the
 * agent read again it did not have to carry.
 */
export function findDemanded(
  past: readonly KnownItem[],
  future: readonly KnownItem[],
  horizonCalls: number,
): { demanded: Set<Entity>; calls: number } {
  const known = new Set<Entity>()
  for (const { entities } of past) for (const entity of entities) known.add(entity)
  const seenAgain = new Set<Entity>()
  const demanded = new Set<Entity>()
  let calls = 0
  for (const { kind, entities } of future) {
    if (kind === 'assistant' || kind === 'boundary') continue
    if (kind === 'call') {
      calls++
      for (const entity of entities) {
        if (known.has(entity) && !seenAgain.has(entity) && !isGeneralKnowledge(entity)) demanded.add(entity)
      }
    }
    for (const entity of entities) seenAgain.add(entity)
    if (calls >= horizonCalls) break
  }
  return { demanded, calls }
}
