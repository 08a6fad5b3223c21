import { scanEntities } from '../../../facts/entities.ts'
import { pathKey, relativePath } from '../../../facts/paths.ts'

// One wrong name may be a slip, or a name that is only written differently.
const FEWEST = 2
const LARGEST_SHARE = 1 / 3
const MOST_NAMED = 3

/** Names in a summary that stand nowhere in what it was made from, when they are more than a third of all it names. */
export function findInventions(summary: string, shown: readonly string[]): string[] {
  const named = readNames([summary])
  const known = readNames(shown)
  const invented = [...named].filter(([key]) => !known.has(key)).map(([, name]) => name)
  return invented.length >= FEWEST && invented.length > named.size * LARGEST_SHARE ? invented.slice(0, MOST_NAMED) : []
}

/** By what makes two spellings the same: a path by its last component. */
function readNames(texts: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const text of texts) {
    scanEntities(text, (kind, name) => {
      if (kind === 'number-with-unit') return
      const key = kind === 'path' ? pathKey(relativePath(name, undefined)) : name
      names.set(key.slice(key.lastIndexOf('/') + 1).toLowerCase(), name)
    })
  }
  return names
}
