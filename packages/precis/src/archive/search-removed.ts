/** Ranked search in what compressions removed or changed. */
import type { ArchivedCompression } from './compressions.ts'
import { type ArchivedSpan, createRecordReader } from './read-original.ts'
import { renderSearchableText } from './searchable-text.ts'
import type { Sqlite } from './sqlite.ts'

export interface FoundSpan extends Pick<ArchivedSpan, 'span' | 'fate' | 'label' | 'bytes'> {
  /** The entry it belongs to. */
  readonly compression: string
  /** Without secrets; one or several lines. */
  readonly excerpt: string
}

const MOST_WORDS = 20
const EXCERPT_BEFORE = 100
const EXCERPT_CHARACTERS = 400

/** Those with all words before those with some; of equal ones the most telling first. */
export function searchRemoved(
  database: Sqlite,
  generations: readonly ArchivedCompression[],
  query: string,
  limit: number,
): FoundSpan[] {
  const words = findWords(query)
  if (words.length === 0) return []
  const quoted = words.map((word) => `"${word}"`)
  const names = new Map(generations.map(({ id, name }) => [id, name]))
  const search = createSearch(database, [...names.keys()])
  const all = search(quoted.join(' AND '), limit)
  const seen = new Set(all.map(({ record }) => record))
  const some = quoted.length > 1 && all.length < limit ? search(quoted.join(' OR '), limit) : []
  const rows = [...all, ...some.filter(({ record }) => !seen.has(record))].slice(0, limit)
  const read = createRecordReader(database)
  return rows.map(({ compression, record, ...row }) => ({
    ...row,
    compression: names.get(compression) ?? '',
    excerpt: cutExcerpt(renderSearchableText(read(record)), words, query),
  }))
}

interface Row extends Omit<FoundSpan, 'excerpt' | 'compression'> {
  readonly record: number
  readonly compression: number
}

/** Where the same record was removed several times, the newest time counts. */
function createSearch(database: Sqlite, ids: readonly number[]): (match: string, limit: number) => Row[] {
  const statement = database.prepare(
    `WITH gone AS (
       SELECT record, max(compression) AS compression FROM piece
       WHERE span IS NOT NULL AND compression IN (${ids.map(() => '?').join(', ')}) GROUP BY record
     ), found AS (
       SELECT rowid AS record, rank AS score FROM search
       WHERE search MATCH ? AND rowid IN (SELECT record FROM gone) ORDER BY rank LIMIT ?
     )
     SELECT min(span) AS span, fate, label, bytes, found.record, gone.compression FROM found
     JOIN gone ON gone.record = found.record
     JOIN piece ON piece.record = found.record AND piece.compression = gone.compression AND piece.span IS NOT NULL
     JOIN record ON record.id = found.record
     GROUP BY found.record ORDER BY found.score, found.record DESC`,
  )
  return (match, limit) => statement.all([...ids, match, limit]) as Row[]
}

/** Words as the index has them: letters, digits and `_`. */
function findWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_\p{M}]+/gu) ?? []
  return [...new Set(words)].slice(0, MOST_WORDS)
}

function cutExcerpt(text: string, words: readonly string[], query: string): string {
  const lower = text.toLowerCase()
  const whole = lower.indexOf(query.trim().toLowerCase())
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const at = whole >= 0 ? whole : Math.min(...places, Number.MAX_SAFE_INTEGER)
  const start = at > text.length ? 0 : Math.max(0, at - EXCERPT_BEFORE)
  const end = start + EXCERPT_CHARACTERS
  return `${start > 0 ? '…' : ''}${text.slice(start, end).trim()}${end < text.length ? '…' : ''}`
}
