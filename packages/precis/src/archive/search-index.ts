/** The words of records that were removed or changed, as each database keeps and ranks them. */
import type { Database, DatabaseValue, Dialect } from '../database/database.ts'
import { insertRows } from '../database/insert-rows.ts'

export interface RecordText {
  readonly record: number
  readonly text: string
}

/** A record that was removed in one of the compressions that were asked for, best first. */
export interface FoundRecord {
  readonly record: number
  /** The newest that removed it. */
  readonly compression: number
}

interface SearchIndex {
  add(database: Database, texts: readonly RecordText[]): Promise<void>
  /** Of records after `from` and up to `to`, which are deleted next. */
  removeUnused(database: Database, from: number, to: number): Promise<void>
  /** Records with all words before those with some; of equal ones the most telling first. Words are those of `findWords`. */
  find(
    database: Database,
    compressions: readonly number[],
    words: readonly string[],
    limit: number,
  ): Promise<FoundRecord[]>
}

/** Words as both indexes have them: letters, digits and `_`, in small letters. */
export function findWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_\p{M}]+/gu) ?? []
}

// Where the same record was removed several times, the newest time counts.
const selectGone = (compressions: readonly number[]) =>
  `SELECT record, max(compression) AS compression FROM piece
   WHERE span IS NOT NULL AND compression IN (${compressions.map(() => '?').join(', ')}) GROUP BY record`

const sqlite: SearchIndex = {
  async add(database, texts) {
    const rows = texts.map(({ record, text }) => [record, text])
    await insertRows(database, 'INSERT INTO search (rowid, content)', rows)
  },
  async removeUnused(database, from, to) {
    await database.run(
      `DELETE FROM search WHERE rowid IN (
         SELECT id FROM record WHERE id > ? AND id <= ? AND isIndexed = 1
         AND NOT EXISTS (SELECT 1 FROM piece WHERE piece.record = record.id))`,
      [from, to],
    )
  },
  async find(database, compressions, words, limit) {
    const search = (match: string) =>
      database.all<FoundRecord>(
        `WITH gone AS (${selectGone(compressions)})
         SELECT rowid AS record, gone.compression AS compression FROM search JOIN gone ON gone.record = search.rowid
         WHERE search MATCH ? ORDER BY rank, rowid DESC LIMIT ?`,
        [...compressions, match, limit],
      )
    const quoted = words.map((word) => `"${word}"`)
    const all = await search(quoted.join(' AND '))
    const seen = new Set(all.map(({ record }) => record))
    const some = quoted.length > 1 && all.length < limit ? await search(quoted.join(' OR ')) : []
    return [...all, ...some.filter(({ record }) => !seen.has(record))].slice(0, limit)
  },
}

// A list of words may have a megabyte; each word takes a few bytes more than its letters.
const PART_CHARACTERS = 200_000
const LONGEST_WORD = 250
// More of the same says no more, and a list keeps at most 255 places of a word.
const MOST_COUNTED = 50
// Marks on Latin letters; SQLite leaves them out too.
const MARKS = /[\u0300-\u036f]/g

const postgres: SearchIndex = {
  async add(database, texts) {
    const rows = texts.flatMap(({ record, text }) =>
      listParts(text).map((words, part): DatabaseValue[] => [record, part, words]),
    )
    await insertRows(
      database,
      'INSERT INTO search (record, part, words)',
      rows,
      'ON CONFLICT (record, part) DO NOTHING',
    )
  },
  // They go with their records.
  async removeUnused() {},
  find(database, compressions, words, limit) {
    const plain = [...new Set(words.map(toPlain))]
    // The rarer a word among what was removed, the more it says.
    return database.all<FoundRecord>(
      `WITH gone AS (${selectGone(compressions)}),
       term AS (SELECT word, CAST(word AS tsquery) AS query FROM unnest(string_to_array(?, ' ')) AS word),
       hit AS (
         SELECT search.record, term.word, max(ts_rank(search.words, term.query, 1)) AS weight
         FROM term JOIN search ON search.words @@ term.query JOIN gone ON gone.record = search.record
         GROUP BY search.record, term.word
       ),
       rarity AS (
         SELECT word, ln(1 + CAST((SELECT count(*) FROM gone) AS float) / count(*)) AS value FROM hit GROUP BY word
       )
       SELECT hit.record AS record, max(gone.compression) AS compression
       FROM hit JOIN rarity ON rarity.word = hit.word JOIN gone ON gone.record = hit.record
       GROUP BY hit.record
       ORDER BY CASE WHEN count(*) = ? THEN 0 ELSE 1 END, sum(weight * value) DESC, hit.record DESC LIMIT ?`,
      [...compressions, plain.join(' '), plain.length, limit],
    )
  },
}

/** Each word with as many places as it has; which ones they are is of no use here: `the:1,2 whale:3`. */
function listParts(text: string): string[] {
  const counts = new Map<string, number>()
  for (const word of findWords(text)) {
    const plain = toPlain(word)
    counts.set(plain, (counts.get(plain) ?? 0) + 1)
  }
  const parts: string[] = []
  let part: string[] = []
  let characters = 0
  let place = 1
  for (const [word, count] of counts) {
    const places = Array.from({ length: Math.min(count, MOST_COUNTED) }, () => place++)
    part.push(`${word}:${places.join(',')}`)
    characters += word.length
    if (characters < PART_CHARACTERS) continue
    parts.push(part.join(' '))
    part = []
    characters = 0
    place = 1
  }
  if (part.length > 0) parts.push(part.join(' '))
  return parts
}

function toPlain(word: string): string {
  return word.normalize('NFD').replace(MARKS, '').normalize('NFC').slice(0, LONGEST_WORD)
}

export const searchIndexes: Readonly<Record<Dialect, SearchIndex>> = { sqlite, postgres }
