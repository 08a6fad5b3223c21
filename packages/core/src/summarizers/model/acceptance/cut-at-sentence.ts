import { bisect } from '../../../conversation/bisect.ts'

const LARGEST_EXCESS = 0.2

/** The text without its last sentences or lines, so that it fits; undefined when more than a fifth of it would have to go. */
export function cutAtSentence(
  text: string,
  targetTokens: number,
  countTokens: (text: string) => number,
): string | undefined {
  if (countTokens(text) > targetTokens * (1 + LARGEST_EXCESS)) return undefined
  const ends = findEnds(text)
  const firstTooLong = bisect(ends.length, (at) => countTokens(text.slice(0, ends[at]).trimEnd()) > targetTokens)
  const cut = text.slice(0, ends[firstTooLong - 1] ?? 0).trimEnd()
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
