/**
 * Finds the places of values in a JSON text, so that one value can be replaced and every other byte
 * stays. It assumes valid JSON. On anything else the answers are useless, but the scan still ends.
 */

/** Half open, in UTF-16 code units of the text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Keys of objects and positions in arrays, from the outside in. */
export type JsonPath = readonly (string | number)[]

export interface Replacement {
  readonly path: JsonPath
  /** The new value as JSON text. Undefined removes the member and one comma next to it. */
  readonly json: string | undefined
  /** Whether a missing key is appended to its object. If not, the replacement has no effect. */
  readonly append?: boolean
}

export type SplicePiece = Span | string

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BYTE_ORDER_MARK = 0xfeff

/**
 * The members of the object that starts at `at`, by key. If a key occurs twice, the last one
 * counts, as in JSON.parse.
 */
export function findMembers(text: string, at = 0): Map<string, Span> {
  const members = new Map<string, Span>()
  for (const { key, value } of scanMembers(text, at)) members.set(key, value)
  return members
}

/** The value under a path. Undefined if there is none. */
export function findValue(text: string, path: JsonPath, at = 0): Span | undefined {
  let span: Span = { start: skipSpace(text, at), end: text.length }
  if (path.length === 0) return { start: span.start, end: skipValue(text, span.start) }
  for (const step of path) {
    const next = findStep(text, span.start, step)
    if (!next) return undefined
    span = next.value
  }
  return span
}

/** The elements of the array under a path. Undefined if there is no array. */
export function findArrayElements(text: string, path: JsonPath = [], at = 0): Span[] | undefined {
  const array = findValue(text, path, at)
  if (!array || text.charCodeAt(array.start) !== OPEN_ARRAY) return undefined
  return [...scanElements(text, array.start)]
}

/** The text with other values in the given places. Every other character is unchanged. */
export function replaceValues(text: string, replacements: readonly Replacement[]): string {
  const pieces = spliceValues(text, replacements)
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : text.slice(piece.start, piece.end)))
    .join('')
}

/**
 * The same as `replaceValues`, as a list of pieces. Throws `RangeError` if two replacements
 * overlap.
 */
export function spliceValues(text: string, replacements: readonly Replacement[]): SplicePiece[] {
  const changes: { start: number; end: number; json: string }[] = []
  for (const replacement of replacements) {
    const { path, json } = replacement
    const span = json === undefined ? findWithComma(text, path) : findValue(text, path)
    if (span) changes.push({ ...span, json: json ?? '' })
    else if (replacement.append && json !== undefined) {
      const end = findAppendPoint(text, path)
      if (end)
        changes.push({
          start: end.at,
          end: end.at,
          json: `${end.comma}${JSON.stringify(path.at(-1))}:${json}`,
        })
    }
  }
  changes.sort((a, b) => a.start - b.start)
  const pieces: SplicePiece[] = []
  let position = 0
  let appendedAt = -1
  for (const change of changes) {
    if (change.start < position)
      throw new RangeError(`Replacing JSON values: two of them overlap at ${change.start}.`)
    if (change.start > position) pieces.push({ start: position, end: change.start })
    const isSecondAppend =
      change.start === change.end && change.start === appendedAt && !change.json.startsWith(',')
    if (change.start === change.end) appendedAt = change.start
    if (change.json !== '') pieces.push(isSecondAppend ? `,${change.json}` : change.json)
    position = change.end
  }
  if (position < text.length) pieces.push({ start: position, end: text.length })
  return pieces
}

/** The first character after white space and a byte order mark. */
export function skipSpace(text: string, at: number): number {
  let position = at
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (
      code !== 0x20 &&
      code !== 0x0a &&
      code !== 0x0d &&
      code !== 0x09 &&
      code !== BYTE_ORDER_MARK
    )
      break
  }
  return position
}

/**
 * The end of the value that starts at `at`. Counts brackets instead of descending, so depth costs
 * nothing.
 */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) return skipString(text, at)
  let position = at
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    for (; position < text.length; position++) {
      const code = text.charCodeAt(position)
      if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code <= 0x20) break
    }
    return position
  }
  let depth = 0
  while (position < text.length) {
    const code = text.charCodeAt(position)
    if (code === QUOTE) {
      position = skipString(text, position)
      continue
    }
    position++
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--
      if (depth === 0) return position
    }
  }
  return position
}

function skipString(text: string, at: number): number {
  let position = at + 1
  for (;;) {
    const quote = text.indexOf('"', position)
    if (quote < 0) return text.length
    let backslashes = 0
    while (quote - 1 - backslashes > at && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH)
      backslashes++
    if (backslashes % 2 === 0) return quote + 1
    position = quote + 1
  }
}

/** A member, including its key, or an element. */
interface Member {
  readonly start: number
  readonly value: Span
}

function* scanMembers(text: string, at: number): Generator<Member & { readonly key: string }> {
  let position = skipSpace(text, at)
  if (text.charCodeAt(position) !== OPEN_OBJECT) return
  position = skipSpace(text, position + 1)
  while (text.charCodeAt(position) === QUOTE) {
    const keyStart = position
    const keyEnd = skipString(text, position)
    position = skipSpace(text, keyEnd)
    if (text.charCodeAt(position) !== COLON) return
    const start = skipSpace(text, position + 1)
    const end = skipValue(text, start)
    yield { key: readKey(text, keyStart, keyEnd), start: keyStart, value: { start, end } }
    position = skipSpace(text, end)
    if (text.charCodeAt(position) !== COMMA) return
    position = skipSpace(text, position + 1)
  }
}

function* scanElements(text: string, at: number): Generator<Span> {
  let position = skipSpace(text, at)
  if (text.charCodeAt(position) !== OPEN_ARRAY) return
  position = skipSpace(text, position + 1)
  while (position < text.length && text.charCodeAt(position) !== CLOSE_ARRAY) {
    const end = skipValue(text, position)
    if (end === position) return
    yield { start: position, end }
    position = skipSpace(text, end)
    if (text.charCodeAt(position) !== COMMA) return
    position = skipSpace(text, position + 1)
  }
}

function readKey(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1)
  if (!key.includes('\\')) return key
  try {
    return String(JSON.parse(text.slice(start, end)))
  } catch {
    return key
  }
}

function findStep(text: string, at: number, step: string | number): Member | undefined {
  if (typeof step === 'number') {
    let position = 0
    for (const value of scanElements(text, at))
      if (position++ === step) return { start: value.start, value }
    return undefined
  }
  let found: Member | undefined
  for (const member of scanMembers(text, at)) if (member.key === step) found = member
  return found
}

/** The member or element under a path, together with one adjacent comma if there is one. */
function findWithComma(text: string, path: JsonPath): Span | undefined {
  const key = path.at(-1)
  const owner = findValue(text, path.slice(0, -1))
  const found = key === undefined || !owner ? undefined : findStep(text, owner.start, key)
  if (!owner || !found) return undefined
  const { start } = found
  const { end } = found.value
  const after = skipSpace(text, end)
  if (text.charCodeAt(after) === COMMA) return { start, end: skipSpace(text, after + 1) }
  let before = start
  while (before > owner.start + 1 && text.charCodeAt(before - 1) <= 0x20) before--
  return { start: text.charCodeAt(before - 1) === COMMA ? before - 1 : start, end }
}

function findAppendPoint(text: string, path: JsonPath): { at: number; comma: string } | undefined {
  const owner = findValue(text, path.slice(0, -1))
  if (!owner || typeof path.at(-1) !== 'string' || text.charCodeAt(owner.start) !== OPEN_OBJECT)
    return undefined
  const isEmpty = text.charCodeAt(skipSpace(text, owner.start + 1)) === CLOSE_OBJECT
  return { at: owner.end - 1, comma: isEmpty ? '' : ',' }
}
