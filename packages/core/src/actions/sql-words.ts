/** SQL in words, as far as it is read: statements, literals, and what parentheses hold together. */

/**
 * In lower case. A literal is a quote and its place among all: `set status = '0`. With a double quote
 * it may be a name too.
 */
export type Words = readonly string[]

export interface SplitQuery {
  readonly statements: readonly Words[]
  readonly literals: readonly string[]
}

const SPACE = /\s+/y
const WORD = /[\p{L}\p{N}_$.]+|<>|!=|./suy
const QUOTES = '\'"`'

/** None if a quote is not closed. */
export function splitQuery(query: string): SplitQuery {
  const literals: string[] = []
  const statements: string[][] = [[]]
  for (let at = 0; at < query.length; ) {
    const quote = query[at]!
    SPACE.lastIndex = at
    WORD.lastIndex = at
    if (SPACE.test(query)) at = SPACE.lastIndex
    else if (query.startsWith('--', at)) at = findAfter(query, '\n', at)
    else if (query.startsWith('/*', at)) at = findAfter(query, '*/', at + 2)
    else if (QUOTES.includes(quote)) {
      const end = findClosing(query, quote, at + 1)
      if (end < 0) return { statements: [], literals }
      const text = query.slice(at + 1, end).replaceAll(quote + quote, quote)
      statements.at(-1)!.push(`${quote === "'" ? quote : '"'}${literals.push(text) - 1}`)
      at = end + 1
    } else {
      const word = WORD.exec(query)?.[0] ?? quote
      if (word === ';') statements.push([])
      else statements.at(-1)!.push(word.toLowerCase())
      at += word.length
    }
  }
  return { statements: statements.filter(({ length }) => length > 0), literals }
}

function findAfter(query: string, mark: string, from: number): number {
  const found = query.indexOf(mark, from)
  return found < 0 ? query.length : found + mark.length
}

/** -1 if there is none. A quote that is there twice does not close. */
function findClosing(query: string, quote: string, from: number): number {
  let end = query.indexOf(quote, from)
  while (end >= 0 && query[end + 1] === quote) end = query.indexOf(quote, end + 2)
  return end
}

/** Between each of these words that is in no parentheses. */
export function splitAt(words: Words, mark: string): Words[] {
  const pieces: string[][] = [[]]
  let depth = 0
  for (const word of words) {
    if (word === '(') depth++
    if (word === ')') depth--
    if (word === mark && depth === 0) pieces.push([])
    else pieces.at(-1)!.push(word)
  }
  return pieces
}

/** What the parentheses around all of it contain, piece by piece. */
export const splitGroup = (words: Words): Words[] =>
  words[0] === '(' && words.at(-1) === ')' ? splitAt(words.slice(1, -1), ',') : []

/** The value, if these words are a literal or a whole number. */
export function readLiteral(
  words: Words | undefined,
  literals: readonly string[],
): string | undefined {
  const [word = '', ...others] = words ?? []
  if (others.length > 0) return undefined
  return word.startsWith("'") ? literals[Number(word.slice(1))] : /^\d+$/.exec(word)?.[0]
}
