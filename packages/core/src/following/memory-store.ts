import { tellOne } from '../context/compressor.ts'
import type { Clock } from '../context/context.ts'
import { systemClock } from '../context/live-state.ts'
import { checkStoreOptions } from '../context/option-kinds.ts'
import { aText, checkValue, texts } from '../conversation/check-options.ts'
import { isJsonObject } from '../formats/shared/json.ts'
import type { FollowerOptions } from './follower.ts'
import { MessageHashes, sha256 } from './list-chain.ts'
import type { ConversationStore, StoredEntry, StoredValue } from './store.ts'
import { NOT_KEPT, warnOnce } from './warn-once.ts'

export interface MemoryStoreOptions {
  /**
   * Upper limit of keys and values in memory, two bytes per character. The least recently used
   * entry is dropped first. 64 MiB by default. A compression takes two copies of its summary.
   */
  readonly mostBytes?: number
  /** Called with each entry that was dropped so. */
  readonly onEvict?: (entry: EvictedEntry) => void
  readonly clock?: Clock
}

export interface EvictedEntry extends StoredValue, StoredEntry {}

export interface MemoryStore extends ConversationStore {
  /** All of it as one value that can be JSON. */
  snapshot(): StoreSnapshot
  /**
   * Instead of all that is there. Throws `TypeError` for anything but what `snapshot` gave, and
   * changes nothing then.
   */
  restore(snapshot: unknown): void
}

export interface StoreSnapshot {
  readonly format: 'precis-conversations-1'
  /** The one used last is last. */
  readonly entries: readonly (StoredValue & { readonly usedAt: number })[]
}

type MemoryEntry = StoreSnapshot['entries'][number]

const MOST_BYTES = 64 * 1024 * 1024
const BYTES_PER_CHARACTER = 2

/**
 * A store for one process, tests, and hosts with their own file, which write the result of
 * `snapshot`.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkStoreOptions(options)
  const { mostBytes = MOST_BYTES, onEvict, clock = systemClock } = options
  /** The one used last is last. */
  const entries = new Map<string, MemoryEntry>()
  // One counter for all keys. A key that was deleted and written again must not get an earlier
  // version.
  let lastVersion = 0
  let bytes = 0

  const set = (entry: MemoryEntry) => {
    drop(entry.key)
    entries.set(entry.key, entry)
    bytes += measureBytes(entry)
  }
  const drop = (key: string) => {
    const entry = entries.get(key)
    if (entry && entries.delete(key)) bytes -= measureBytes(entry)
  }
  const use = ({ key, value, version }: StoredValue): StoredValue => {
    set({ key, value, version, usedAt: clock.now() })
    return { key, value, version }
  }
  const evict = () => {
    for (const entry of entries.values()) {
      if (bytes <= mostBytes) return
      drop(entry.key)
      if (onEvict) tellOne(onEvict, entry)
    }
  }
  const select = (prefix: string) =>
    [...entries.values()].filter(({ key }) => key.startsWith(prefix))

  return {
    async find(keys) {
      checkValue('Finding in a store', 'keys', keys, texts)
      for (const key of keys) {
        const entry = entries.get(key)
        if (entry) return use(entry)
      }
      return undefined
    },
    async write(key, value, version) {
      checkValue('Writing to a store', 'key', key, aText)
      checkValue('Writing to a store', 'value', value, aText)
      const entry = entries.get(key)
      if (entry?.version !== version) return entry && use(entry)
      const written = use({ key, value, version: ++lastVersion })
      evict()
      return written
    },
    async list(prefix) {
      checkValue('Listing a store', 'prefix', prefix, aText)
      const found = select(prefix).map(({ key, usedAt }) => ({ key, usedAt }))
      return found.sort((left, right) => (left.key < right.key ? -1 : 1))
    },
    async delete(prefix, unusedSince) {
      checkValue('Deleting from a store', 'prefix', prefix, aText)
      const found = select(prefix).filter(
        ({ usedAt }) => unusedSince === undefined || usedAt < unusedSince,
      )
      for (const { key } of found) drop(key)
      return found.length
    },
    snapshot: () => ({ format: FORMAT, entries: [...entries.values()] }),
    restore(snapshot) {
      const restored = readSnapshot(snapshot)
      entries.clear()
      bytes = 0
      for (const entry of restored) set(entry)
      for (const { version } of restored) lastVersion = Math.max(lastVersion, version)
      evict()
    },
  }
}

const measureBytes = ({ key, value }: StoredValue): number =>
  (key.length + value.length) * BYTES_PER_CHARACTER

const FORMAT = 'precis-conversations-1'

function readSnapshot(snapshot: unknown): readonly MemoryEntry[] {
  if (isJsonObject(snapshot) && snapshot.format === FORMAT && Array.isArray(snapshot.entries)) {
    const entries: readonly unknown[] = snapshot.entries
    if (entries.every(isEntry)) return entries
  }
  throw new TypeError(
    'Restoring a store of conversations: found something else. Give what its snapshot() gave.',
  )
}

function isEntry(value: unknown): value is MemoryEntry {
  if (!isJsonObject(value)) return false
  const { key, value: text, version, usedAt } = value
  return (
    typeof key === 'string' &&
    typeof text === 'string' &&
    Number.isFinite(version) &&
    Number.isFinite(usedAt)
  )
}

/** The store of followed conversations, and their names in it. */
export interface Keeping {
  readonly store: ConversationStore
  readonly hashes: MessageHashes
  readonly onProblem: (problem: unknown) => void
  /**
   * Without a store: a list is sent shortened, under this name. Some of the lists that it grew from
   * have the `earlier` names.
   */
  readonly noteSent?: (name: string, earlier: readonly string[]) => void
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
  const tell = (problem: Error) => {
    if (onProblem) tellOne(onProblem, problem)
    else warnOnce(NOT_KEPT, problem)
  }
  let isTold = false
  const onEvict = ({ usedAt }: EvictedEntry) => {
    if (!isTold) tell(new MemoryFullError(clock.now() - usedAt))
    isTold = true
  }
  const memory = createMemoryStore({ onEvict, clock })
  const self = Symbol('client')
  const noteSent = (name: string, earlier: readonly string[]) => {
    const isOfAnother = (known: string) => (sentAlone.get(known) ?? self) !== self
    if (!isRepeatTold && earlier.some(isOfAnother)) {
      // The console is told once by itself.
      isRepeatTold = onProblem !== undefined
      tell(new RepeatedCompressionError())
    }
    sentAlone.set(name, self)
    if (sentAlone.size > MOST_SENT_ALONE) sentAlone.delete(sentAlone.keys().next().value ?? '')
  }
  // If this store cannot keep an entry, the conversation continues from memory. That is not the
  // host's problem.
  return { store: memory, hashes, onProblem: () => undefined, noteSent }
}

const MOST_SENT_ALONE = 1000

// Of the process: each of the clients that it is about is new, and would say it again.
let isRepeatTold = false

/** Names of lists that clients without a store of their own sent shortened, the newest last. */
const sentAlone = new Map<string, symbol>()

/** A new client for each request remembers nothing: each one compresses the conversation again. */
export class RepeatedCompressionError extends Error {
  constructor() {
    super(
      'Following a conversation: another client of this process compressed it before, and this one had to do it again. Keep one client for all requests, or give all of them one `store`.',
    )
    this.name = 'RepeatedCompressionError'
  }
}

/**
 * The compressions of a conversation are no longer kept. A conversation that continues from there
 * is compressed again.
 */
export class MemoryFullError extends Error {
  constructor(ageMs: number) {
    super(
      `Remembering what compressions made: the memory for it is full, and something unused for ${Math.round(ageMs / 1000)} s was dropped. A conversation that goes on from there is compressed anew. Give \`store\`: createMemoryStore({ mostBytes }) with more than 64 MiB, or a database.`,
    )
    this.name = 'MemoryFullError'
  }
}
