/**
 * Packs the vocabularies and character classes of tiktoken into modules that any JavaScript host
 * can import, beside the sources of core and in what is built of them. A part of the build; what is
 * packed already is left alone.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { Tiktoken } from 'tiktoken'
import { CLASS_LETTERS } from '../packages/core/src/tokens/encodings/pieces.ts'
import {
  ADDED_LIMIT,
  FIRST_LONG_CODE,
  keyOf,
  SHARED_LIMIT,
} from '../packages/core/src/tokens/encodings/vocabulary.ts'

const tiktoken = new URL('../node_modules/tiktoken/', import.meta.url)
const source = new URL('../packages/core/src/tokens/encodings/', import.meta.url)
const built = new URL('../packages/core/dist/tokens/encodings/', import.meta.url)
const LINE_COLUMNS = 120
const LAST_CODE_POINT = 0x10ffff

interface TiktokenFile {
  bpe_ranks: string
}

/** Tokens as latin1 strings, in rank order. The file is one line: `! firstRank base64 base64 …`. */
function readTokens(name: string): string[] {
  const file: TiktokenFile = JSON.parse(
    readFileSync(new URL(`encoders/${name}.json`, tiktoken), 'utf8'),
  )
  const tokens: string[] = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, firstRank, ...encoded] = line.split(' ')
    if (Number(firstRank) !== tokens.length)
      throw new Error(`${name}: rank ${firstRank} follows ${tokens.length - 1}`)
    for (const token of encoded) tokens.push(Buffer.from(token, 'base64').toString('latin1'))
  }
  return tokens
}

/**
 * A number in digits of base 64. Their characters are those from `?` to `~` that have the digit as
 * low six bits.
 */
function renderNumber(value: number, digits: number): string {
  if (value < 0 || value >= 64 ** digits) throw new Error(`${value} does not fit ${digits} digits`)
  let text = ''
  for (let shift = (digits - 1) * 6; shift >= 0; shift -= 6) {
    const digit = (value >> shift) & 63
    text += String.fromCharCode(digit === 63 ? 63 : 64 + digit)
  }
  return text
}

interface Token {
  readonly bytes: string
  readonly rank: number
  readonly key: number
}

/** What a token of a section adds to the one before it. */
interface Step extends Token {
  readonly shared: number
  readonly added: string
}

/** Sections end where the key changes, and have at least this many tokens. */
const SECTION_TOKENS = 30

function divideIntoSections(tokens: readonly string[]): Step[][] {
  const sorted = tokens
    .map(
      (bytes, rank): Token => ({
        bytes,
        rank,
        key: keyOf(Buffer.from(bytes, 'latin1'), 0, bytes.length),
      }),
    )
    .filter(({ bytes }) => bytes.length > 1)
    .sort((a, b) => a.key - b.key || (a.bytes < b.bytes ? -1 : 1))
  const sections: Step[][] = []
  let section: Step[] = []
  let previous: Token | undefined
  for (const token of sorted) {
    if (token.bytes === previous?.bytes)
      throw new Error(`token ${JSON.stringify(token.bytes)} is there twice`)
    if (
      previous === undefined ||
      (section.length >= SECTION_TOKENS && token.key !== previous.key)
    ) {
      section = []
      sections.push(section)
    }
    const base = section.at(-1)?.bytes ?? ''
    let shared = 0
    while (shared < base.length && token.bytes[shared] === base[shared]) shared++
    section.push({ ...token, shared, added: token.bytes.slice(shared) })
    previous = token
  }
  return sections
}

/** The 256 bytes, those that are added most often first. */
function sortBytes(sections: readonly Step[][]): number[] {
  const times = Array.from({ length: 256 }, () => 0)
  for (const { added } of sections.flat()) {
    for (let at = 0; at < added.length; at++) times[added.charCodeAt(at)]! += 1
  }
  return times.map((_, byte) => byte).sort((a, b) => times[b]! - times[a]! || a - b)
}

function renderStep({ rank, shared, added }: Step, codes: readonly number[]): string {
  const sharedDigit = Math.min(shared, SHARED_LIMIT)
  const addedDigit = added.length < ADDED_LIMIT ? added.length : 0
  let text = renderNumber(sharedDigit * ADDED_LIMIT + addedDigit, 1) + renderNumber(rank, 3)
  if (sharedDigit === SHARED_LIMIT) text += renderNumber(shared, 2)
  if (addedDigit === 0) text += renderNumber(added.length, 2)
  for (let at = 0; at < added.length; at++) {
    const code = codes[added.charCodeAt(at)]!
    const long = code - FIRST_LONG_CODE
    text += long < 0 ? renderNumber(code, 1) : renderNumber(FIRST_LONG_CODE * 64 + long, 2)
  }
  return text
}

/** The layout is drawn at `createVocabulary` and `unpackSection`. */
function packTokens(tokens: readonly string[]): string {
  const sections = divideIntoSections(tokens)
  const order = sortBytes(sections)
  const codes = order.map((_, byte) => order.indexOf(byte))
  const texts = sections.map((steps) => steps.map((step) => renderStep(step, codes)).join(''))
  const directory = sections.map(([first], index) => {
    return renderNumber(index === 0 ? 0 : first!.key, 3) + renderNumber(texts[index]!.length, 3)
  })
  return [
    renderNumber(tokens.length, 3),
    renderNumber(sections.length, 3),
    ...directory,
    ...order.map((byte) => renderNumber(byte, 2)),
    ...texts,
  ].join('')
}

/**
 * Every code point that one class of tiktoken's own regular expressions matches. A tokenizer made
 * of the 256 bytes and nothing else returns the matched characters as bytes and skips all others.
 */
function findMembers(pattern: string, characters: string): Set<number> {
  const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte).toString('base64'))
  const splitter = new Tiktoken(`! 0 ${bytes.join(' ')}`, {}, pattern)
  const matched = Buffer.from(splitter.encode_ordinary(characters)).toString('utf8')
  splitter.free()
  return new Set(Array.from(matched, (character) => character.codePointAt(0) ?? -1))
}

const PATTERNS: Record<string, string> = {
  R: '[\\r\\n]',
  S: '[\\s--[\\r\\n]]',
  N: '\\p{N}',
  M: '\\p{M}',
  A: '[\\p{Lm}\\p{Lo}]',
  U: '[\\p{Lu}\\p{Lt}]',
  L: '\\p{Ll}',
}

/**
 * The class of every code point as runs: a letter of CLASS_LETTERS and, above one, a length in base
 * 36.
 */
function packClasses(): string {
  const letters = Array.from({ length: LAST_CODE_POINT + 1 }, () => CLASS_LETTERS.charAt(0))
  let characters = ''
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint++) {
    if (codePoint < 0xd800 || codePoint > 0xdfff) characters += String.fromCodePoint(codePoint)
  }
  for (const [letter, pattern] of Object.entries(PATTERNS)) {
    for (const codePoint of findMembers(pattern, characters)) {
      if (letters[codePoint] !== 'O')
        throw new Error(`U+${codePoint.toString(16)} is in ${letters[codePoint]} and ${letter}`)
      letters[codePoint] = letter
    }
  }
  const runs: string[] = []
  for (let from = 0; from <= LAST_CODE_POINT; ) {
    let to = from + 1
    while (to <= LAST_CODE_POINT && letters[to] === letters[from]) to++
    runs.push(`${letters[from]}${to - from > 1 ? (to - from).toString(36) : ''}`)
    from = to
  }
  return runs.join('')
}

/**
 * A module that gives the bytes when it is asked for them, so that an engine reads only the vocabulary
 * that is needed.
 */
function renderModule(from: string, packed: string): string {
  const lines = (packed.match(new RegExp(`.{1,${LINE_COLUMNS}}`, 'g')) ?? []).map((line) =>
    line.replaceAll('\\', '\\\\'),
  )
  // V8 reads a continued string literal in about 60 % of the time of a template literal.
  return `// Made by scripts/pack-vocabularies.ts from ${from}.\nexport const readPacked = () => new TextEncoder().encode('\\\n${lines.join('\\\n')}')\n`
}

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('package.json', tiktoken), 'utf8'),
)
const modules = {
  'o200k.packed.js': {
    from: 'encoders/o200k_base.json',
    pack: () => packTokens(readTokens('o200k_base')),
  },
  'cl100k.packed.js': {
    from: 'encoders/cl100k_base.json',
    pack: () => packTokens(readTokens('cl100k_base')),
  },
  'classes.packed.js': {
    from: 'regular expression classes of the wasm build',
    pack: packClasses,
  },
}

const isOlder = (file: URL, than: URL) =>
  !existsSync(file) || statSync(file).mtimeMs < statSync(than).mtimeMs

mkdirSync(built, { recursive: true })
for (const [name, { from, pack }] of Object.entries(modules)) {
  const file = new URL(name, source)
  if (isOlder(file, new URL(import.meta.url)) || isOlder(file, new URL('package.json', tiktoken))) {
    writeFileSync(file, renderModule(`tiktoken ${version}, ${from}`, pack()))
  }
  const copy = new URL(name, built)
  if (isOlder(copy, file)) copyFileSync(file, copy)
}
