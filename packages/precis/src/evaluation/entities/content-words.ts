const WORDS = /[A-Za-z_][A-Za-z0-9_]+|\d+(?:\.\d+)*/g
const STOP_WORDS = new Set(
  (
    'the a an and or of to in on for with is are was were be been it this that as at by from not no if then else true false null none ' +
    'user assistant call result'
  ).split(' '),
)

/** Words and numbers that carry meaning, in lower case and in order. */
export function listContentWords(text: string): string[] {
  const found: string[] = []
  for (const [match] of text.matchAll(WORDS)) {
    const word = match.toLowerCase()
    if (word.length > 1 && !STOP_WORDS.has(word)) found.push(word)
  }
  return found
}

export function findContentWords(text: string): Set<string> {
  return new Set(listContentWords(text))
}

/** How many of `words` are in `others`. */
export function countShared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0
  for (const word of words) if (others.has(word)) shared++
  return shared
}
