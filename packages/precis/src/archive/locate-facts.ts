/**
 * How to look up facts that a compression removed: each way was tried on the archive before it is
 * told.
 */

import type { Receipt } from '@precis/core'
import { formsOf } from '@precis/core/actions'
import { quoteForShell } from '../agents/shared/session-files.ts'
import type { Database } from '../database/database.ts'
import { DatabaseError } from '../files/errors.ts'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'
import { type ArchivedCompression, listGenerations } from './compressions.ts'
import { listSpans, readWholeRecords } from './read-original.ts'
import { type FoundSpan, findRun, searchRemoved } from './search-index.ts'
import { renderSearchableText } from './searchable-text.ts'

/**
 * Words that find it. If the words are too common: the record that contains it, or else the
 * original.
 */
interface FactPlace {
  readonly reference: string
  readonly query?: string
  readonly span?: number
}

export interface LocatedFact extends NamedFact {
  /** With the line for a shell, whatever the fact contains. Null if it is not stored. */
  readonly recall: (FactPlace & { readonly command: string }) | null
}

// 3 are visible at first glance. "precis recall" and the tool of the same name show 8.
const PLACES = [3, 8]
// The shorter a command, the more of a terminal is left for the fact.
const QUERY_CHARACTERS = [24, 48]
const LONGEST_QUERY = 60

/** `archive` is what the user gave as `--database`: a command has to say it again. */
export async function locateFacts(
  database: Database,
  entry: ArchivedCompression,
  facts: readonly NamedFact[],
  archive?: string,
): Promise<LocatedFact[]> {
  const kept = facts.filter(({ state }) => state === 'retrievable')
  const generations = await listGenerations(database, entry)
  const places = new Map<string, FactPlace>()
  for (const fact of kept) {
    for (const form of formsOf(fact)) {
      const query = places.has(fact.text) ? undefined : await findQuery(database, generations, form)
      if (query !== undefined) places.set(fact.text, { reference: entry.name, query })
    }
  }
  const open = kept.filter(({ text }) => !places.has(text))
  if (open.length > 0) await findSpans(database, entry, open, places)
  return facts.map((fact) => {
    if (fact.state !== 'retrievable') return { ...fact, recall: null }
    const place = places.get(fact.text) ?? { reference: entry.name }
    return { ...fact, recall: { ...place, command: renderCommand(place, archive) } }
  })
}

/** The shortest part of a fact that finds a record with all of it among the first. */
async function findQuery(
  database: Database,
  generations: readonly ArchivedCompression[],
  text: string,
): Promise<string | undefined> {
  const whole = withoutCut(text)
  const queries = new Set(QUERY_CHARACTERS.map((characters) => cutWords(whole, characters)))
  for (const most of PLACES) {
    for (const query of queries) {
      if (query.length > LONGEST_QUERY) continue
      const found = await searchRemoved(database, generations, query, most).catch(noneOfDamaged)
      if (found.some(({ excerpt }) => findRun(excerpt, whole) >= 0)) return query
    }
  }
  return undefined
}

/** Without an index, the records themselves are searched. */
function noneOfDamaged(error: unknown): readonly FoundSpan[] {
  if (error instanceof DatabaseError && error.code === 'damaged') return []
  throw error
}

// The records that are read immediately, latest first. If a fact is in none of them, the command
// names the whole original.
const MOST_SCANNED_BYTES = 32 << 20

/** Puts the newest record that has it in the place of each fact. */
async function findSpans(
  database: Database,
  entry: ArchivedCompression,
  facts: readonly NamedFact[],
  places: Map<string, FactPlace>,
): Promise<void> {
  const spans = (await listSpans(database, entry)).toReversed()
  let next = 0
  let scannedBytes = 0
  for await (const bytes of readWholeRecords(database, spans)) {
    const { span = 0 } = spans[next++] ?? {}
    const open = facts.filter(({ text }) => !places.has(text))
    if (!bytes) continue
    scannedBytes += bytes.length
    if (open.length === 0 || scannedBytes > MOST_SCANNED_BYTES) return
    const words = renderSearchableText(bytes)
    // A text that is not a search word, such as the type of a block, may still be in the record.
    const raw = Buffer.from(bytes).toString('utf8')
    for (const fact of open) {
      const forms = formsOf(fact).map(withoutCut)
      const isThere = forms.some((form) => findRun(words, form) >= 0 || raw.includes(form))
      if (isThere) places.set(fact.text, { reference: entry.name, span })
    }
  }
}

const UNPRINTABLE = /[\p{C}\p{Z}]+/gu

/** Nothing in it acts on a terminal. */
function withoutCut(text: string): string {
  return text.replace(/…$/, '').replace(UNPRINTABLE, ' ').trim()
}

/**
 * As many whole words as fit: the first of a sentence, and the last of a name, because a path is
 * known by its end.
 */
export function cutWords(text: string, characters: number): string {
  if (text.length <= characters) return text
  const space = text.indexOf(' ')
  if (space >= 0) return text.slice(0, Math.max(text.lastIndexOf(' ', characters), space))
  // An extension alone finds every file.
  const border = text.slice(-characters).search(/[^\p{L}\p{N}_\p{M}](?!\w{1,5}$)/u)
  return border < 0 ? text : text.slice(border - characters + 1)
}

function renderCommand({ reference, query, span }: FactPlace, archive: string | undefined): string {
  const where = archive === undefined ? '' : ` --database ${quoteForShell(archive)}`
  if (query === undefined)
    return `precis restore ${reference}${span === undefined ? '' : ` ${span}`}${where}`
  return `precis recall ${reference}${where} ${query.startsWith('-') ? '-- ' : ''}${quoteForShell(query)}`
}

/** One of the most important lost facts, as a receipt names it. */
export interface NamedFact {
  readonly kind: string
  /** One line of a session, with `…` at its end if it is cut. */
  readonly text: string
  readonly state: 'retrievable' | 'missing'
  readonly writer: string
  readonly count: number
  readonly message: number
  readonly turn: number
}

/** Facts of a stored report. Versions that named no facts have none. */
export function readNamedFacts({ receipt }: JsonObject): NamedFact[] {
  const gone = asObject(receipt)?.gone
  const named: readonly unknown[] = Array.isArray(gone) ? gone : []
  return named.flatMap((value) => {
    const { kind, text, state, writer, count, message, turn } = asObject(value) ?? {}
    const words = asText(text)
    if (words === undefined) return []
    return {
      kind: asText(kind) ?? '',
      text: words,
      state: state === 'retrievable' ? state : 'missing',
      writer: asText(writer) ?? '',
      count: asCount(count),
      message: asCount(message),
      turn: asCount(turn),
    }
  })
}

/**
 * The user's messages in a stored report, and where they are. Zeros for versions that did not count
 * them.
 */
export function readWordCounts({ receipt }: JsonObject): Receipt['words'] {
  const { total, verbatim, clipped, retrievable, missing } =
    asObject(asObject(receipt)?.words) ?? {}
  return {
    total: asCount(total),
    verbatim: asCount(verbatim),
    clipped: asCount(clipped),
    retrievable: asCount(retrievable),
    missing: asCount(missing),
  }
}
