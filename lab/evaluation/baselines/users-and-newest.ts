import { renderItems } from '../../../packages/precis/src/replay/items.ts'
import { countCharacters, countSize, sizeInCharacters, takeFirst, takeLast } from '../items/size.ts'
import { type Baseline, OMISSION, renderNewest } from './baseline.ts'

const USERS_SHARE = 0.4

export const usersAndNewest: Baseline = {
  name: 'users-and-newest',
  title: "users' words + newest",
  render(items, size) {
    const words = renderItems(items.filter(({ kind }) => kind === 'user'))
    const most = sizeInCharacters(Math.floor(size * USERS_SHARE))
    const kept =
      countCharacters(words) > most
        ? takeFirst(words, most / 2) + OMISSION + takeLast(words, most / 2)
        : words
    return kept + OMISSION + renderNewest(items, size - countSize(kept))
  },
}
