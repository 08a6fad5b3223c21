/**
 * A UUID that depends on its seed alone, for entries that are written without a source of fresh ones. It only has to
 * differ from those around it, so four rounds of FNV-1a (Fowler, Noll, Vo) with different offsets are enough.
 */
export function deriveUuid(seed: string): string {
  const words = [0x811c9dc5, 0x050c5d1f, 0x9e3779b9, 0x7f4a7c15].map((offset) => {
    let hash = offset
    for (let position = 0; position < seed.length; position++) {
      hash = Math.imul(hash ^ seed.charCodeAt(position), 0x01000193)
    }
    // The last bits of FNV are weak: mix them (finalizer of MurmurHash3).
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0')
  })
  const digits = words.join('')
  // Version 8, variant 10: a UUID of custom making (RFC 9562, section 5.8).
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
}
