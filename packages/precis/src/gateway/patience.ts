/** How long a request waits for what is to be done with it. */

import { agents } from '../agents/index.ts'
import type { AgentWire } from '../agents/shared/wire.ts'
import type { ActRequest } from './gateway.ts'

// A person who waits must not wait longer than this for nothing.
export const DEADLINE_MS = 8_000
// A compaction by a model takes minutes; a request that is too long is refused, and one whose
// beginning was shortened before finds another cache: waiting costs less than to pass. Clients give
// up after ten minutes.
export const PATIENCE_MS = 60_000

// Text of fewer bytes for each token is rare: beyond it a request is most likely too long.
const USUAL_BYTES_PER_TOKEN = 3

export interface KnownOfSession {
  /** As the user gave it, or an upstream said it. */
  readonly windowTokens: number | undefined
  /** Whether a request of the session did not go out as it came. */
  readonly isChanged: boolean
  /** Whether the user wants cost to be saved: what passes late is paid for whole. */
  readonly saves: boolean
}

/** In milliseconds. */
export function findPatience(
  request: ActRequest,
  { windowTokens, isChanged, saves }: KnownOfSession,
): number {
  const { body, overflow } = request
  const isTooLong = windowTokens !== undefined && body.length > windowTokens * USUAL_BYTES_PER_TOKEN
  return saves ||
    isChanged ||
    overflow !== undefined ||
    isTooLong ||
    asksToCompact(request) ||
    holdsSummary(request)
    ? PATIENCE_MS
    : DEADLINE_MS
}

/** By its bytes and headers alone: what it really is only a thread finds out. */
export function asksToCompact({ body, purpose, headers, owner }: ActRequest): boolean {
  if (purpose === 'compact' || ownWires.get(owner.agent)?.announcesCompaction?.(headers))
    return true
  return hasAny(body, marks)
}

/** Whether it has an answer of precis in it that its provider is to get in other words. */
export function holdsSummary({ body, owner }: ActRequest): boolean {
  return hasAny(body, summaryMarks.get(owner.agent) ?? [])
}

export function hasAny(body: Uint8Array, texts: readonly Buffer[]): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return texts.some((text) => bytes.includes(text))
}

const wires = agents.flatMap(({ name, wire }) => (wire ? [[name, wire] as const] : []))
const ownWires: ReadonlyMap<string | undefined, AgentWire> = new Map(wires)
const toBytes = (texts: readonly string[]) => texts.map((text) => Buffer.from(text))
const marks = wires.flatMap(([, wire]) => toBytes(wire.marks))
const summaryMarks: ReadonlyMap<string | undefined, readonly Buffer[]> = new Map(
  wires.map(([name, wire]) => [name, toBytes(wire.summaryMarks ?? [])]),
)
