/** What differs between two histories of the same work. */
import { type Message, renderPart } from '@precis/core'
import { type Comparable, pairUp } from './pair-up.ts'

export interface Difference {
  readonly type: 'kept' | 'removed' | 'added'
  readonly role: Message['role']
  /** All that a reader would see of it. */
  readonly text: string
  /** Position in the old history, from 0; undefined for what was added. */
  readonly before?: number
  /** Position in the new history, from 0; undefined for what was removed. */
  readonly after?: number
}

/** In the order of reading, what was removed before what came in its place. */
export function compareMessages(before: readonly Message[], after: readonly Message[]): Difference[] {
  const [old, written] = [before.map(render), after.map(render)]
  const differences: Difference[] = []
  let [from, to] = [0, 0]
  for (const pair of [...pairUp(old, written), { from: old.length, to: written.length }]) {
    for (; from < pair.from; from++) push(differences, old[from], { type: 'removed', before: from })
    for (; to < pair.to; to++) push(differences, written[to], { type: 'added', after: to })
    push(differences, old[from], { type: 'kept', before: from, after: to })
    from++
    to++
  }
  return differences
}

interface Rendered extends Comparable {
  readonly role: Message['role']
  readonly text: string
}

function render({ role, origin, parts }: Message): Rendered {
  const text = parts.map(renderPart).join('\n')
  const isSaid = origin === 'user' || origin === 'agent' || role === 'tool'
  return { role, text, key: `${role} ${text}`, isSaid }
}

type Place = Pick<Difference, 'type' | 'before' | 'after'>

function push(differences: Difference[], rendered: Rendered | undefined, place: Place): void {
  if (rendered) differences.push({ ...place, role: rendered.role, text: rendered.text })
}
