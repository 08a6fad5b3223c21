/**
 * One size for every method, whatever its tokenizer: characters / 4, as the reference scorer
 * counts.
 */

const CHARACTERS_PER_TOKEN = 4

export function countSize(text: string): number {
  return Math.ceil(countCharacters(text) / CHARACTERS_PER_TOKEN)
}

/** How many characters a size has room for. */
export function sizeInCharacters(size: number): number {
  return size * CHARACTERS_PER_TOKEN
}

const SURROGATES = /[\ud800-\udbff][\udc00-\udfff]/g

/** Characters, not UTF-16 units: an emoji is one. */
export function countCharacters(text: string): number {
  return text.length - (text.match(SURROGATES)?.length ?? 0)
}

/** The first characters of a text. */
export function takeFirst(text: string, count: number): string {
  if (text.length <= count) return text
  return hasPairs(text) ? Array.from(text).slice(0, count).join('') : text.slice(0, count)
}

/** The last characters of a text. */
export function takeLast(text: string, count: number): string {
  if (count <= 0) return ''
  if (text.length <= count) return text
  return hasPairs(text) ? Array.from(text).slice(-count).join('') : text.slice(-count)
}

function hasPairs(text: string): boolean {
  return text.search(SURROGATES) >= 0
}
