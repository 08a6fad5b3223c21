/**
 * A document of a message format: a request body with its list of records under a key, or the bare
 * list.
 */
import { describeType } from '../../conversation/check-options.ts'
import { isSameList } from '../../conversation/lists.ts'
import { type ByteSource, FormatError, type FormatInput, type FormatOutput } from './format.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from './json.ts'
import { isByteSource, MAX_TEXT_UNITS, readBytes, readPieces } from './lines.ts'
import { rewriteJson } from './rewrite.ts'

export interface JsonDocument {
  /** The value that `openJsonDocument` got. An unchanged document is written as this value. */
  readonly input: FormatInput
  /** The JSON text, including the byte order mark. Undefined if the input was a native value. */
  readonly text: string | undefined
  readonly body: unknown
  readonly listKey: string | undefined
  readonly records: readonly unknown[]
}

/**
 * Throws `FormatError` for anything that is not JSON, and for JSON without a list under one of
 * `listKeys`.
 */
export function openJsonDocument(
  input: FormatInput,
  formatName: string,
  listKeys: readonly string[],
): JsonDocument {
  const { text, body } = openJsonBody(input, formatName)
  // A copy, because the caller may add to the list during a compression.
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

/** Opens JSON without checking its body. Throws `FormatError` for anything that is not JSON. */
export function openJsonBody(
  input: FormatInput,
  formatName: string,
): Pick<JsonDocument, 'input' | 'text' | 'body'> {
  const text = readText(input, formatName)
  return { input, text, body: text === undefined ? input : parseText(text, formatName) }
}

/** A field of the request body. Undefined for a bare list. */
export function readBodyField(document: JsonDocument, key: string): unknown {
  return readMember(document.body, key)
}

/**
 * Records that are the same objects keep their bytes. `fields` are set in the body, and undefined
 * fields are removed.
 */
export function writeJsonDocument(
  document: JsonDocument,
  records: readonly unknown[],
  fields: JsonObject = {},
): FormatOutput {
  const { input, text, body, listKey } = document
  const sameRecords = isSameList(records, document.records)
  const sameFields = Object.keys(fields).every((key) =>
    Object.is(fields[key], readMember(body, key)),
  )
  if (sameRecords && sameFields)
    return isByteSource(input)
      ? { [Symbol.iterator]: () => readPieces(input, 0, input.byteLength) }
      : input
  const members = listKey === undefined || sameRecords ? fields : { ...fields, [listKey]: records }
  const newBody = isJsonObject(body) ? withMembers(body, members) : records
  if (text === undefined) return newBody
  const newText = rewriteJson(text, body, newBody)
  if (typeof input === 'string') return newText
  const bytes = new TextEncoder().encode(newText)
  return input instanceof Uint8Array ? bytes : [bytes]
}

function readText(input: FormatInput, formatName: string): string | undefined {
  if (typeof input === 'string') return input
  if (!(input instanceof Uint8Array) && !isByteSource(input)) return undefined
  return decode(readAll(input, `Reading ${formatName}`), formatName)
}

/** All of a text or of bytes. Throws `FormatError` if a text in it is over 64 MiB. */
export function readWhole(input: FormatInput): string {
  if (typeof input === 'string') return input
  const isBytes = input instanceof Uint8Array || isByteSource(input)
  return isBytes ? new TextDecoder().decode(readAll(input, 'Detecting the format')) : ''
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Refuses a text that is too long before decoding it. After that, each byte takes about a dozen
 * bytes of memory.
 */
function readAll(input: Uint8Array | ByteSource, action: string): Uint8Array {
  const bytes = readBytes(input, 0, input.byteLength)
  if (bytes.length <= MAX_TEXT_UNITS) return bytes
  let start = -1
  for (let quote = bytes.indexOf(QUOTE); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    if (start < 0) start = quote
    else if (!isEscaped(bytes, quote)) {
      const message = `${action}: the text that starts at ${start} is over 64 MiB. No model reads such a text; remove it.`
      if (quote - start > MAX_TEXT_UNITS) throw new FormatError('text-too-long', message)
      start = -1
    }
  }
  return bytes
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at
  while (bytes[before - 1] === BACKSLASH) before--
  return (at - before) % 2 === 1
}

function decode(bytes: Uint8Array, formatName: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // JSON is UTF-8 (RFC 8259, 8.1), and no provider accepts anything else.
    throw new FormatError(
      'binary',
      `Reading ${formatName}: the document is no UTF-8 text. Give a JSON request body.`,
    )
  }
}

function parseText(text: string, formatName: string): unknown {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json.trim() === '')
    throw new FormatError('empty', `Reading ${formatName}: the document is empty.`)
  try {
    return JSON.parse(json)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FormatError(
      'malformed',
      `Reading ${formatName}: the document is no valid JSON (${reason}).`,
    )
  }
}

function describeBody(body: unknown): string {
  if (!isJsonObject(body)) return describeType(body)
  const keys = Object.keys(body)
  if (keys.length === 0) return 'an object without members'
  const shown = keys.slice(0, 8).map((key) => key.slice(0, 40))
  return `an object with "${shown.join('", "')}"${keys.length > shown.length ? ' and more' : ''}`
}
