/** A document of a message format: a request body with its list of records under a key, or the bare list. */
import { FormatError, type FormatInput, type FormatName, type FormatOutput } from '../format.ts'
import { isByteSource, readPieces } from './bytes.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from './object.ts'
import { rewriteJson } from './rewrite.ts'
import { isSameList } from './same-list.ts'

export interface JsonDocument {
  /** What `openJsonDocument` was given: an unchanged document goes out as this very value. */
  readonly input: FormatInput
  /** The JSON text, byte order mark included; undefined when a native value was given. */
  readonly text: string | undefined
  readonly body: unknown
  /** The key of the list; undefined when the body is the list. */
  readonly listKey: string | undefined
  /** The elements of the list: one native message or item each. */
  readonly records: readonly unknown[]
}

/** Throws `FormatError` for what is no JSON, and for JSON without a list under one of `listKeys`. */
export function openJsonDocument(
  input: FormatInput,
  formatName: FormatName,
  listKeys: readonly string[],
): JsonDocument {
  const { text, body } = openJsonBody(input, formatName)
  // A copy: the caller may go on with a list of his own while it is compressed.
  if (Array.isArray(body)) return { input, text, body, listKey: undefined, records: [...body] }
  const listKey = listKeys.find((key) => Array.isArray(readMember(body, key)))
  const records = listKey === undefined ? undefined : readMember(body, listKey)
  if (listKey === undefined || !Array.isArray(records)) {
    throw new FormatError(
      'unknown-format',
      `Reading ${formatName}: found ${describeBody(body)}. Give a request body with a list under "${listKeys.join('" or "')}", or the list itself.`,
    )
  }
  return { input, text, body, listKey, records: [...records] }
}

/** The same before anything is asked of the body. Throws `FormatError` for what is no JSON. */
export function openJsonBody(
  input: FormatInput,
  formatName: FormatName,
): Pick<JsonDocument, 'input' | 'text' | 'body'> {
  const text = readText(input, formatName)
  return { input, text, body: text === undefined ? input : parseText(text, formatName) }
}

/** A field of the request body; undefined also for a bare list. */
export function readBodyField(document: JsonDocument, key: string): unknown {
  return readMember(document.body, key)
}

/**
 * The document with other records. Those that are the very same objects keep their bytes; `fields` are set in the
 * body, or left out of it where undefined.
 */
export function writeJsonDocument(
  document: JsonDocument,
  records: readonly unknown[],
  fields: JsonObject = {},
): FormatOutput {
  const { input, text, body, listKey } = document
  const sameRecords = isSameList(records, document.records)
  const sameFields = Object.keys(fields).every((key) => Object.is(fields[key], readMember(body, key)))
  if (sameRecords && sameFields)
    return isByteSource(input) ? { [Symbol.iterator]: () => readPieces(input, 0, input.byteLength) } : input
  const members = listKey === undefined || sameRecords ? fields : { ...fields, [listKey]: records }
  const newBody = isJsonObject(body) ? withMembers(body, members) : records
  if (text === undefined) return newBody
  const newText = rewriteJson(text, body, newBody)
  if (typeof input === 'string') return newText
  const bytes = new TextEncoder().encode(newText)
  return input instanceof Uint8Array ? bytes : [bytes]
}

function readText(input: FormatInput, formatName: FormatName): string | undefined {
  if (typeof input === 'string') return input
  if (input instanceof Uint8Array) return decode(input, formatName)
  return isByteSource(input) ? decode(input.read(0, input.byteLength), formatName) : undefined
}

function decode(bytes: Uint8Array, formatName: FormatName): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // JSON is UTF-8 (RFC 8259, 8.1); no provider takes anything else.
    throw new FormatError('binary', `Reading ${formatName}: the document is no UTF-8 text. Give a JSON request body.`)
  }
}

function parseText(text: string, formatName: FormatName): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json.trim() === '') throw new FormatError('empty', `Reading ${formatName}: the document is empty.`)
  try {
    return JSON.parse(json)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FormatError('malformed', `Reading ${formatName}: the document is no valid JSON (${reason}).`)
  }
}

function describeBody(body: unknown): string {
  if (!isJsonObject(body)) return `${body === null ? 'null' : `a ${typeof body}`}`
  const keys = Object.keys(body)
  if (keys.length === 0) return 'an object without members'
  const shown = keys.slice(0, 8).map((key) => key.slice(0, 40))
  return `an object with "${shown.join('", "')}"${keys.length > shown.length ? ' and more' : ''}`
}
