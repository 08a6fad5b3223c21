import { createHash } from 'node:crypto'
import { createFollower } from '@precis/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeStore } from '../../../core/src/following/store.suite.ts'
import type { Database } from '../database/database.ts'
import { createConversationStore } from './conversation-store.ts'
import { createArchive } from './open-archive.ts'
import { describeBoth } from './original.suite.ts'

const HOUR_MS = 3_600_000

describeBoth('a store of conversations', (createPlace) => {
  describeStore(async () => {
    const place = await createPlace()
    const databases = [await createArchive(place), await createArchive(place)] as const
    const [store, other] = [
      createConversationStore(databases[0]),
      createConversationStore(databases[1]),
    ]
    return {
      store,
      other,
      close: async () => void (await Promise.all(databases.map((database) => database.close()))),
    }
  })

  describe('in a database', () => {
    let place: string
    let database: Database
    beforeEach(async () => {
      place = await createPlace()
      database = await createArchive(place)
      return () => database.close()
    })

    test('what is found is used, though it is noted only now and then', async () => {
      const store = createConversationStore(database)
      const readUse = async () => (await store.list('a'))[0]?.usedAt ?? 0
      await store.write('a', '1', undefined)
      const old = Date.now() - 2 * HOUR_MS
      await database.run('UPDATE conversation SET usedAt = ?', [old])
      await store.find(['b'])
      expect(await readUse()).toBe(old)
      await store.find(['b', 'a'])
      const used = await readUse()
      expect(used).toBeGreaterThan(old + HOUR_MS)
      await store.find(['a'])
      expect(await readUse()).toBe(used)
    })

    test('a conversation goes on with the same bytes after all was closed', async () => {
      const send = async (count: number) => {
        const problems: unknown[] = []
        const follower = createFollower({
          format: 'openai-chat',
          windowTokens: 2000,
          store: createConversationStore(database),
          hash: (text) => createHash('sha256').update(text).digest('hex'),
          onProblem: (problem) => problems.push(problem),
        })
        const messages = Array.from({ length: count }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content:
            index < 40
              ? `the parser of module ${index} reads line ${index * 7} `.repeat(10)
              : 'And now?',
        }))
        const request = await follower.next({ model: 'gpt-5', key: 'user 7', messages })
        expect(problems).toEqual([])
        return { messages, sent: request.messages, compression: request.prepared.compression }
      }
      const first = await send(41)
      expect(first.sent.length).toBeLessThan(first.messages.length)
      await database.close()
      database = await createArchive(place)
      const second = await send(43)
      expect(second.compression).toBeUndefined()
      expect(JSON.stringify(second.sent)).toBe(
        JSON.stringify([...first.sent, ...second.messages.slice(-2)]),
      )
    })
  })
})
