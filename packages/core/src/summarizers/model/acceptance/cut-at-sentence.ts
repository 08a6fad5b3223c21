const LARGEST_EXCESS = 0.2

/** The text without its last sentences or lines, so that it fits; undefined when more than a fifth of it would have to go. */
export function cutAtSentence(
  text: string,
  targetTokens: number,
  countTokens: (text: string) => number,
): string | undefined {
  if (countTokens(text) > targetTokens * (1 + LARGEST_EXCESS)) return undefined
  const ends = findEnds(text)
  // Few steps: it is known that a fifth is enough.
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const end = ends[middle - 1] ?? 0
    if (countTokens(text.slice(0, end).trimEnd()) <= targetTokens) low = middle
    else high = middle - 1
  }
  const cut = text.slice(0, ends[low - 1] ?? 0).trimEnd()
  return cut.length < text.length / 2 ? undefined : withoutLastHeading(cut)
}

/** Positions after which the text may end, ascending. */
function findEnds(text: string): number[] {
  const ends: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\n' || '。！？'.includes(character)) ends.push(at + 1)
    else if ('.!?'.includes(character) && /\s/.test(text.charAt(at + 1))) ends.push(at + 1)
  }
  ends.push(text.length)
  return ends
}

/** A heading with nothing under it says that there was nothing. */
function withoutLastHeading(text: string): string {
  const last = text.lastIndexOf('\n') + 1
  return text.startsWith('#', last) ? text.slice(0, last).trimEnd() : text
}
