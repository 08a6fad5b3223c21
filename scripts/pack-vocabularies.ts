/**
 * Packs the vocabularies and character classes of tiktoken into modules that any JavaScript host can import.
 *
 *   npx tsx scripts/pack-vocabularies.ts           writes packages/core/src/tokens/encodings/*.packed.ts
 *   npx tsx scripts/pack-vocabularies.ts --check   fails when those files differ from a fresh packing
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Tiktoken } from 'tiktoken'
import { CLASS_LETTERS } from '../packages/core/src/tokens/encodings/characters.ts'
import { DIGITS } from '../packages/core/src/tokens/encodings/vocabulary.ts'

const tiktoken = new URL('../node_modules/tiktoken/', import.meta.url)
const target = new URL('../packages/core/src/tokens/encodings/', import.meta.url)
const LINE_COLUMNS = 120
const LAST_CODE_POINT = 0x10ffff

interface TiktokenFile {
  bpe_ranks: string
}

/** Tokens as latin1 strings, in rank order. The file is one line: `! firstRank base64 base64 …`. */
function readTokens(name: string): string[] {
  const file: TiktokenFile = JSON.parse(readFileSync(new URL(`encoders/${name}.json`, tiktoken), 'utf8'))
  const tokens: string[] = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, firstRank, ...encoded] = line.split(' ')
    if (Number(firstRank) !== tokens.length) throw new Error(`${name}: rank ${firstRank} follows ${tokens.length - 1}`)
    for (const token of encoded) tokens.push(Buffer.from(token, 'base64').toString('latin1'))
  }
  return tokens
}

/** Splits a token into two tokens of the lowest ranks there are; packed ids. */
function findHalves(token: string, ids: ReadonlyMap<string, number>): [left: number, right: number] {
  let best: [number, number] | undefined
  for (let cut = 1; cut < token.length; cut++) {
    const left = ids.get(token.slice(0, cut))
    const right = ids.get(token.slice(cut))
    if (left === undefined || right === undefined) continue
    if (best === undefined || Math.max(left, right) < Math.max(...best)) best = [left, right]
  }
  if (best === undefined) throw new Error(`token ${JSON.stringify(token)} is not two tokens of lower rank`)
  return best
}

/** Three digits of base 64 for each half of each token of two bytes or more, in rank order. */
function packTokens(tokens: readonly string[]): string {
  const ids = new Map<string, number>()
  for (let byte = 0; byte < 256; byte++) ids.set(String.fromCharCode(byte), byte)
  const packed: string[] = []
  for (const token of tokens) {
    if (token.length === 1) continue
    for (const half of findHalves(token, ids)) {
      packed.push(DIGITS.charAt(half >> 12), DIGITS.charAt((half >> 6) & 63), DIGITS.charAt(half & 63))
    }
    ids.set(token, ids.size)
  }
  if (ids.size !== tokens.length) throw new Error(`${tokens.length} tokens, but ${ids.size} distinct`)
  return packed.join('')
}

/**
 * Every code point that one class of tiktoken's own regular expressions matches. A tokenizer made of the 256 bytes and
 * nothing else returns the matched characters as bytes and skips all others.
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

/** The class of every code point as runs: a letter of CLASS_LETTERS and, above one, a length in base 36. */
function packClasses(): string {
  const letters = new Array<string>(LAST_CODE_POINT + 1).fill(CLASS_LETTERS.charAt(0))
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

function renderModule(exportName: string, source: string, packed: string): string {
  const lines = packed.match(new RegExp(`.{1,${LINE_COLUMNS}}`, 'g')) ?? []
  return [
    `// Made by scripts/pack-vocabularies.ts from ${source}. Do not edit.`,
    '/** Inside a function, so that a host which never calls it never builds the string. */',
    `export function ${exportName}(): string {`,
    // A continued string literal: V8 reads it in about 60 % of the time of a template literal.
    `  return '\\\n${lines.join('\\\n')}'`,
    '}',
    '',
  ].join('\n')
}

const { version }: { version: string } = JSON.parse(readFileSync(new URL('package.json', tiktoken), 'utf8'))
const from = (file: string) => `tiktoken ${version}, ${file}`
const modules: Record<string, string> = {
  'o200k.packed.ts': renderModule(
    'packedO200k',
    from('encoders/o200k_base.json'),
    packTokens(readTokens('o200k_base')),
  ),
  'cl100k.packed.ts': renderModule(
    'packedCl100k',
    from('encoders/cl100k_base.json'),
    packTokens(readTokens('cl100k_base')),
  ),
  'classes.packed.ts': renderModule(
    'packedClasses',
    from('regular expression classes of the wasm build'),
    packClasses(),
  ),
}

for (const [file, text] of Object.entries(modules)) {
  const url = new URL(file, target)
  if (!process.argv.includes('--check')) writeFileSync(url, text)
  else if (readFileSync(url, 'utf8') !== text) {
    console.error(`${file} differs from a fresh packing. Run: npx tsx scripts/pack-vocabularies.ts`)
    process.exitCode = 1
  }
}
