/** The pieces of a document before it is stored: the end and the hash of each. */

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Conversation, Message } from '@precis/core'
import type { ByteSource, Format } from '@precis/core/formats'
import type { Piece } from '../agents/shared/agent.ts'
import { splitJson } from '../agents/shared/split-lines.ts'
import { findAgent } from '../sessions/find-sessions.ts'

const HASH_BYTES = 32

/** The pieces of a document that are kept one by one. */
export function splitDocument(source: ByteSource, format: string): Iterable<Piece> {
  return findAgent(format, undefined)?.splitRecords(source) ?? splitJson(source)
}

/** A few dozen bytes for each piece: a gigabyte of session has half a million of them. */
export interface HashedPieces {
  readonly count: number
  /** SHA-256 of the whole document. */
  readonly hash: Buffer
  hashAt(index: number): Buffer
  /** Its range in the document. */
  rangeAt(index: number): { readonly start: number; readonly end: number }
  changeAt(index: number): RecordChange | undefined
}

// Hashing blocks the process. Interruptions are handled here.
const BYTES_BETWEEN_PAUSES = 16 << 20

export async function hashPieces(
  source: ByteSource,
  format: string,
  changes: ReadonlyMap<number, RecordChange>,
): Promise<HashedPieces> {
  const whole = createHash('sha256')
  let hashes = Buffer.alloc(1 << 15)
  const ends: number[] = []
  const pieceChanges: (RecordChange | undefined)[] = []
  let end = 0
  let pauseAt = BYTES_BETWEEN_PAUSES
  for (const { bytes, records } of splitDocument(source, format)) {
    whole.update(bytes)
    const at = ends.length * HASH_BYTES
    if (at === hashes.length) hashes = Buffer.concat([hashes], 2 * hashes.length)
    createHash('sha256').update(bytes).digest().copy(hashes, at)
    end += bytes.length
    ends.push(end)
    pieceChanges.push(merge(records, changes))
    if (end < pauseAt) continue
    await setImmediate()
    pauseAt = end + BYTES_BETWEEN_PAUSES
  }
  return {
    count: ends.length,
    hash: whole.digest(),
    hashAt: (index) => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
    rangeAt: (index) => ({ start: ends[index - 1] ?? 0, end: ends[index] ?? 0 }),
    changeAt: (index) => pieceChanges[index],
  }
}

/** A piece may hold several records. */
function merge(
  records: readonly number[],
  changes: ReadonlyMap<number, RecordChange>,
): RecordChange | undefined {
  let merged: RecordChange | undefined
  for (const record of records) {
    const change = changes.get(record)
    if (merged && change && change.fate !== merged.fate) return { ...merged, fate: 'changed' }
    merged ??= change
  }
  return merged
}

export function isGone(change: RecordChange | undefined): boolean {
  return change !== undefined && change.fate !== 'kept'
}

/** `changed`: something else of the same record replaces it. */
type ChangeKind = 'kept' | 'changed' | 'removed'

export interface RecordChange {
  readonly fate: ChangeKind
  /** Who says it and which tools it calls, one line: `assistant: Read, Bash`. */
  readonly label: string
}

/** The columns of a piece that no hash of its record covers. */
export interface StoredChange {
  readonly position: number
  readonly span: unknown
  readonly fate: unknown
  readonly label: unknown
}

/** SHA-256 over pieces with a fate, in their order. */
export class ChangesHash {
  readonly #hash = createHash('sha256')

  add({ position, span, fate, label }: StoredChange): void {
    if (fate !== null) this.#hash.update(`${JSON.stringify([position, span, fate, label])}\n`)
  }

  digest(): Buffer {
    return this.#hash.digest()
  }
}

const MOST_NAMES = 4
const NAME_CHARACTERS = 40

/**
 * By number of the record, if it has a message. If a record replaces another, the change belongs to
 * the replacement.
 */
export function findRecordChanges(
  before: Conversation,
  after: Pick<Conversation, 'messages'>,
  format: Pick<Format, 'findStandIns'> | undefined,
): Map<number, RecordChange> {
  const standIns = format?.findStandIns?.(before)
  const kept = new Set(after.messages)
  const written = new Set(after.messages.flatMap(({ records = [] }) => records))
  const changes = new Map<number, RecordChange>()
  for (const message of before.messages) {
    for (const record of message.records ?? []) {
      const fate = kept.has(message) ? 'kept' : written.has(record) ? 'changed' : 'removed'
      const place = standIns?.get(record) ?? record
      const other = changes.get(place)
      // A record may hold several messages.
      if (!other) changes.set(place, { fate, label: describe(message) })
      else if (other.fate !== fate) changes.set(place, { ...other, fate: 'changed' })
    }
  }
  return changes
}

function describe({ role, parts }: Message): string {
  const names = new Set<string>()
  for (const part of parts) {
    const name = part.type === 'tool-call' || part.type === 'tool-result' ? part.name : undefined
    // A cut may halve a character, which no database returns as it was.
    if (name) names.add(Buffer.from(name.slice(0, NAME_CHARACTERS)).toString('utf8'))
    if (names.size === MOST_NAMES) break
  }
  return names.size > 0 ? `${role}: ${[...names].join(', ')}` : role
}
