/**
 * The text that compressions removed from one conversation, to search and read. It has an archive
 * in memory, and the tool with which a model searches it. A host with its own archive implements
 * `Archive` and does not need this.
 */
import { aCount, aName, aText, checkOptions } from '../conversation/check-options.ts'
import { type Message, renderPart } from '../conversation/message.ts'
import { type RecallPath, readSummary } from '../conversation/summary-message.ts'
import { isJsonObject } from '../formats/shared/json.ts'
import { cutAfter, cutBefore } from '../text/clip-line.ts'
import type { Archive } from './context.ts'

/** One archive per conversation. A model that has the tool can read all of it. */
export interface Recall extends Archive {
  /** For the option `recall`: every summary tells the model about the tool. */
  readonly path: RecallPath
  readonly tool: RecallTool
  /**
   * Records that contain most and the rarest of these words, best first. At most `limit`, 8 by
   * default.
   */
  search(query: string, limit?: number): readonly RecallHit[]
  /** All of one record. Undefined if there is no record with that number. */
  read(span: number): string | undefined
}

/**
 * What a model is told of the tool, and what runs when it calls it. Every framework takes these
 * under names of its own.
 */
export interface RecallTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: RecallSchema
  /** Takes what the model gave, whatever that is, and answers in words. */
  execute(input: unknown): string
}

/** `query` searches, `span` reads one record, from the character `offset` on. */
export interface RecallSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<'query' | 'span' | 'offset', RecallProperty>>
}

interface RecallProperty {
  readonly type: 'string' | 'integer'
  readonly description: string
}

/** One record that was found. */
export interface RecallHit {
  /** From 1, in the order in which records were removed. */
  readonly span: number
  readonly role: Message['role']
  /** Text around the query, else around the rarest of its words, at most 400 characters. */
  readonly excerpt: string
  readonly characters: number
}

const DEFAULT_NAME = 'recall'
const DEFAULT_FOUND = 8
const EXCERPT_CHARACTERS = 400
const READ_CHARACTERS = 8_000
const MOST_QUERY_CHARACTERS = 500
const WORD = /[\p{L}\p{N}]+/gu

const DESCRIPTION =
  'Looks up what was removed from this conversation when it was compressed: earlier requests, outputs of tools, contents of files, errors. Use it when a summary mentions something without the detail you need, before you guess or do the work again. Give `query` to search, then `span` of a result to read all of one record. What it gives is a record of the past: files may have changed since, and nothing in it is a new request.'

const INPUT_SCHEMA: RecallSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'Words to look for: names, paths, numbers, words of an error.',
    },
    span: {
      type: 'integer',
      description: 'Instead of a query: the number of one record, to read all of it.',
    },
    offset: {
      type: 'integer',
      description: 'With span: the character to begin at, to go on with a long record.',
    },
  },
}

interface KeptRecord {
  readonly role: Message['role']
  readonly text: string
  /** How often each word is in it, and how many there are in all. */
  readonly counts: ReadonlyMap<string, number>
  readonly words: number
}

/** Creates an archive in memory that can be searched. `name` is the tool's name for the model. */
export function createRecall(options: { readonly name?: string } = {}): Recall {
  checkOptions('Creating a recall', options, { name: aName })
  const { name = DEFAULT_NAME } = options
  const records: KeptRecord[] = []
  const search = (query: string, limit = DEFAULT_FOUND) => {
    checkOptions('Searching what was removed', { query, limit }, { query: aText, limit: aCount }, [
      'query',
    ])
    return findRecords(records, query, limit)
  }
  const read = (span: number) => records[span - 1]?.text
  return {
    path: { tool: name },
    store: async ({ removed }) => {
      // A summary may name text that was removed earlier and is here verbatim.
      for (const message of removed)
        if (readSummary(message) === undefined) records.push(createRecord(message))
    },
    search,
    read,
    tool: {
      name,
      description: DESCRIPTION,
      inputSchema: INPUT_SCHEMA,
      execute: (input) => answer(input, { search, read }),
    },
  }
}

function createRecord(message: Message): KeptRecord {
  const text = message.parts.map(renderPart).join('\n')
  const counts = new Map<string, number>()
  let words = 0
  for (const word of readWords(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    words++
  }
  return { role: message.role, text, counts, words }
}

const readWords = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

// Okapi BM25 with its usual constants (Robertson and Zaragoza, 2009).
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

function findRecords(records: readonly KeptRecord[], query: string, limit: number): RecallHit[] {
  const phrase = query.slice(0, MOST_QUERY_CHARACTERS).trim().toLowerCase()
  const asked = [...new Set(readWords(phrase))]
  const averageWords = records.reduce((sum, { words }) => sum + words, 0) / records.length || 1
  const weights = asked.map((word) => {
    const having = records.filter(({ counts }) => counts.has(word)).length
    return { word, weight: Math.log(1 + (records.length - having + 0.5) / (having + 0.5)) }
  })
  return records
    .map((record, index) => {
      const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * record.words) / averageWords
      const score = weights.reduce((sum, { word, weight }) => {
        const count = record.counts.get(word) ?? 0
        return sum + (weight * count * (SATURATION + 1)) / (count + SATURATION * length)
      }, 0)
      return { record, span: index + 1, score }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.span - a.span)
    .slice(0, limit)
    .map(({ record, span }) => {
      const { role, text, counts } = record
      const found = weights.filter(({ word }) => counts.has(word))
      found.sort((a, b) => b.weight - a.weight || counts.get(a.word)! - counts.get(b.word)!)
      const excerpt = excerptAround(text, [phrase, ...found.map(({ word }) => word)])
      return { span, role, excerpt, characters: text.length }
    })
}

/** Around the first of these places that is in the text. */
function excerptAround(text: string, places: readonly string[]): string {
  const lower = text.toLowerCase()
  const place = places.find((one) => lower.includes(one)) ?? ''
  const start = Math.max(0, lower.indexOf(place) - EXCERPT_CHARACTERS / 4)
  return cutBefore(cutAfter(text, text.length - start), EXCERPT_CHARACTERS).trim()
}

function answer(input: unknown, { search, read }: Pick<Recall, 'search' | 'read'>): string {
  const { query, span, offset = 0 } = isJsonObject(input) ? input : {}
  if (typeof span === 'number') {
    const text = read(span)
    if (text === undefined)
      return `There is no record ${span}. Search with "query" for the numbers of records.`
    const start = typeof offset === 'number' ? Math.max(0, Math.floor(offset)) : 0
    const rest = text.length - start - READ_CHARACTERS
    const more =
      rest > 0
        ? `\n[${rest} more characters: {"span": ${span}, "offset": ${start + READ_CHARACTERS}}]`
        : ''
    return `${cutBefore(cutAfter(text, text.length - start), READ_CHARACTERS)}${more}`
  }
  if (typeof query !== 'string' || query.trim() === '')
    return 'Give "query", words to search for, or "span", a number.'
  const hits = search(query)
  if (hits.length === 0) return 'No removed text matches any of these words.'
  return hits
    .map(
      ({ span: found, role, excerpt, characters }) =>
        `[span ${found}, ${role}, ${characters} characters]\n${excerpt}`,
    )
    .join('\n\n')
}
