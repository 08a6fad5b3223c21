import { type KnownItem, renderScoredItem } from '../../../packages/precis/src/replay/items.ts'
import { countCharacters, sizeInCharacters, takeLast } from '../items/size.ts'

/** A simple rule that any method has to beat: from items to text of a given size. */
export interface Baseline {
  readonly name: string
  /** In the reader's words. */
  readonly title: string
  readonly render: (items: readonly KnownItem[], size: number) => string
}

export const OMISSION = '\n[...]\n'
const LEAST_PIECE_CHARACTERS = 200

/** The newest items, whole, and the end of the one that no longer fits. */
export function renderNewest(items: readonly KnownItem[], size: number): string {
  const parts: string[] = []
  let left = sizeInCharacters(size)
  for (const item of items.toReversed()) {
    const text = renderScoredItem(item)
    const length = countCharacters(text) + 1
    if (length > left) {
      if (left > LEAST_PIECE_CHARACTERS) parts.push(takeLast(text, left))
      break
    }
    parts.push(text)
    left -= length
  }
  return parts.reverse().join('\n')
}
