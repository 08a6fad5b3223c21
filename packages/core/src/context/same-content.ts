/** Whether two messages have the same content, and copies of it. */

import { isSameList } from '../conversation/lists.ts'
import { withoutGivenId } from '../formats/langchain/record-shape.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../formats/shared/json.ts'

/**
 * A copy, so that the host may write into the original. Texts and objects with a class of their own
 * are shared.
 */
export function copyContent<Value>(value: Value): Value {
  const copies = new Map<object, object>()
  const waiting: object[] = []
  const copyOne = (original: unknown): unknown => {
    if (!isContainer(original)) return original
    const known = copies.get(original)
    if (known) return known
    const copy = Array.isArray(original) ? [...original] : { ...original }
    copies.set(original, copy)
    waiting.push(copy)
    return copy
  }
  const copied = copyOne(value) as Value
  for (let copy = waiting.pop(); copy !== undefined; copy = waiting.pop()) {
    for (const key of Object.keys(copy)) {
      const member: unknown = Reflect.get(copy, key)
      const own = copyOne(member)
      // Not by assignment: `__proto__` may be a key.
      if (own !== member) Reflect.defineProperty(copy, key, { value: own })
    }
  }
  return copied
}

/** An object with its own way to be written as JSON is not taken apart. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || (isPlain(value) && !('toJSON' in value))
}

/**
 * Whether two messages would be the same JSON, whatever the order of their members. Linear, and
 * deep as they are.
 */
export function isSameContent(left: unknown, right: unknown): boolean {
  const waiting: unknown[] = [left, right]
  while (waiting.length > 0) {
    const b = readPlain(waiting.pop())
    const a = readPlain(waiting.pop())
    if (Object.is(a, b)) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
      if (!isSameBytes(a, b)) return false
      continue
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false
    let members = 0
    for (const key of Object.keys(b)) if (Reflect.get(b, key) !== undefined) members++
    for (const key of Object.keys(a)) {
      const own: unknown = Reflect.get(a, key)
      // JSON has no members that are undefined.
      if (own === undefined) continue
      members--
      const other: unknown = Object.hasOwn(b, key) ? Reflect.get(b, key) : undefined
      if (typeof own !== 'object' && typeof other !== 'object' && !Object.is(own, other))
        return false
      if (!Object.is(own, other)) waiting.push(own, other)
    }
    if (members !== 0) return false
  }
  return true
}

/** Addresses, dates and the messages of some libraries have their own way to be written as JSON. */
export function readPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const toJson: unknown = 'toJSON' in value ? value.toJSON : undefined
  return typeof toJson === 'function' ? toJson.call(value) : value
}

function isSameBytes(a: object, b: object): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.byteLength !== b.byteLength)
    return false
  const left = new Uint8Array(a.buffer, a.byteOffset, a.byteLength)
  const right = new Uint8Array(b.buffer, b.byteOffset, b.byteLength)
  return left.every((byte, index) => byte === right[index])
}

/** Whether JSON restores the value unchanged. */
export function isPlainJson(value: unknown): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) {
      const isKnown =
        ['string', 'boolean', 'undefined'].includes(typeof next) ||
        next === null ||
        Number.isFinite(next)
      if (!isKnown) return false
      continue
    }
    const prototype: unknown = Object.getPrototypeOf(next)
    if (!Array.isArray(next) && prototype !== Object.prototype && prototype !== null) return false
    if ('toJSON' in next) return false
    for (const member of Object.values(next)) waiting.push(member)
  }
  return true
}

const MARKS = ['cache_control', 'cacheControl', 'cachePoint']

const NO_MARKS: JsonObject = Object.fromEntries(MARKS.map((key) => [key, undefined]))

// A message, its blocks, and the blocks of a result in it.
const LEVELS = 3

/**
 * The message without cache marks for the provider, which move with every request. Returns the
 * message itself if it has no marks.
 */
export function withoutCacheMarks<Native extends object>(native: Native): Native {
  return isJsonObject(native) ? (omitMarks(native, LEVELS) as Native) : native
}

/**
 * The parts that two equal messages have in common. A text is the same as one block with it,
 * because hosts write it as a block when they mark it.
 */
export function toComparable(native: unknown): unknown {
  const message = withoutGivenId(readPlain(native))
  const content = readMember(message, 'content')
  return isJsonObject(message) && typeof content === 'string'
    ? withMembers(message, { content: [{ type: 'text', text: content }] })
    : message
}

function omitMarks(value: JsonObject, levels: number): JsonObject {
  if (levels === 0 || !isPlain(value)) return value
  const members: Record<string, unknown> = {}
  for (const key of MARKS) if (Object.hasOwn(value, key)) members[key] = undefined
  const { content } = value
  if (Array.isArray(content)) {
    const blocks = content.map((block: unknown) =>
      isJsonObject(block) ? omitMarks(block, levels - 1) : block,
    )
    if (!isSameList(blocks, content)) members.content = blocks
  }
  if (isJsonObject(value.providerOptions)) {
    const kept = omitProviderMarks(value.providerOptions)
    if (kept !== value.providerOptions) members.providerOptions = kept
  }
  return Object.keys(members).length === 0 ? value : withMembers(value, members)
}

/** `{ anthropic: { cacheControl: … } }` is nothing but a mark. */
function omitProviderMarks(options: JsonObject): JsonObject | undefined {
  const providers = Object.entries(options)
  if (
    !providers.some(([, own]) => isJsonObject(own) && MARKS.some((key) => Object.hasOwn(own, key)))
  )
    return options
  const kept = providers
    .map(([name, own]) => [name, isJsonObject(own) ? withMembers(own, NO_MARKS) : own] as const)
    .filter(([, own]) => !isJsonObject(own) || Object.keys(own).length > 0)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Objects with a class of their own are not taken apart. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
