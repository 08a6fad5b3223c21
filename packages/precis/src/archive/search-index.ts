/**
 * The words of records that were removed or changed: those a user would search for, as each
 * database keeps and ranks them.
 */
import {
  type Database,
  type DatabaseValue,
  type Dialect,
  insertRows,
} from '../database/database.ts'
import { type Columns, readStoredRow } from '../database/stored-row.ts'
import type { ArchivedCompression } from './compressions.ts'
import { type ArchivedSpan, DAMAGED_SPAN, readWholeRecords, SPAN } from './read-original.ts'
import { nameRecord, renderSearchableText, SUMMARY_LABEL } from './searchable-text.ts'

interface RecordText {
  readonly record: number
  readonly text: string
}

/** A record that was removed in one of the given compressions, best first. */
interface FoundRecord {
  readonly record: number
  /** The newest that removed it. */
  readonly compression: number
}

interface SearchIndex {
  add(database: Database, texts: readonly RecordText[]): Promise<void>
  /** For records after `from` and up to `to`, which are deleted next. */
  removeUnused(database: Database, from: number, to: number): Promise<void>
  /**
   * Records with all words come before records with some. Equal records are ordered by how specific
   * they are. Words are those of `findWords`.
   */
  find(
    database: Database,
    compressions: readonly number[],
    words: readonly string[],
    limit: number,
  ): Promise<FoundRecord[]>
}

const WORDS = /[\p{L}\p{N}_\p{M}]+/gu

/** Words as both indexes have them: letters, digits and `_`, in small letters. */
export function findWords(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? []
}

/**
 * The place where all words of a query follow each other in a text, whatever is between them. -1 if
 * there is no such place, or the query has no words.
 */
export function findRun(text: string, query: string): number {
  const wanted = findWords(query)
  // Places where the run may have begun, with the number of its words found since.
  let open: { readonly start: number; readonly length: number }[] = []
  for (const { 0: word, index } of text.toLowerCase().matchAll(WORDS)) {
    if (open.length === 0 && word !== wanted[0]) continue
    const next = [...open, { start: index, length: 0 }].filter(
      ({ length }) => wanted[length] === word,
    )
    open = next.map(({ start, length }) => ({ start, length: length + 1 }))
    const whole = open.find(({ length }) => length === wanted.length)
    if (whole) return whole.start
  }
  return -1
}

// If the same record was removed several times, the latest time counts.
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

// A list of words may have a megabyte. Each word takes a few bytes more than its letters.
const PART_CHARACTERS = 200_000
const LONGEST_INDEXED_WORD = 250
// More of the same says no more, and a list keeps at most 255 places of a word.
const MOST_COUNTED = 50
// Marks on Latin letters, which SQLite leaves out too.
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
  // They are removed with their records.
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

/** Each word with its number of places. Their positions are not used here: `the:1,2 whale:3`. */
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
  return word.normalize('NFD').replace(MARKS, '').normalize('NFC').slice(0, LONGEST_INDEXED_WORD)
}

export const searchIndexes: Readonly<Record<Dialect, SearchIndex>> = { sqlite, postgres }

/** Ranked search in what compressions removed or changed. */
export interface FoundSpan extends Pick<ArchivedSpan, 'span' | 'fate' | 'label' | 'bytes'> {
  /** The entry it belongs to. */
  readonly compression: string
  /** Without secrets, on one or several lines. */
  readonly excerpt: string
}

const MOST_WORDS = 20
// What a compression leaves is stored again under other ids, and the next one may remove it.
const COPIES_OF_EACH = 2
// One copy of precis and one of the agent, each maybe stored twice.
const SUMMARIES_OF_EACH = 4
const EXCERPT_BEFORE = 100
const EXCERPT_CHARACTERS = 400

/**
 * Records with all words come before records with some. Equal records are ordered by how specific
 * they are. Summaries come last, because they contain words of everything, and their sources are
 * there too. A record stored twice is found once.
 */
export async function searchRemoved(
  database: Database,
  generations: readonly ArchivedCompression[],
  query: string,
  limit: number,
): Promise<FoundSpan[]> {
  const words = [...new Set(findWords(query))].slice(0, MOST_WORDS)
  if (words.length === 0 || generations.length === 0) return []
  const names = new Map(generations.map(({ id, name }) => [id, name]))
  const most = COPIES_OF_EACH * limit + SUMMARIES_OF_EACH * generations.length
  const found = await searchIndexes[database.dialect].find(database, [...names.keys()], words, most)
  const [spans, summaries]: [FoundSpan[], FoundSpan[]] = [[], []]
  const texts = new Set<string>()
  for (const record of found) {
    if (spans.length === limit) break
    const span = await findFirstSpan(database, record)
    if (!span) continue
    const compression = names.get(record.compression) ?? ''
    const { value: bytes } = await readWholeRecords(database, [
      { record: record.record, bytes: 0 },
    ]).next()
    if (!bytes) {
      spans.push({ ...span, compression, excerpt: DAMAGED_SPAN })
      continue
    }
    const text = renderSearchableText(bytes)
    if (texts.has(text)) continue
    texts.add(text)
    const label = nameRecord(span.label, bytes)
    const list = label === SUMMARY_LABEL ? summaries : spans
    list.push({ ...span, label, compression, excerpt: cutExcerpt(text, words, query) })
  }
  return [...spans, ...summaries].slice(0, limit)
}

async function findFirstSpan(database: Database, { record, compression }: FoundRecord) {
  const [found] = await database.all(
    `SELECT span, fate, label, bytes FROM piece JOIN record ON record.id = piece.record
     WHERE piece.record = ? AND compression = ? AND span IS NOT NULL ORDER BY span LIMIT 1`,
    [record, compression],
  )
  return found && readStoredRow(found, FOUND).row
}

const FOUND: Columns<Pick<ArchivedSpan, 'span' | 'fate' | 'label' | 'bytes'>> = {
  span: SPAN.span,
  fate: SPAN.fate,
  label: SPAN.label,
  bytes: SPAN.bytes,
}

function cutExcerpt(text: string, words: readonly string[], query: string): string {
  const run = findRun(text, query)
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const at = run >= 0 ? run : Math.min(...places, Number.MAX_SAFE_INTEGER)
  const start = at > text.length ? 0 : Math.max(0, at - EXCERPT_BEFORE)
  const end = start + EXCERPT_CHARACTERS
  return `${start > 0 ? '…' : ''}${text.slice(start, end).trim()}${end < text.length ? '…' : ''}`
}
