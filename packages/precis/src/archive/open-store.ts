/**
 * The public API of `precis/store`: where programs that use `@precis/core` keep conversations over
 * restarts and for several processes.
 */
import type { ConversationStore } from '@precis/core/following'
import { type Database, ignore } from '../database/database.ts'
import { createConversationStore } from './conversation-store.ts'
import { createArchive } from './open-archive.ts'

/** Keeps conversations in a database, which several processes may use at once. */
export interface DatabaseStore extends ConversationStore {
  /** After what is under way. A later call opens the database again. */
  close(): Promise<void>
}

export interface StoreOptions {
  /**
   * Sets programs apart that share a database: none sees or deletes what another one has. `library`
   * by default; no slashes.
   */
  readonly host?: string
}

/**
 * `place` is the path of a file of SQLite, made where there is none, or
 * `postgres://user:password@host/database`, whose tables are made in the schema `precis`; the
 * archive of the user by default. It is opened at the first call, and again by the next one after a
 * connection failed. Calls reject with an error that says what to do, without the password. Throws
 * `RangeError` for a name of a host that has a slash.
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

/**
 * The library holds its whole thread while it waits for who writes, and this one may serve
 * requests: it asks again by itself.
 */
async function open(place: string | undefined): Promise<Database> {
  const database = await createArchive(place)
  if (database.dialect === 'sqlite') await database.all('PRAGMA busy_timeout = 0')
  return database
}
