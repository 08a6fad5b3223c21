import { tellOne } from './compressor.ts'
import type { FollowerOptions } from './follower.ts'
import { MessageHashes, sha256 } from './list-chain.ts'
import { systemClock } from './live-state.ts'
import { createMemoryStore, type EvictedEntry } from './memory-store.ts'
import type { ConversationStore } from './store.ts'

/** Where conversations that are followed are kept, and how they are named there. */
export interface Keeping {
  readonly store: ConversationStore
  readonly hashes: MessageHashes
  readonly onProblem: (problem: unknown) => void
}

/** Throws `TypeError` for a store without all that it needs. */
export function createKeeping({
  store,
  hash = sha256,
  onProblem,
  clock = systemClock,
}: FollowerOptions): Keeping {
  const hashes = new MessageHashes(hash)
  if (store && onProblem) return { store, hashes, onProblem }
  if (store) {
    throw new TypeError(
      'Creating a follower with a store: give it also onProblem, to be told when the store fails.',
    )
  }
  let isTold = false
  const onEvict = ({ usedAt }: EvictedEntry) => {
    if (!isTold && onProblem) tellOne(onProblem, new MemoryFullError(clock.now() - usedAt))
    isTold = true
  }
  // What this one cannot keep is followed by what is in memory, as ever: no problem of the host.
  return { store: createMemoryStore({ onEvict, clock }), hashes, onProblem: () => undefined }
}

/**
 * What compressions made of a conversation is no longer remembered: one that goes on from there is
 * compressed anew.
 */
export class MemoryFullError extends Error {
  constructor(ageMs: number) {
    super(
      `Remembering what compressions made: the memory for it is full, and something unused for ${Math.round(ageMs / 1000)} s was dropped. A conversation that goes on from there is compressed anew. Give \`store\`: createMemoryStore({ mostBytes }) with more than 64 MiB, or a database.`,
    )
    this.name = 'MemoryFullError'
  }
}
