/**
 * What a compression did to a request that its provider would not notice, or would take in silence:
 * a second look at both bodies.
 */
import { findTornBonds, readIds } from './bonds.ts'
import {
  isObject,
  type JsonObject,
  type Piece,
  type ProviderRules,
  type Violation,
} from './provider.ts'

export type FindingKind =
  /** One half of what belongs together is left. */
  | 'pair-torn'
  /**
   * An item of a model stays with its id where the reasoning is gone that the provider stored with
   * it.
   */
  | 'reasoning-torn'
  /** Neither the newest compaction of the provider nor its readable text is left. */
  | 'compaction-lost'
  /**
   * Text that was not in the request stands before the newest compaction, where the provider drops
   * it.
   */
  | 'written-before-compaction'
  /** A system or developer message in the middle is neither there nor quoted. */
  | 'operator-lost'
  /** The same of a message of the user. */
  | 'user-lost'
  /** The newest message of the user is not what it was. */
  | 'newest-changed'

export interface Finding {
  readonly kind: FindingKind
  readonly detail: string
}

/**
 * What the provider would refuse now and would not have before: a call at the end of a live history
 * is still to be answered.
 */
export function findNewViolations(
  rules: ProviderRules,
  before: JsonObject,
  after: JsonObject,
): Violation[] {
  const known = new Set(rules.judge(before).map(nameViolation))
  return rules.judge(after).filter((violation) => !known.has(nameViolation(violation)))
}

/** Wherever it is in the request. */
const nameViolation = ({ rule, detail }: Violation): string =>
  `${rule} ${detail.replace(/\b[a-z]+\.\d+/g, '')}`

export function compareBodies(
  rules: ProviderRules,
  before: JsonObject,
  after: JsonObject,
): Finding[] {
  const given = rules.readPieces(before)
  const left = rules.readPieces(after)
  return [
    ...findTornPairs(given, left),
    ...findTornReasoning(given, left),
    ...findLostCompaction(given, left, after),
    ...findLostWords(given, after),
    ...findChangedRequest(given, left),
  ]
}

function findTornPairs(given: readonly Piece[], left: readonly Piece[]): Finding[] {
  return findTornBonds(given, left).map(({ first, second }) => ({
    kind: 'pair-torn',
    detail: `${first.type} ${first.id} and ${second.type} ${second.id}`,
  }))
}

/**
 * "Item 'fc_…' was provided without its required 'reasoning' item: 'rs_…'." What stands before a
 * compaction may go (developers.openai.com, compaction).
 */
function findTornReasoning(given: readonly Piece[], left: readonly Piece[]): Finding[] {
  const ids = new Set(left.map(readItemId))
  let lost: string | undefined
  return given.flatMap((piece) => {
    const id = readItemId(piece)
    if (piece.side !== 'model' || readCompaction(piece) !== undefined) lost = undefined
    if (piece.type === 'reasoning') lost = ids.has(id) ? undefined : id
    if (piece.type === 'reasoning' || lost === undefined || id === undefined || !ids.has(id))
      return []
    return [{ kind: 'reasoning-torn' as const, detail: `${piece.type} ${id} without ${lost}` }]
  })
}

const readItemId = ({ value: { id }, messageId }: Piece): string | undefined =>
  typeof id === 'string' ? id : messageId

const COMPACTIONS = new Set(['compaction', 'compaction_summary', 'context_compaction'])

/** What a compaction holds; one that failed holds nothing. */
function readCompaction(piece: Piece): string | undefined {
  const { encrypted_content: encrypted, content } = readContents(piece)
  const held = encrypted ?? content
  return typeof held === 'string' && held !== '' ? held : undefined
}

/** The AI SDK has what is its provider's among the options of a part. */
function readContents({ type, value }: Piece): JsonObject {
  if (COMPACTIONS.has(type)) return value
  const { openai, anthropic } = isObject(value.providerOptions) ? value.providerOptions : {}
  if (isObject(openai) && openai.type === 'compaction')
    return { encrypted_content: openai.encryptedContent }
  return isObject(anthropic) && anthropic.type === 'compaction' ? { content: value.text } : {}
}

const findNewestCompaction = (pieces: readonly Piece[]): number =>
  pieces.findLastIndex((piece) => readCompaction(piece) !== undefined)

function findLostCompaction(
  given: readonly Piece[],
  left: readonly Piece[],
  after: JsonObject,
): Finding[] {
  const newest = given[findNewestCompaction(given)]
  const content = newest && readCompaction(newest)
  if (!newest || content === undefined) return []
  const place = left.findLastIndex((piece) => readCompaction(piece) === content)
  if (place < 0) {
    const isReadable =
      readContents(newest).encrypted_content === undefined && isSaid(content, after)
    return isReadable ? [] : [{ kind: 'compaction-lost', detail: content.slice(0, 60) }]
  }
  const known = new Set(given.flatMap(nameAll))
  const written = left
    .slice(0, place)
    .find(
      (piece) =>
        !nameAll(piece).some((name) => known.has(name)) &&
        !isClearedMedia(piece, given) &&
        !isLatePart(piece, given),
    )
  if (!written) return []
  return [
    { kind: 'written-before-compaction', detail: JSON.stringify(written.value).slice(0, 120) },
  ]
}

/**
 * The line for a picture of the user, as text of its message: what is left of a piece, as the
 * beginning of a clipped text is. It says nothing that the picture did not, which the provider drops
 * there too (platform.claude.com/docs, compaction) or reads (developers.openai.com, compaction), and
 * the report names the step that cleared it.
 */
const isClearedMedia = ({ side, value: { text } }: Piece, given: readonly Piece[]): boolean =>
  side === 'user' &&
  typeof text === 'string' &&
  /^\[(?:image|file) [^\]]{1,200}: cleared\]$/.test(text) &&
  given.some((piece) => piece.side === 'user' && typeof piece.value.text !== 'string')

/**
 * A part whose other half a follower removed in an earlier request, as text: it stands where the part
 * stood, which the provider drops there too.
 */
const isLatePart = ({ value: { text } }: Piece, given: readonly Piece[]): boolean => {
  const [, type] =
    typeof text === 'string'
      ? (/^\[It belongs to a part that was removed earlier: (\S{1,80}) /.exec(text) ?? [])
      : []
  return type !== undefined && given.some((piece) => piece.side === 'result' || piece.type === type)
}

const BEGINNING = 8

/** By what a piece is known again: its text, or any of its ids. */
function nameAll({ type, value }: Piece): string[] {
  // The beginning is what is left of a text that was clipped.
  if (typeof value.text === 'string') return [`${type} ${value.text.slice(0, BEGINNING)}`]
  const ids = readIds(value)
  return ids.length === 0 ? [`${type} ${JSON.stringify(value)}`] : ids.map((id) => `${type} ${id}`)
}

const LOST = { operator: 'operator-lost', user: 'user-lost' } as const

/** What stands before the newest compaction is gone already. */
export function findLostWords(given: readonly Piece[], after: JsonObject): Finding[] {
  const json = JSON.stringify(after)
  return given.slice(findNewestCompaction(given) + 1).flatMap(({ side, value }) => {
    if (side !== 'operator' && side !== 'user') return []
    const text = readWords(side, value)
    if (text === undefined || isSaid(text, after) || json.includes(text)) return []
    return [{ kind: LOST[side], detail: text.slice(0, 80) }]
  })
}

/** An operator also gives and takes tools, which is said in no text. */
function readWords(side: 'operator' | 'user', value: JsonObject): string | undefined {
  if (typeof value.text === 'string') return value.text
  return side === 'operator' ? JSON.stringify(value) : undefined
}

function findChangedRequest(given: readonly Piece[], left: readonly Piece[]): Finding[] {
  const last = given.findLast(({ side }) => side === 'user')
  if (!last || given.indexOf(last) < findNewestCompaction(given)) return []
  const kept = new Set(left.map(nameContent))
  const changed = given.find(
    (piece) =>
      piece.message === last.message && !kept.has(nameContent(piece)) && !isAnswer(piece, given),
  )
  return changed
    ? [{ kind: 'newest-changed', detail: JSON.stringify(changed.value).slice(0, 120) }]
    : []
}

/** Whether it answers a part of an unknown type: it is no request, as no result is one. */
function isAnswer(piece: Piece, given: readonly Piece[]): boolean {
  if (typeof piece.value.text === 'string') return false
  const ids = new Set(readIds(piece.value))
  return given.some(
    ({ message, value }) => message !== piece.message && readIds(value).some((id) => ids.has(id)),
  )
}

const nameContent = ({ value }: Piece): string =>
  JSON.stringify({ ...value, cache_control: undefined })

/** Whether a request says a text, quoted or in other lines. */
function isSaid(text: string, body: JsonObject): boolean {
  const wanted = flatten(text)
  return readStrings(body).some((one) => flatten(one).includes(wanted))
}

const flatten = (text: string): string =>
  text
    .replace(/^[ \t]*>+ ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()

function readStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(readStrings)
}
