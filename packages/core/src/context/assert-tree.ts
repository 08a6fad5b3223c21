import { readPlain } from './same-content.ts'

// A hundred times the depth that `JSON.stringify` supports. Deeper values are circular.
const MOST_LEVELS = 1_000_000

/**
 * Throws `TypeError` for a value that contains itself: no client can send it, and nothing here
 * would come to its end. Linear.
 */
export function assertTree(doing: string, value: unknown): void {
  const done = new Set<object>()
  const open = new Set<object>()
  const path: { readonly value: object; readonly members: readonly unknown[]; next: number }[] = []
  const enter = (member: unknown) => {
    if (
      typeof member !== 'object' ||
      member === null ||
      ArrayBuffer.isView(member) ||
      done.has(member)
    )
      return
    if (open.has(member) || path.length === MOST_LEVELS) {
      throw new TypeError(`${doing}: an object contains itself. Give what JSON can say.`)
    }
    open.add(member)
    path.push({ value: member, members: Object.values(Object(readPlain(member))), next: 0 })
  }
  enter(value)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.next < top.members.length) {
      enter(top.members[top.next++])
      continue
    }
    path.pop()
    open.delete(top.value)
    done.add(top.value)
  }
}
