/**
 * Keeps compressions of conversations over restarts, and for several processes at the same time. A
 * store does not interpret conversations. It keeps texts under keys, and changes a text only for a
 * process that has read the current version.
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
  /** When it was last written or found, in milliseconds since 1970. Up to an hour too early. */
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
   * Writes only if the key still has this version, or no version for undefined. Resolves with the
   * value that is there afterwards. The loser of a race gets the winner's value, or nothing if the
   * key was deleted meanwhile.
   */
  write(key: string, value: string, version: number | undefined): Promise<StoredValue | undefined>
  /** All entries whose keys begin with this text, in the order of their keys' characters. */
  list(prefix: string): Promise<readonly StoredEntry[]>
  /**
   * Deletes these keys. If `unusedSince` is given, it deletes only entries with an earlier
   * `usedAt`. Resolves with the number of deleted entries.
   */
  delete(prefix: string, unusedSince?: number): Promise<number>
}
