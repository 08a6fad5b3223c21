import { describeStore } from '../../../core/src/context/store.suite.ts'
import { createConversationStore } from './conversation-store.ts'
import { createArchive } from './open-archive.ts'
import { describeBoth } from './original.suite.ts'

describeBoth('a store of conversations', (createPlace) => {
  describeStore(async () => {
    const place = await createPlace()
    const databases = [await createArchive(place), await createArchive(place)] as const
    const [store, other] = [createConversationStore(databases[0]), createConversationStore(databases[1])]
    return { store, other, close: async () => void (await Promise.all(databases.map((database) => database.close()))) }
  })
})
