/**
 * The public API of `precis/store`: programs that use `@precis/core` keep conversations in it, over
 * restarts and for several processes.
 */
import type { ConversationStore } from '@precis/core/following'
import { type Database, ignore } from '../database/database.ts'
import { DatabaseError } from '../files/errors.ts'
import { createConversationStore } from './conversation-store.ts'
import { createArchive } from './open-archive.ts'

/** Keeps conversations in a database, which several processes may use at the same time. */
export interface DatabaseStore extends ConversationStore {
  /** Waits for running calls. A later call opens the database again. */
  close(): Promise<void>
}

export interface StoreOptions {
  /**
   * Separates programs that share a database. A program never sees or deletes entries of another
   * one. `library` by default, without slashes.
   */
  readonly host?: string
}

/**
 * `place` is the path of an SQLite file, which is created if it is missing, or
 * `postgres://user:password@host/database`, whose tables are created in the schema `precis`. By
 * default the archive of the user. It is opened at the first call, and again after a failed
 * connection. Calls reject with an error that says what to do, without the password. Throws
 * `RangeError` if the name of a host has a slash.
 */
export function openStore(place?: string, options: StoreOptions = {}): DatabaseStore {
  const { host = 'library' }: StoreOptions = Object(options)
  if (typeof (place ?? '') !== 'string') {
    throw new TypeError(
      `Opening a store: place is ${String(place)}. Give the path of a file, or the address of a PostgreSQL.`,
    )
  }
  if (typeof host !== 'string')
    throw new TypeError(`Opening a store: host is ${String(host)}. Give a text.`)
  if (host.includes('/'))
    throw new RangeError(`Opening a store for the host "${host}": give a name without slashes.`)
  const prefix = `${host}/`
  let opened: OpenedDatabase | undefined
  const use = async <Result>(
    work: (store: ConversationStore) => Promise<Result>,
  ): Promise<Result> => {
    opened ??= { database: createArchive(place, { busyMs: BUSY_MS }), calls: new Set() }
    const current = opened
    const call = current.database.then(createConversationStore).then(work)
    current.calls.add(call)
    try {
      return await call
    } catch (error) {
      // Behind another writer the connection is whole, and other calls wait in it.
      const isBusy = error instanceof DatabaseError && error.code === 'busy'
      if (!isBusy && opened === current) {
        opened = undefined
        closeUnused(current).then(ignore, ignore)
      }
      throw error
    } finally {
      current.calls.delete(call)
    }
  }
  const named = (key: string) => prefix + key
  const unnamed = <Entry extends { readonly key: string }>(entry: Entry): Entry => ({
    ...entry,
    key: entry.key.slice(prefix.length),
  })
  return {
    async find(keys) {
      const found = await use((store) => store.find(keys.map(named)))
      return found && unnamed(found)
    },
    async write(key, value, version) {
      const stands = await use((store) => store.write(named(key), value, version))
      return stands && unnamed(stands)
    },
    list: async (beginning) => (await use((store) => store.list(named(beginning)))).map(unnamed),
    delete: (beginning, unusedSince) => use((store) => store.delete(named(beginning), unusedSince)),
    async close() {
      const current = opened
      opened = undefined
      if (current) await closeUnused(current)
    },
  }
}

// A request of an agent waits meanwhile, and a conversation is followed without a store too.
const BUSY_MS = 2_000

interface OpenedDatabase {
  readonly database: Promise<Database>
  /** Under way. */
  readonly calls: Set<Promise<unknown>>
}

/** A call has several steps, and the last one of each needs the connection too. */
async function closeUnused({ database, calls }: OpenedDatabase): Promise<void> {
  await Promise.allSettled(calls)
  await (await database.catch(ignore))?.close()
}
