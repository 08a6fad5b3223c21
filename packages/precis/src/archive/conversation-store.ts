/** Conversations that are followed, kept in the database of the archive for the next process and for others at the same time. */
import { randomInt } from 'node:crypto'
import type { ConversationStore, StoredEntry, StoredValue } from '@precis/core/context'
import type { Database } from '../database/database.ts'

const MOST_AT_ONCE = 1024
// A note of the last use for each request would be a write for each request.
const USE_MS = 3_600_000
// What a number holds exactly, and `randomInt` makes.
const MOST_VERSION = 2 ** 48 - 1

/** Rejects with `DatabaseError`. The archive has to be open, and stays so. */
export function createConversationStore(database: Database): ConversationStore {
  const read = async (key: string): Promise<StoredValue | undefined> => {
    const sql = 'SELECT key, value, version, usedAt FROM conversation WHERE key = ?'
    const [row] = await database.all<StoredValue & StoredEntry>(sql, [key])
    if (!row) return undefined
    const { value, version, usedAt } = row
    if (usedAt < Date.now() - USE_MS) {
      await database.run('UPDATE conversation SET usedAt = ? WHERE key = ?', [Date.now(), key])
    }
    return { key, value, version }
  }

  return {
    async find(keys) {
      for (let start = 0; start < keys.length; start += MOST_AT_ONCE) {
        const first = await findFirst(database, keys.slice(start, start + MOST_AT_ONCE))
        const found = first === undefined ? undefined : await read(first)
        if (found) return found
      }
      return undefined
    },

    async write(key, value, version) {
      // By chance, so that what is deleted and written again is never taken for what was there before.
      const next = randomInt(1, MOST_VERSION)
      const { changes } =
        version === undefined
          ? await database.run(
              'INSERT INTO conversation (key, version, usedAt, value) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
              [key, next, Date.now(), value],
            )
          : await database.run(
              'UPDATE conversation SET version = ?, usedAt = ?, value = ? WHERE key = ? AND version = ?',
              [next, Date.now(), value, key, version],
            )
      return changes === 1 ? { key, value, version: next } : await read(key)
    },

    async list(prefix) {
      const sql = `SELECT key, usedAt FROM conversation WHERE ${BEGINS}`
      const found = await database.all<StoredEntry>(sql, [measure(prefix), prefix])
      // Not by the database: languages differ in their order.
      return found.sort((left, right) => (left.key < right.key ? -1 : 1))
    },

    async delete(prefix, unusedSince = Number.MAX_SAFE_INTEGER) {
      const sql = `DELETE FROM conversation WHERE ${BEGINS} AND usedAt < ?`
      return (await database.run(sql, [measure(prefix), prefix, unusedSince])).changes
    },
  }
}

/** The first key, in the order given, that is there: values are long, and only one is wanted. */
async function findFirst(database: Database, keys: readonly string[]): Promise<string | undefined> {
  // A statement is prepared for each number of keys, so there are few numbers; the rest of a list is the last key again.
  const count = 2 ** Math.ceil(Math.log2(keys.length))
  const last = keys.at(-1) ?? ''
  const asked = [...keys, ...Array.from({ length: count - keys.length }, () => last)]
  const sql = `SELECT key FROM conversation WHERE key IN (${asked.map(() => '?').join(', ')})`
  const found = new Set((await database.all<{ key: string }>(sql, asked)).map(({ key }) => key))
  return found.size === 0 ? undefined : keys.find((key) => found.has(key))
}

// Neither LIKE, whose capitals differ, nor a range, whose order differs by language.
const BEGINS = 'substr(key, 1, ?) = ?'

/** Characters as databases count them. */
const measure = (text: string): number => Array.from(text).length
