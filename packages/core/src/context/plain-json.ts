/** Whether JSON gives it back as it is. */
export function isPlainJson(value: unknown): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) {
      const isKnown = ['string', 'boolean', 'undefined'].includes(typeof next) || next === null || Number.isFinite(next)
      if (!isKnown) return false
      continue
    }
    const prototype: unknown = Object.getPrototypeOf(next)
    if (!Array.isArray(next) && prototype !== Object.prototype && prototype !== null) return false
    if ('toJSON' in next) return false
    for (const member of Object.values(next)) waiting.push(member)
  }
  return true
}
