/** Finds many runs of words in texts at once: linear in the phrases and in the texts. */

//   text      see   src   .   npm   run   check   again        words become numbers, 0 for those in no phrase
//   numbers   0     0     0   4     5     6       0
//   opening                   └─ first 4 words, hashed ─┘      known? then the whole phrase is compared by its hash

interface Phrase {
  readonly text: string
  readonly words: readonly number[]
}

/** Phrases that open with the same words, by their number of words and then by their hash. */
type Opening = Map<number, Map<number, Phrase[]>>

const OPENING_WORDS = 4
const FILTER_SIZE = 1 << 18
// An odd multiplier keeps a polynomial hash modulo 2³² from losing its early words.
const BASE = 0x01_00_01_93

/** Phrases without words are never found. */
export function createPhraseFinder(phrases: readonly string[]): (texts: readonly string[]) => Set<string> {
  const known = new KnownWords()
  const openings = indexPhrases(phrases, known)
  const sizes = [...openings.keys()].filter((size) => openings[size]!.size > 0)
  const isLikely = createFilter(openings)
  return (texts) => {
    const found = new Set<string>()
    if (sizes.length === 0) return found
    const longest = texts.reduce((length, text) => Math.max(length, text.length), 0)
    const hashed = new HashedWords(longest)
    for (const text of texts) {
      hashed.clear()
      scanWords(text, (start, end, hash) => hashed.push(known.find(text, start, end, hash)))
      for (const size of sizes) findIn(hashed, size, openings[size]!, isLikely, found)
    }
    return found
  }
}

/** Numbers of the words of one text, with the hash of any run of them at hand. Made once for many texts. */
class HashedWords {
  readonly numbers: Int32Array
  readonly #hashes: Int32Array
  readonly #powers: Int32Array
  length = 0

  constructor(mostWords: number) {
    this.numbers = new Int32Array(mostWords)
    this.#hashes = new Int32Array(mostWords + 1)
    this.#powers = new Int32Array(mostWords + 1)
    this.#powers[0] = 1
    for (let count = 1; count <= mostWords; count++) this.#powers[count] = Math.imul(this.#powers[count - 1]!, BASE)
  }

  clear(): void {
    this.length = 0
  }

  push(number: number): void {
    this.numbers[this.length] = number
    this.#hashes[this.length + 1] = (Math.imul(this.#hashes[this.length]!, BASE) + number) | 0
    this.length++
  }

  hashBetween(start: number, end: number): number {
    return (this.#hashes[end]! - Math.imul(this.#hashes[start]!, this.#powers[end - start]!)) | 0
  }
}

function indexPhrases(phrases: readonly string[], known: KnownWords): Map<number, Opening>[] {
  const openings = Array.from({ length: OPENING_WORDS + 1 }, () => new Map<number, Opening>())
  for (const text of new Set(phrases)) {
    const words: number[] = []
    scanWords(text, (start, end, hash) => words.push(known.add(text, start, end, hash)))
    if (words.length === 0) continue
    const size = Math.min(words.length, OPENING_WORDS)
    const opening = getOrCreate(openings[size]!, hashOf(words, 0, size), () => new Map())
    const ofLength = getOrCreate(opening, words.length, () => new Map<number, Phrase[]>())
    getOrCreate<Phrase[]>(ofLength, hashOf(words, 0, words.length), () => []).push({ text, words })
  }
  return openings
}

function getOrCreate<Value>(map: Map<number, Value>, key: number, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

/** One bit for each hash that opens a phrase: most words of a text are told apart without a look-up. */
function createFilter(openings: readonly Map<number, Opening>[]): (hash: number) => boolean {
  const bits = new Uint8Array(FILTER_SIZE)
  const bitOf = (hash: number) => (hash ^ (hash >>> 16)) & (FILTER_SIZE - 1)
  for (const ofSize of openings) for (const hash of ofSize.keys()) bits[bitOf(hash)] = 1
  return (hash) => bits[bitOf(hash)] === 1
}

function findIn(
  text: HashedWords,
  size: number,
  openings: ReadonlyMap<number, Opening>,
  isLikely: (hash: number) => boolean,
  found: Set<string>,
): void {
  for (let start = 0; start + size <= text.length; start++) {
    if (text.numbers[start] === UNKNOWN) continue
    const hash = text.hashBetween(start, start + size)
    const opening = isLikely(hash) ? openings.get(hash) : undefined
    if (!opening) continue
    for (const [length, ofLength] of opening) {
      const end = start + length
      const alike = end <= text.length ? ofLength.get(text.hashBetween(start, end)) : undefined
      for (const phrase of alike ?? []) {
        if (!found.has(phrase.text) && standsAt(text.numbers, start, phrase.words)) found.add(phrase.text)
      }
    }
  }
}

function standsAt(numbers: Int32Array, start: number, words: readonly number[]): boolean {
  return words.every((word, index) => numbers[start + index] === word)
}

function hashOf(numbers: readonly number[], start: number, end: number): number {
  let hash = 0
  for (let index = start; index < end; index++) hash = (Math.imul(hash, BASE) + numbers[index]!) | 0
  return hash
}

const UNKNOWN = 0

/** Numbers for the words of the phrases. Words of a text are looked up by hash and compared, never copied. */
class KnownWords {
  readonly #byHash = new Map<number, { readonly word: string; readonly number: number }[]>()
  #count = UNKNOWN

  add(text: string, start: number, end: number, hash: number): number {
    const known = this.find(text, start, end, hash)
    if (known !== UNKNOWN) return known
    const entry = { word: text.slice(start, end), number: ++this.#count }
    const same = this.#byHash.get(hash)
    if (same) same.push(entry)
    else this.#byHash.set(hash, [entry])
    return entry.number
  }

  find(text: string, start: number, end: number, hash: number): number {
    const same = this.#byHash.get(hash)
    if (!same) return UNKNOWN
    for (const { word, number } of same) if (word.length === end - start && text.startsWith(word, start)) return number
    return UNKNOWN
  }
}

const SPACE = 1
const SIGN = 2
const WORD = 3
/** A letter of a script that is written without spaces. */
const SINGLE = 4
const CLASSES = new Uint8Array(0x1_00_00)
for (let code = 0; code < 128; code++) CLASSES[code] = classify(code)

/** Words, and signs one by one; white space separates and is no word. */
function scanWords(text: string, visit: (start: number, end: number, hash: number) => void): void {
  let position = 0
  while (position < text.length) {
    const code = text.charCodeAt(position)
    const kind = classOf(code)
    const start = position++
    if (kind === SPACE) continue
    let hash = mix(0, code)
    if (kind === WORD) {
      for (; position < text.length; position++) {
        const next = text.charCodeAt(position)
        if (classOf(next) !== WORD) break
        hash = mix(hash, next)
      }
    }
    visit(start, position, hash)
  }
}

function mix(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0
}

function classOf(code: number): number {
  const known = CLASSES[code]!
  if (known > 0) return known
  const kind = classify(code)
  CLASSES[code] = kind
  return kind
}

function classify(code: number): number {
  const character = String.fromCharCode(code)
  if (/\s/.test(character)) return SPACE
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return SINGLE
  // Halves of a pair stay together; what they spell makes no difference here.
  return /[\p{L}\p{N}\p{M}_]/u.test(character) || (code >= 0xd800 && code <= 0xdfff) ? WORD : SIGN
}
