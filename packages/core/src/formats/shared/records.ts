/** Records are the items that a session stores one by one: lines, or entries of a list. */
import { addTo } from '../../conversation/lists.ts'
import type { Message, Part } from '../../conversation/message.ts'
import { isJsonObject, readMember } from './json.ts'

/**
 * The `native` of a part of a session: its block, and the position of the record that holds the
 * block.
 */
export interface NativeBlock {
  readonly record: number
  readonly block: unknown
  /** Position in the list of blocks, for formats that write single blocks. */
  readonly index?: number | undefined
}

export function isNativeBlock(native: unknown): native is NativeBlock {
  return isJsonObject(native) && typeof native.record === 'number' && 'block' in native
}

/**
 * A block in the shape of the session that is not in any record, because it was converted from
 * another format.
 */
export function createBlock(block: object): NativeBlock {
  return { record: -1, block }
}

/**
 * The block of a provider's API in the `native` of a part. For an item of the Responses API, it is
 * the block at its index.
 */
export function findProviderBlock(native: unknown): unknown {
  if (isNativeBlock(native)) return native.block
  if (!isJsonObject(native)) return undefined
  if (typeof native.ordinal !== 'number' || typeof native.index !== 'number') return native
  const blocks = readMember(native.item, 'content') ?? readMember(native.item, 'output')
  return Array.isArray(blocks) ? blocks[native.index] : native.item
}

/**
 * Groups parts of one message by their record. A part that comes from no record belongs to the part
 * before it.
 */
export function groupByRecord<Any extends Part>(
  parts: readonly Any[],
  records: readonly number[],
  first = records[0],
): Map<number, Any[]> {
  const allowed = new Set(records)
  const groups = new Map<number, Any[]>()
  let record = first
  for (const part of parts) {
    if (isNativeBlock(part.native) && allowed.has(part.native.record)) record = part.native.record
    if (record !== undefined) addTo(groups, record, part)
  }
  return groups
}

/**
 * Groups adjacent messages of one source. A message without a source is a separate group. A result
 * after others joins their source if that accepts results.
 */
export function groupBySource<Source>(
  messages: readonly Message[],
  findSource: (message: Message) => Source | undefined,
  takesResults: (source: Source | undefined) => boolean,
) {
  const groups: { readonly source: Source | undefined; readonly messages: Message[] }[] = []
  for (const message of messages) {
    const source = findSource(message)
    const last = groups.at(-1)
    const isNext = message.role === 'tool' && last?.messages.at(-1)?.role === 'tool'
    const joins =
      source === undefined ? isNext && takesResults(last?.source) : last?.source === source
    if (last && joins) last.messages.push(message)
    else groups.push({ source, messages: [message] })
  }
  return groups
}

/**
 * Puts carried records back among the written ones, each before the first one that was read after
 * it.
 *
 *   read      a   (1)   b   (2)   c        carried: 1, 2
 *   written   a   b′   new   c
 *   placed    a   (1)   b′   new   (2)   c
 */
export function* placeAmong<Item>(
  written: Iterable<Item>,
  carried: readonly Item[],
  findPlace: (item: Item) => number | undefined,
): Generator<Item> {
  let next = 0
  for (const item of written) {
    const place = findPlace(item)
    for (; place !== undefined && next < carried.length; next++) {
      const other = carried[next]!
      if ((findPlace(other) ?? 0) > place) break
      yield other
    }
    yield item
  }
  yield* carried.slice(next)
}

/**
 * The unsent records that a changed copy keeps, in order. Each stays as long as the message before
 * it:
 *
 *   read      (1)   a   (2)   b   (3)   c   (4)        not sent: 1, 2, 3, 4
 *   written   (1)   a   (2)   new       c   (4)
 */
export function findBesideKept(
  order: readonly number[],
  originals: readonly Message[],
  messages: readonly Message[],
): Set<number> {
  const sent = new Set(originals.flatMap(({ records = [] }) => records))
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  let isBeside = sent.size > 0
  return new Set(
    order.filter((record) => {
      if (!sent.has(record)) return isBeside
      isBeside = kept.has(record)
      return false
    }),
  )
}

/** Ids of calls that an edit removed or changed, or whose results it changed. */
export function findGoneCalls(
  originals: readonly Message[],
  messages: readonly Message[],
): Set<string> {
  const kept = new Set(messages.flatMap(({ parts }): readonly Part[] => parts))
  const gone = originals.flatMap(({ parts }): readonly Part[] =>
    parts.filter((part: Part) => !kept.has(part)),
  )
  return new Set(
    gone.flatMap((part) =>
      part.type === 'tool-call' || part.type === 'tool-result' ? [part.callId] : [],
    ),
  )
}

/** Whether one of the ids is a string or a key in the value, at any depth. */
export function namesAny(value: unknown, ids: ReadonlySet<string>): boolean {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' && ids.has(next)) return true
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next) && Object.keys(next).some((key) => ids.has(key))) return true
    for (const member of Object.values(next)) waiting.push(member)
  }
  return false
}

/** The message for another session, in which the records of this session do not exist. */
export function withoutRecords(message: Message): Message {
  const { records: _records, ...rest } = message
  return rest
}
