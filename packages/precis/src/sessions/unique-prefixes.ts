import { addToList } from '../files/lists.ts'

const MIN_PREFIX_LENGTH = 8

/**
 * The shortest unique beginning of each id, however often the id is given. Small and large letters
 * are the same, as for who looks for one.
 */
export function findUniquePrefixes(ids: readonly string[]): Map<string, string> {
  const alike = new Map<string, string[]>()
  for (const id of ids) addToList(alike, id.slice(0, MIN_PREFIX_LENGTH).toLowerCase(), id)
  const prefixes = new Map<string, string>()
  for (const group of alike.values()) {
    const [id = ''] = group
    // Most are alike with no other, and need no sorting.
    if (group.length === 1) prefixes.set(id, id.slice(0, MIN_PREFIX_LENGTH))
    else for (const [one, prefix] of findAmongAlike(group)) prefixes.set(one, prefix)
  }
  return prefixes
}

/** In sorted order only neighbors can be alike. */
function findAmongAlike(ids: readonly string[]): [id: string, prefix: string][] {
  const sorted = [...new Set(ids)]
    .map((id) => ({ id, key: id.toLowerCase() }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  return sorted.map(({ id, key }, index) => {
    const shared = Math.max(
      countShared(key, sorted[index - 1]?.key ?? ''),
      countShared(key, sorted[index + 1]?.key ?? ''),
    )
    return [id, id.slice(0, Math.max(shared + 1, MIN_PREFIX_LENGTH))]
  })
}

function countShared(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
