/** How long a request waits for an action. */

import { agents } from '../agents/index.ts'
import type { AgentWire } from '../agents/shared/wire.ts'
import { asBuffer } from '../files/lines.ts'
import type { ActRequest, AskedWindow } from './gateway.ts'

// A person must not wait longer than this for nothing.
export const DEADLINE_MS = 8_000
// A compaction by a model takes minutes, and a request that is too long is refused. If an earlier
// request was shortened, an unchanged one misses the cache. In these cases waiting costs less than
// passing. Clients give up after ten minutes.
export const PATIENCE_MS = 60_000

// No text has fewer bytes per token, so a shorter request certainly fits.
export const LEAST_BYTES_PER_TOKEN = 1.5
// The bytes of a picture tell nothing about its tokens. Most models count at most 5,000.
const MOST_PICTURE_BYTES = 5_000 * LEAST_BYTES_PER_TOKEN

export interface KnownOfSession extends AskedWindow {
  /** Whether an earlier request of the session was changed. */
  readonly isChanged: boolean
  /** Whether the user wants to save cost. A late request passes at its full price. */
  readonly saves: boolean
}

/** In milliseconds. */
export function findPatience(
  request: ActRequest,
  { windowTokens, isChanged, saves }: KnownOfSession,
): number {
  const { body, overflow } = request
  // Only a thread counts. If a longer request passes first, its cache is paid for twice.
  const mayBeTooLong =
    windowTokens !== undefined && countText(body) > windowTokens * LEAST_BYTES_PER_TOKEN
  return saves ||
    isChanged ||
    overflow !== undefined ||
    mayBeTooLong ||
    asksToCompact(request) ||
    holdsSummary(request)
    ? PATIENCE_MS
    : DEADLINE_MS
}

// What stands before the base64 of a picture, in the words of any API: an address, or a member next
// to its type. In a text, quotes have a backslash.
const ADDRESS = Buffer.from('"data:image/')
const MEMBER = Buffer.from('"data"')
const BACKSLASH = 0x5c
const TYPE = 'image/'
const BASE64 = /^(?:[\w.+-]{1,20};base64,|\s?:\s?")[\w+/\\-]{40}/
const NEAR_BYTES = 100

/** The bytes of a request, without most of each picture. */
function countText(body: Uint8Array): number {
  const bytes = asBuffer(body)
  const read = (start: number, end: number) => bytes.toString('latin1', Math.max(0, start), end)
  let count = bytes.length
  for (const beginning of [ADDRESS, MEMBER]) {
    let at = bytes.indexOf(beginning)
    while (at >= 0) {
      const start = at + beginning.length
      const isInPlace =
        bytes[at - 1] !== BACKSLASH &&
        (beginning === ADDRESS || read(at - NEAR_BYTES, at).includes(TYPE))
      const [sample] = (isInPlace && BASE64.exec(read(start, start + NEAR_BYTES))) || []
      const end = sample === undefined ? start : bytes.indexOf('"', start + sample.length)
      count -= Math.max(0, end - start - MOST_PICTURE_BYTES)
      at = end < 0 ? end : bytes.indexOf(beginning, end)
    }
  }
  return count
}

/** By its bytes and headers. Only a thread finds out what it really is. */
export function asksToCompact({ body, purpose, headers, owner }: ActRequest): boolean {
  if (purpose === 'compact' || ownWires.get(owner.agent)?.announcesCompaction?.(headers))
    return true
  return hasAny(body, marks)
}

/** Whether it contains an answer by precis that its provider gets in another form. */
export function holdsSummary({ body, owner }: ActRequest): boolean {
  return hasAny(body, summaryMarks.get(owner.agent) ?? [])
}

export function hasAny(body: Uint8Array, texts: readonly Buffer[]): boolean {
  const bytes = asBuffer(body)
  return texts.some((text) => bytes.includes(text))
}

const wires = agents.flatMap(({ name, wire }) => (wire ? [[name, wire] as const] : []))
const ownWires: ReadonlyMap<string | undefined, AgentWire> = new Map(wires)
const toBytes = (texts: readonly string[]) => texts.map((text) => Buffer.from(text))
const marks = wires.flatMap(([, wire]) => toBytes(wire.marks))
const summaryMarks: ReadonlyMap<string | undefined, readonly Buffer[]> = new Map(
  wires.map(([name, wire]) => [name, toBytes(wire.summaryMarks ?? [])]),
)
