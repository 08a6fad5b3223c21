/**
 * Counts the pages of a PDF without a PDF library, from its page objects. They may be plain or in
 * compressed object streams.
 */
import { bisect } from '../../conversation/lists.ts'
import { encodeBase64, openBase64 } from './base64.ts'
import { inflate } from './inflate.ts'

// %PDF-
const SIGNATURE = 'JVBERi0'
const PAGE = '/Page'
const TYPE = '/Type'
const LETTER_S = 's'.charCodeAt(0)

const MOST_BLANKS = 8
const TREE_CHARACTERS = 200
// A node may list hundreds of kids before or after its count.
const LONG_TREE_CHARACTERS = 8_192
const MOST_LONG_NODES = 100
const LINEARIZED_CHARACTERS = 1_024
// A page tree has one node for a few pages. If there are more nodes, the first ones are enough.
const MOST_TREE_NODES = 1_000

/** Whether data that begins at `start` as base64 is a PDF. */
export const isPdf = (base64: string, start = 0): boolean => base64.startsWith(SIGNATURE, start)

/**
 * Pages of a PDF in base64, which starts at `start`. Undefined if nothing can be read, as in an
 * encrypted file with compressed objects. Linear for any content (PDF 32000-1:2008, 7.5.7 and 7.7.3).
 *
 *   2 0 obj << /Type /Pages /Count 140 /Kids [3 0 R …] >>     the page tree (or one that was replaced)
 *   3 0 obj << /Type /Page /Parent 2 0 R … >>                 one for each page (again if edited)
 *   9 0 obj << /Type /ObjStm /Filter /FlateDecode … >>stream  since PDF 1.5: many such objects
 */
export function countPdfPages(base64: string, start = 0): number | undefined {
  const byteAt = openBase64(base64, start)
  const read = (from: number, length: number) => readLatin1(byteAt, from, length)
  const plain: number[] = []
  let nodes = 0
  let longNodes = 0
  let listed = 0
  for (const at of findNames(PAGE_NAMES, base64, start)) {
    const isTree = byteAt(at + PAGE.length) === LETTER_S
    // Letters, digits, and the sign for a byte in hexadecimal. Providers write no others in names.
    if (/[a-z\d#]/i.test(read(at + PAGE.length + Number(isTree), 1)) || !isType(byteAt, at))
      continue
    if (!isTree) plain.push(at)
    else if (nodes++ < MOST_TREE_NODES) {
      const near = readCount(read(at, TREE_CHARACTERS).split('>>', 1)[0])
      const isLong = near === 0 && longNodes++ < MOST_LONG_NODES
      listed = Math.max(listed, near || (isLong ? readLongNode(read, at) : 0))
    }
  }
  const [, linearized] = LINEARIZED.exec(read(0, LINEARIZED_CHARACTERS)) ?? []
  if (plain.length === 0 && linearized !== undefined) return Number(linearized)
  let pages = plain.length
  plain.sort((a, b) => a - b)
  for (const { text, from, to } of readObjectStreams(base64, start, byteAt)) {
    // The pages of a stream that is only stored, not compressed, are plain too.
    pages -= findPlace(plain, to) - findPlace(plain, from)
    for (const [, isTree, rest = ''] of text.matchAll(OBJECT_TYPES)) {
      if (isTree === '') pages++
      else listed = Math.max(listed, readCount(rest))
    }
  }
  // If the pages are encrypted, their tree may still be readable.
  if (pages <= 0) return listed > 0 ? listed : undefined
  return listed > 0 ? Math.min(pages, listed) : pages
}

const readLatin1 = (byteAt: (at: number) => number, from: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(byteAt(from + index))).join('')

/** How many of the sorted numbers are smaller. */
const findPlace = (sorted: readonly number[], limit: number): number =>
  bisect(sorted.length, (index) => sorted[index]! >= limit)

/** The count in a node whose type is at `at`, if it is far after the type, or before it. */
function readLongNode(read: (from: number, length: number) => string, at: number): number {
  const from = Math.max(at - LONG_TREE_CHARACTERS, 0)
  const before = read(from, at - from)
  return (
    readCount(read(at, LONG_TREE_CHARACTERS).split('>>', 1)[0]) ||
    readCount(before.slice(before.lastIndexOf('<<') + 1))
  )
}

const LINEARIZED = /\/Linearized\b[^>]{0,200}\/N\s+(\d{1,7})\b/
const OBJECT_TYPES = /\/Type\s{0,8}\/Page(s?)(?![\w#])([^>]{0,200})/g

const readCount = (dictionary = ''): number =>
  Number(/\/Count\s+(\d{1,7})\b(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? 0)

const OBJECT_STREAM = '/ObjStm'
const DICTIONARY_CHARACTERS = 4_096
// An object stream has about a hundred objects, and no images.
const MOST_STREAM_COST = 1 << 20
const MOST_STREAMS_COST = 16 << 20

/** The objects in compressed streams as text, up to a limit. */
function* readObjectStreams(base64: string, start: number, byteAt: (at: number) => number) {
  const end = Math.floor(((base64.length - start) * 3) / 4)
  let left = MOST_STREAMS_COST
  for (const at of findNames(OBJECT_STREAM_NAMES, base64, start)) {
    if (left <= 0) return
    // To read a dictionary has a cost too, as have broken streams.
    left -= DICTIONARY_CHARACTERS
    const dictionary = readLatin1(byteAt, at, DICTIONARY_CHARACTERS)
    const [head] = /^[\s\S]*?>>\s{0,8}stream\r?\n/.exec(dictionary) ?? []
    if (head === undefined) continue
    const from = at + head.length
    const { bytes, cost, end: to } = inflate(byteAt, from, end, Math.min(MOST_STREAM_COST, left))
    left -= cost
    yield { text: Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''), from, to }
  }
}

interface Needle {
  readonly text: string
  /**
   * Base64 digits before the first complete digit of the name, and bytes before the name in its
   * group of three.
   */
  readonly skipped: number
  readonly shift: number
}

/**
 * A name begins at the first, second or third byte of a group of four digits, so there are three
 * needles.
 */
const createNeedles = (text: string): readonly Needle[] =>
  [0, 1, 2].map((shift) => {
    const name = new TextEncoder().encode('\0'.repeat(shift) + text)
    const skipped = Math.ceil((shift * 8) / 6)
    // Zeros fill the last group. The digits that they share with the name are left out.
    const whole = Math.floor((name.length * 8) / 6)
    return {
      text: encodeBase64(Uint8Array.of(...name, 0, 0)).slice(skipped, whole),
      skipped,
      shift,
    }
  })
const PAGE_NAMES = createNeedles(PAGE)
const OBJECT_STREAM_NAMES = createNeedles(OBJECT_STREAM)

/** Byte positions of everything that begins like the name, in no order. */
function* findNames(needles: readonly Needle[], base64: string, start: number): Generator<number> {
  for (const { text, skipped, shift } of needles) {
    for (
      let found = base64.indexOf(text, start);
      found >= 0;
      found = base64.indexOf(text, found + 1)
    ) {
      const digit = found - start - skipped
      if (digit >= 0 && digit % 4 === 0) yield (digit / 4) * 3 + shift
    }
  }
}

/**
 * Whether the name at `at` is the type of its object: `/Type` before it, and only blanks in
 * between.
 */
function isType(byteAt: (at: number) => number, at: number): boolean {
  const before = readLatin1(byteAt, at - MOST_BLANKS - TYPE.length, MOST_BLANKS + TYPE.length)
  return before.replace(/[\0\t-\r ]+$/, '').endsWith(TYPE)
}
