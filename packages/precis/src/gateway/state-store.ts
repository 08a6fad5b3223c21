/** The state of conversations in the database of the archive, opened when it is first needed. */
import type { ConversationStore } from '@precis/core/context'
import { createConversationStore } from '../archive/conversation-store.ts'
import { createArchive } from '../archive/open-archive.ts'
import { type Database, ignore } from '../database/database.ts'

/** `place` is a file or an address; the user's own by default. A connection that failed is opened anew by the next call. */
export function openStateStore(place: string | undefined): ConversationStore {
  let opened: Promise<Database> | undefined
  const use = async <Result>(work: (store: ConversationStore) => Promise<Result>): Promise<Result> => {
    const current = opened ?? createArchive(place)
    opened = current
    try {
      return await work(createConversationStore(await current))
    } catch (error) {
      if (opened === current) opened = undefined
      current.then((database) => database.close()).then(ignore, ignore)
      throw error
    }
  }
  return {
    find: (keys) => use((store) => store.find(keys)),
    write: (key, value, version) => use((store) => store.write(key, value, version)),
    list: (prefix) => use((store) => store.list(prefix)),
    delete: (prefix, unusedSince) => use((store) => store.delete(prefix, unusedSince)),
  }
}
