/**
 * The public API of `precis/store`: programs that use `@precis/core` keep conversations in it, over
 * restarts and for several processes.
 */
import type { ConversationStore } from '@precis/core/following'
import { type Database, ignore } from '../database/database.ts'
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
  let opened: Promise<Database> | undefined
  const use = async <Result>(
    work: (store: ConversationStore) => Promise<Result>,
  ): Promise<Result> => {
    const current = opened ?? open(place)
    opened = current
    try {
      return await work(createConversationStore(await current))
    } catch (error) {
      if (opened === current) opened = undefined
      current.then((database) => database.close()).then(ignore, ignore)
      throw error
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
      await (await current?.catch(ignore))?.close()
    },
  }
}

// A request of an agent waits meanwhile, and a conversation is followed without a store too.
const BUSY_MS = 2_000

/**
 * The library blocks its thread while it waits for another writer. This thread may serve requests,
 * so it retries instead.
 */
async function open(place: string | undefined): Promise<Database> {
  const database = await createArchive(place, { busyMs: BUSY_MS })
  if (database.dialect === 'sqlite') await database.all('PRAGMA busy_timeout = 0')
  return database
}
