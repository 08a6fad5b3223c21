/**
 * The beginning of a JSON document, read without the rest. `detect` of a message format looks at
 * it.
 */
import { parseJson } from '../../conversation/json-text.ts'
import type { FormatInput } from './format.ts'
import { isJsonObject, type JsonObject, readMember, toObject } from './json.ts'
import { isByteSource, readBytes } from './lines.ts'
import { findArrayElements, findMembers, type Span, skipSpace, skipValue } from './spans.ts'

export interface Preview {
  readonly keys: ReadonlySet<string>
  /** The members of the body that were read to their end, except the list. */
  readonly body: JsonObject
  /** The key of the list. Undefined for a bare list, or if no list was reached. */
  readonly listKey: string | undefined
  /**
   * The objects of the list, or the first ones of a text. If the preview `endsEarly`, the last
   * object may lack members.
   */
  readonly elements: readonly JsonObject[]
  readonly endsEarly: boolean
}

const PREVIEW_UNITS = 1 << 18
const MAX_ELEMENTS = 32

/** Undefined for anything that is not a JSON object or array, and for JSON Lines. */
export function previewJson(input: FormatInput, listKeys: readonly string[]): Preview | undefined {
  const text = readBeginning(input)
  return text === undefined ? previewValue(input, listKeys) : previewText(text, listKeys)
}

/**
 * Whether every element has one of these roles. An element that is cut off by the end of the
 * preview may have none.
 */
export function hasRoles(preview: Preview, roles: readonly string[]): boolean {
  return preview.elements.every(({ role }, index) => {
    if (role === undefined) return preview.endsEarly && index === preview.elements.length - 1
    return typeof role === 'string' && roles.includes(role)
  })
}

/**
 * The first characters of a text or of bytes, without the byte order mark. Undefined for a native
 * value.
 */
export function readBeginning(input: FormatInput, units = PREVIEW_UNITS): string | undefined {
  if (typeof input === 'string') return input.replace(/^\ufeff/, '').slice(0, units)
  if (!(input instanceof Uint8Array) && !isByteSource(input)) return undefined
  const bytes = Math.min(MOST_UNIT_BYTES * (units + 1), input.byteLength)
  return new TextDecoder().decode(readBytes(input, 0, bytes)).slice(0, units)
}

// UTF-8 has no more for a code unit, nor for the byte order mark.
const MOST_UNIT_BYTES = 3

function previewValue(value: unknown, listKeys: readonly string[]): Preview | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    return {
      keys: new Set(),
      body: {},
      listKey: undefined,
      elements: value.filter(isJsonObject),
      endsEarly: false,
    }
  }
  const listKey = listKeys.find((key) => Array.isArray(readMember(value, key)))
  const list = listKey === undefined ? undefined : readMember(value, listKey)
  const elements = Array.isArray(list) ? list.filter(isJsonObject) : []
  return {
    keys: new Set(Object.keys(value)),
    body: toObject(value),
    listKey,
    elements,
    endsEarly: false,
  }
}

function previewText(text: string, listKeys: readonly string[]): Preview | undefined {
  const endsEarly = text.length === PREVIEW_UNITS
  const start = skipSpace(text, 0)
  const opening = text[start]
  if (opening !== '{' && opening !== '[') return undefined
  // Another value follows the first one, so it is JSON Lines.
  if (skipSpace(text, skipValue(text, start)) < text.length) return undefined
  if (opening === '[') {
    return {
      keys: new Set(),
      body: {},
      listKey: undefined,
      elements: readElements(text, start),
      endsEarly,
    }
  }
  const members = findMembers(text, start)
  const listKey = listKeys.find((key) => text[members.get(key)?.start ?? -1] === '[')
  const list = listKey === undefined ? undefined : members.get(listKey)
  if (listKey !== undefined) members.delete(listKey)
  const keys = new Set([...members.keys(), ...(listKey === undefined ? [] : [listKey])])
  const elements = list ? readElements(text, list.start) : []
  return { keys, body: readObject(text, members), listKey, elements, endsEarly }
}

function readElements(text: string, start: number): JsonObject[] {
  const spans = findArrayElements(text, [], start)?.slice(0, MAX_ELEMENTS) ?? []
  return spans.flatMap((span) => {
    const value =
      span.end < text.length
        ? readValue(text, span)
        : readObject(text, findMembers(text, span.start))
    return isJsonObject(value) ? [value] : []
  })
}

/**
 * Only the members that end before the text does. Skips the prototype key, which never identifies a
 * format.
 */
function readObject(text: string, members: ReadonlyMap<string, Span>): JsonObject {
  const entries = [...members].filter(
    ([key, span]) => span.end < text.length && key !== '__proto__',
  )
  return Object.fromEntries(entries.map(([key, span]) => [key, readValue(text, span)]))
}

function readValue(text: string, { start, end }: Span): unknown {
  return parseJson(text.slice(start, end))
}
