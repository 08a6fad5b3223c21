const MARK = '…'
// More characters than any token has on average in text worth keeping; a longer beginning is never counted.
const MOST_CHARACTERS_PER_TOKEN = 16

/** The longest beginning that fits with a mark at its end, cut between words; empty when not even one word fits. */
export function clipToTokens(text: string, targetTokens: number, countTokens: (text: string) => number): string {
  const start = text.slice(0, targetTokens * MOST_CHARACTERS_PER_TOKEN)
  if (start.length === text.length && countTokens(text) <= targetTokens) return text
  const ends = findWordEnds(start)
  let low = 0
  let high = ends.length
  // The tokens of a beginning grow with its length, but for a few at a joint: the last check is exact.
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (countTokens(withMark(start.slice(0, ends[middle - 1]))) <= targetTokens) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : withMark(start.slice(0, ends[low - 1]))
}

function withMark(text: string): string {
  return `${text.trimEnd()} ${MARK}`
}

/** Positions at which a word has just ended. A text cut off at its end is no whole word there. */
function findWordEnds(text: string): number[] {
  const ends: number[] = []
  for (let position = 1; position < text.length; position++) {
    const before = text.charCodeAt(position - 1)
    const after = text.charCodeAt(position)
    if (isSpace(before)) continue
    if (isSpace(after) || isWrittenWithoutSpaces(before) || isWrittenWithoutSpaces(after)) ends.push(position)
  }
  return ends
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 0x3000
}

/** Kana, Han and the punctuation between them. Korean is written with spaces. */
function isWrittenWithoutSpaces(code: number): boolean {
  return (code >= 0x3001 && code <= 0x9fff) || (code >= 0xff00 && code <= 0xffef)
}
