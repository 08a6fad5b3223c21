/** What the agent used after a compression, had learned before it, and no longer had before its eyes. */
import { type Entity, entityValue } from '../entities/find-entities.ts'
import { findSupports, isGrounded } from '../measures/carried-references.ts'
import { findDemanded, HORIZON_CALLS } from '../point.ts'
import type { KnownItem } from '../recording.ts'

/** From one compression to the next. */
export interface Stretch {
  readonly past: readonly KnownItem[]
  readonly future: readonly KnownItem[]
  /** The text of what was left. */
  readonly text: string
}

export interface Missing {
  /** Project-specific names that the next calls used and had to carry over; one that is read in two ways is one name. */
  readonly needed: number
  readonly missing: readonly string[]
  /** The smallest item that has each of the missing names: what an agent has to read again. */
  readonly readAgain: readonly KnownItem[]
}

export function findMissing({ past, future, text }: Stretch): Missing {
  const { demanded } = findDemanded(past, future, HORIZON_CALLS)
  const supports = findSupports(demanded, past)
  const lines = text.split('\n')
  const missing = [...supports]
    .filter(([entity, support]) => !isGrounded(entity, support, lines))
    .map(([entity]) => entity)
  const readAgain = new Set<KnownItem>()
  const smallest = findSmallest(past, new Set(missing))
  for (const entity of missing) {
    const item = smallest.get(entity)
    if (item) readAgain.add(item)
  }
  return { needed: new Set([...supports.keys()].map(entityValue)).size, missing, readAgain: [...readAgain] }
}

/** The shortest item of each name, the oldest of equals. */
function findSmallest(items: readonly KnownItem[], names: ReadonlySet<Entity>): Map<Entity, KnownItem> {
  const smallest = new Map<Entity, KnownItem>()
  for (const item of items) {
    for (const name of names) {
      if (!item.entities.has(name)) continue
      const found = smallest.get(name)
      if (!found || item.text.length < found.text.length) smallest.set(name, item)
    }
  }
  return smallest
}
