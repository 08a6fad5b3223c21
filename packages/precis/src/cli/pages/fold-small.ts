/** A list that is bounded: the largest of its items, and how many lie between them. */
export type Folded<T> =
  | { readonly type: 'item'; readonly item: T }
  | { readonly type: 'run'; readonly items: readonly T[] }

/** In the order of the items; at most `most` of them stand alone, the largest, the rest in runs. */
export function foldSmall<T>(items: readonly T[], most: number, sizeOf: (item: T) => number): Folded<T>[] {
  const sizes = items.map(sizeOf)
  const limit = sizes.length > most ? ([...sizes].sort((a, b) => b - a)[most] ?? 0) : Number.NEGATIVE_INFINITY
  const folded: Folded<T>[] = []
  let run: T[] = []
  for (const [index, item] of items.entries()) {
    if ((sizes[index] ?? 0) <= limit) {
      run.push(item)
      continue
    }
    if (run.length > 0) folded.push({ type: 'run', items: run })
    run = []
    folded.push({ type: 'item', item })
  }
  if (run.length > 0) folded.push({ type: 'run', items: run })
  return folded
}
