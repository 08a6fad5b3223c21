/** The state of conversations in the database of the archive, opened when it is first needed. */
import type { ConversationStore } from '@precis/core/context'
import { createConversationStore } from '../archive/conversation-store.ts'
import { createArchive } from '../archive/open-archive.ts'
import { type Database, ignore } from '../database/database.ts'

// Other hosts may keep conversations in the same database.
const PREFIX = 'gateway/'

/**
 * `place` is a file or an address; the user's own by default. A connection that failed is opened anew by the next call. No key
 * of another host is seen or deleted.
 */
export function openStateStore(place: string | undefined): ConversationStore {
  let opened: Promise<Database> | undefined
  const use = async <Result>(work: (store: ConversationStore) => Promise<Result>): Promise<Result> => {
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
  const named = (key: string) => PREFIX + key
  const unnamed = <Entry extends { readonly key: string }>(entry: Entry): Entry => ({
    ...entry,
    key: entry.key.slice(PREFIX.length),
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
    list: async (prefix) => (await use((store) => store.list(named(prefix)))).map(unnamed),
    delete: (prefix, unusedSince) => use((store) => store.delete(named(prefix), unusedSince)),
  }
}

/** The library holds its whole thread while it waits for who writes, and this one may serve requests: it asks again by itself. */
async function open(place: string | undefined): Promise<Database> {
  const database = await createArchive(place)
  if (database.dialect === 'sqlite') await database.all('PRAGMA busy_timeout = 0')
  return database
}
