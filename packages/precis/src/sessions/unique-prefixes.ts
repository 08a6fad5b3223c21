const MIN_PREFIX_LENGTH = 8

/** The shortest beginning of each id that names it alone. In sorted order only neighbours can be alike. */
export function findUniquePrefixes(ids: readonly string[]): Map<string, string> {
  const sorted = [...ids].sort()
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(countShared(id, sorted[index - 1] ?? ''), countShared(id, sorted[index + 1] ?? ''))
      return [id, id.slice(0, Math.max(shared + 1, MIN_PREFIX_LENGTH))]
    }),
  )
}

function countShared(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
