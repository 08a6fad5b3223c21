const KEPT_REQUESTS = 8
// OpenAI caches from 1024 tokens on, the others from about as many.
const MIN_CHARACTERS = 4096

/**
 * How many characters a request has in common with the beginning of one of the newest before it, as
 * a cache would.
 */
export function measurePrefixes(): (key: string, raw: string) => number {
  const seen = new Map<string, string[]>()
  return (key, raw) => {
    const earlier = seen.get(key) ?? []
    const shared = Math.max(0, ...earlier.map((text) => measureSharedPrefix(text, raw)))
    seen.set(key, [...earlier, raw].slice(-KEPT_REQUESTS))
    return shared >= MIN_CHARACTERS ? shared : 0
  }
}

/** Length of the common beginning. */
export function measureSharedPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}
