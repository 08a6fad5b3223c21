/** Where the elements of a list in a JSON document lie. */

export interface ElementSpan {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])
const OPEN_ARRAY = 0x5b
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
// The document itself, or a member of it that holds messages.
const LISTS = [[], ['messages'], ['input'], ['contents'], ['requests']]

/**
 * One pass that counts brackets, so depth costs nothing. Takes the document to be valid JSON in UTF-8; of anything else it
 * gives some spans, in order and apart from each other. `lists`: keys that lead to a list; the first one there counts.
 */
export function findListElements(bytes: Uint8Array, lists: readonly (readonly string[])[] = LISTS): ElementSpan[] {
  const elements: ElementSpan[] = []
  let depth = 0
  let listDepth = 0
  let text = ''
  // By depth, as far down as a list may lie.
  const keys: string[] = []
  const deepest = Math.max(...lists.map((path) => path.length))
  let start = -1
  let end = 0
  const finish = () => {
    if (start >= 0) elements.push({ start, end })
    start = -1
  }
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position] ?? 0
    if (SPACE.has(byte)) continue
    const isList = listDepth > 0 && depth === listDepth
    if (isList && (byte === COMMA || CLOSE.has(byte))) {
      finish()
      // Only the first list counts.
      if (byte !== COMMA) return elements
      continue
    }
    if (isList && start < 0) start = position
    if (byte === QUOTE) {
      const close = skipString(bytes, position)
      if (depth <= deepest && listDepth === 0) text = readKey(bytes, position + 1, close)
      position = close
    } else if (byte === COLON) {
      if (depth <= deepest) keys[depth] = text
    } else if (OPEN.has(byte)) {
      depth++
      if (depth <= deepest) keys[depth] = ''
      if (listDepth === 0 && byte === OPEN_ARRAY && lists.some((path) => leadsTo(path, keys, depth))) listDepth = depth
    } else if (CLOSE.has(byte)) depth--
    end = position + 1
  }
  return elements
}

function leadsTo(path: readonly string[], keys: readonly string[], depth: number): boolean {
  return path.length === depth - 1 && path.every((key, index) => keys[index + 1] === key)
}

/** The place of the quote that ends the string. */
function skipString(bytes: Uint8Array, at: number): number {
  let position = at + 1
  for (; position < bytes.length; position++) {
    if (bytes[position] === BACKSLASH) position++
    else if (bytes[position] === QUOTE) break
  }
  return position
}

const LONGEST_KEY = 16

function readKey(bytes: Uint8Array, start: number, end: number): string {
  return end - start > LONGEST_KEY ? '' : Buffer.from(bytes.subarray(start, end)).toString('latin1')
}
