/** Ranked search in what compressions removed or changed. */
import type { Database } from '../database/database.ts'
import type { ArchivedCompression } from './compressions.ts'
import { type ArchivedSpan, createRecordReader } from './read-original.ts'
import { type FoundRecord, findWords, searchIndexes } from './search-index.ts'
import { nameRecord, renderSearchableText, SUMMARY_LABEL } from './searchable-text.ts'

export interface FoundSpan extends Pick<ArchivedSpan, 'span' | 'fate' | 'label' | 'bytes'> {
  /** The entry it belongs to. */
  readonly compression: string
  /** Without secrets; one or several lines. */
  readonly excerpt: string
}

const MOST_WORDS = 20
// What a compression leaves is stored again under other ids, and may go with the next one.
const COPIES_OF_EACH = 2
// One of precis, one of the agent itself, each maybe stored twice.
const SUMMARIES_OF_EACH = 4
const EXCERPT_BEFORE = 100
const EXCERPT_CHARACTERS = 400

/**
 * Those with all words before those with some; of equal ones the most telling first. Summaries come last: they have words of
 * everything, and what they were made of is there too. What is stored twice is found once.
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
  const read = createRecordReader(database)
  const [spans, summaries]: [FoundSpan[], FoundSpan[]] = [[], []]
  const texts = new Set<string>()
  for (const record of found) {
    if (spans.length === limit) break
    const span = await findFirstSpan(database, record)
    if (!span) continue
    const bytes = await read(record.record)
    const text = renderSearchableText(bytes)
    if (texts.has(text)) continue
    texts.add(text)
    const label = nameRecord(span.label, bytes)
    const compression = names.get(record.compression) ?? ''
    const list = label === SUMMARY_LABEL ? summaries : spans
    list.push({ ...span, label, compression, excerpt: cutExcerpt(text, words, query) })
  }
  return [...spans, ...summaries].slice(0, limit)
}

async function findFirstSpan(database: Database, { record, compression }: FoundRecord) {
  const [span] = await database.all<Pick<ArchivedSpan, 'span' | 'fate' | 'label' | 'bytes'>>(
    `SELECT span, fate, label, bytes FROM piece JOIN record ON record.id = piece.record
     WHERE piece.record = ? AND compression = ? AND span IS NOT NULL ORDER BY span LIMIT 1`,
    [record, compression],
  )
  return span
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
