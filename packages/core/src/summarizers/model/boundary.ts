/**
 * A name that stands nowhere in the texts, for the lines around the data of one call. It is a hash of all of them, so no
 * text can hold it on purpose; the same call gives the same name, so that a finished answer is found again.
 */
export function createBoundary(texts: readonly string[]): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      high = Math.imul(high ^ code, 2654435761)
      low = Math.imul(low ^ code, 1597334677)
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ text.length
  }
  for (;;) {
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
    const name = toHex(high) + toHex(low)
    if (!texts.some((text) => text.includes(name))) return name
  }
}

function toHex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}
