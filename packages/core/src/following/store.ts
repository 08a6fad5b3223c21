/**
 * Where what compressions made of conversations is kept over restarts, and for several processes at
 * once. A store knows nothing of conversations: it keeps texts under keys, and changes one only for
 * who has seen what stands there.
 *
 *   one      find a ─► version 3 ─► write a, 3 ─► version 4
 *   another  find a ─► version 3 ──────────────────► write a, 3 ─► nothing is written; it gets version 4 of the other
 */

/** What a key has. */
export interface StoredValue {
  readonly key: string
  /** JSON. */
  readonly value: string
  /** Another one after every write. */
  readonly version: number
}

export interface StoredEntry {
  readonly key: string
  /**
   * When it was written or found for the last time, in milliseconds since 1970; up to an hour too
   * early.
   */
  readonly usedAt: number
}

/**
 * Keys and values are texts that are valid Unicode, without zero bytes. All of it may reject, with
 * whatever its host throws.
 */
export interface ConversationStore {
  /**
   * The value of the first of these keys, in the order given, that has one. There may be thousands
   * of keys.
   */
  find(keys: readonly string[]): Promise<StoredValue | undefined>
  /**
   * Writes only where the key still has this version; undefined: where it has none. Resolves with
   * what stands there afterwards: the loser of a race gets the winner's value, and nothing where
   * the key was deleted meanwhile.
   */
  write(key: string, value: string, version: number | undefined): Promise<StoredValue | undefined>
  /** All entries whose keys begin with this text, in the order of their keys' characters. */
  list(prefix: string): Promise<readonly StoredEntry[]>
  /**
   * Deletes those; only those with an earlier `usedAt` than `unusedSince`, where it is given.
   * Resolves with how many they were.
   */
  delete(prefix: string, unusedSince?: number): Promise<number>
}
