/** What differs between two histories of the same work. */
import { type Message, renderPart } from '@precis/core'

export interface Difference {
  readonly type: 'kept' | 'removed' | 'added'
  readonly role: Message['role']
  /** All that a reader would see of it. */
  readonly text: string
}

/**
 * In the order of reading, what was removed before what came in its place. One pass: a message that stayed is the first one of
 * the same words behind those that stayed before it, because a compression changes no order.
 */
export function compareMessages(before: readonly Message[], after: readonly Message[]): Difference[] {
  const old = before.map(render)
  const places = new Map<string, number[]>()
  for (const [place, { key }] of old.entries()) {
    const known = places.get(key)
    if (known) known.push(place)
    else places.set(key, [place])
  }
  // From the end, so that of equal messages the newest stays: the end is what compressions keep.
  const pairs: { readonly from: number; readonly to: number }[] = []
  let limit = old.length
  const written = after.map(render)
  for (let to = written.length - 1; to >= 0; to--) {
    const candidates = places.get(written[to]?.key ?? '') ?? []
    while (candidates.length > 0 && (candidates.at(-1) ?? 0) >= limit) candidates.pop()
    const from = candidates.pop()
    if (from === undefined) continue
    pairs.push({ from, to })
    limit = from
  }
  const differences: Difference[] = []
  let [from, to] = [0, 0]
  for (const pair of [...pairs.reverse(), { from: old.length, to: written.length }]) {
    for (; from < pair.from; from++) push(differences, 'removed', old[from])
    for (; to < pair.to; to++) push(differences, 'added', written[to])
    push(differences, 'kept', old[from])
    from++
    to++
  }
  return differences
}

interface Rendered {
  readonly role: Message['role']
  readonly text: string
  readonly key: string
}

function render({ role, parts }: Message): Rendered {
  const text = parts.map(renderPart).join('\n')
  return { role, text, key: `${role} ${text}` }
}

function push(differences: Difference[], type: Difference['type'], rendered: Rendered | undefined): void {
  if (rendered) differences.push({ type, role: rendered.role, text: rendered.text })
}
