import type { Entity } from '../entities/find-entities.ts'
import type { KnownItem } from '../recording.ts'

// A name is looked up with a dozen of its places; not every item that has it has words around it.
const MOST_PLACES = 200

/** Where each name of a recording stands, so that nobody has to read all of it again at every compression. */
export class Mentions {
  readonly #items: readonly KnownItem[]
  readonly #places = new Map<Entity, Place[]>()

  constructor(items: readonly KnownItem[]) {
    this.#items = items
    for (const [index, item] of items.entries()) {
      for (const entity of item.entities) this.#add(entity, index, item)
    }
  }

  /** Of the items before `end`, in order, the newest that have one of the names, and the smallest that has each. */
  findBefore(end: number, names: Iterable<Entity>): KnownItem[] {
    const found = new Set<number>()
    for (const name of names) {
      const places = this.#places.get(name) ?? []
      const count = countBefore(places, end)
      for (const { index } of places.slice(Math.max(count - MOST_PLACES, 0), count)) found.add(index)
      const smallest = places[count - 1]?.smallest
      if (smallest !== undefined) found.add(smallest)
    }
    return [...found].sort((a, b) => a - b).flatMap((index) => this.#items[index] ?? [])
  }

  #add(entity: Entity, index: number, { text }: KnownItem): void {
    const places = this.#places.get(entity) ?? []
    if (places.length === 0) this.#places.set(entity, places)
    const before = places.at(-1)?.smallest
    const isSmaller = before === undefined || text.length < (this.#items[before]?.text.length ?? 0)
    places.push({ index, smallest: isSmaller ? index : before })
  }
}

interface Place {
  readonly index: number
  /** The shortest item up to here that has the name, the oldest of equals. */
  readonly smallest: number
}

function countBefore(places: readonly Place[], end: number): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle]?.index ?? end) < end) low = middle + 1
    else high = middle
  }
  return low
}
