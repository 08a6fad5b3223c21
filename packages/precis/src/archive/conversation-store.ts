/**
 * Conversations that are followed, kept in the database of the archive for the next process and for
 * others at the same time.
 */
import { randomInt } from 'node:crypto'
import type { ConversationStore, StoredEntry, StoredValue } from '@precis/core/following'
import type { Database } from '../database/database.ts'
import { type Columns, readStoredRow } from '../database/stored-row.ts'
import { DatabaseError } from '../files/errors.ts'

const MOST_AT_ONCE = 1024
// A note of the last use for each request would be a write for each request.
const USE_MS = 3_600_000
// What a number holds exactly, and `randomInt` makes.
const MOST_VERSION = 2 ** 48 - 1

type ConversationRow = StoredValue & StoredEntry

const CONVERSATION: Columns<ConversationRow> = {
  key: 'text',
  value: 'text',
  version: 'number',
  usedAt: 'number',
}

/**
 * Rejects with `DatabaseError`: also once for a conversation that is damaged, which is forgotten
 * then and can be written again. The archive has to be open, and stays so.
 */
export function createConversationStore(database: Database): ConversationStore {
  const read = async (key: string): Promise<StoredValue | undefined> => {
    const sql = 'SELECT key, value, version, usedAt FROM conversation WHERE key = ?'
    const [found] = await database.all(sql, [key])
    if (!found) return undefined
    const { row, damaged } = readStoredRow(found, CONVERSATION)
    if (damaged.length > 0) {
      await database.run('DELETE FROM conversation WHERE key = ?', [key])
      throw new DatabaseError(
        'damaged',
        `the conversation "${key}" was damaged there, and begins anew`,
      )
    }
    const { value, version, usedAt } = row
    if (usedAt < Date.now() - USE_MS) await noteUse(database, key)
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
      // Random, so that an entry that was deleted and written again never looks like the old one.
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
      const rows = await database.all(sql, [measure(prefix), prefix])
      const found = rows
        .map((row) => readStoredRow(row, ENTRY))
        .flatMap(({ row, damaged }) => (damaged.length > 0 ? [] : row))
      // Not by the database: languages differ in their order.
      return found.sort((left, right) => (left.key < right.key ? -1 : 1))
    },

    async delete(prefix, unusedSince = Number.MAX_SAFE_INTEGER) {
      const sql = `DELETE FROM conversation WHERE ${BEGINS} AND usedAt < ?`
      return (await database.run(sql, [measure(prefix), prefix, unusedSince])).changes
    },
  }
}

const ENTRY: Columns<StoredEntry> = { key: 'text', usedAt: 'number' }

/** The readable keys. Reads all of a file, one after the other. PostgreSQL checks its own data. */
export async function listDamagedConversations(database: Database): Promise<string[]> {
  const keys: string[] = []
  if (database.dialect === 'postgres') return keys
  const sql =
    'SELECT rowid AS id, key, value, version, usedAt FROM conversation WHERE rowid > ? ORDER BY rowid LIMIT 1'
  for (let last = 0; ; ) {
    const [found] = await database.all<{ readonly id: number }>(sql, [last])
    if (!found) return keys
    last = found.id
    const { row, damaged } = readStoredRow(found, CONVERSATION)
    if (damaged.length > 0) keys.push(row.key)
  }
}

/** What was read is there, whoever writes meanwhile. The next use is noted then. */
async function noteUse(database: Database, key: string): Promise<void> {
  try {
    await database.run('UPDATE conversation SET usedAt = ? WHERE key = ?', [Date.now(), key])
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === 'busy')) throw error
  }
}

/** The first key, in the order given, that is there: values are long, and only one is wanted. */
async function findFirst(database: Database, keys: readonly string[]): Promise<string | undefined> {
  // A statement is prepared for each number of keys, so there are few numbers. The last key fills
  // the rest of a list.
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
