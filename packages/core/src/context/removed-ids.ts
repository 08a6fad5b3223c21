/**
 * The ids of parts that compressions removed. A later part may name one: a late result, or half of
 * a pair of an unknown type. A result without its call is refused, so such a part stays as words.
 *
 *   removed    hologram  id: h1
 *   comes      hologram_end  hologram_id: h1   ->   text  [It belongs to … hologram_end {…}]
 */

import { isCompaction } from '../conversation/compaction.ts'
import { LATE_NOTICE } from '../conversation/injected-text.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Part,
  renderPart,
} from '../conversation/message.ts'
import {
  isAnswer,
  listBonds,
  listMentions,
  listTags,
  partKindOf,
  placeOf,
} from '../conversation/read-ties.ts'

export class RemovedIds {
  /** Each id with its place in the first part that had it. That place begins a new pair. */
  readonly #places: Map<string, string>

  constructor(places: Iterable<readonly [string, string]> = []) {
    this.#places = new Map(places)
  }

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** Adds what only `before` has. Ids of `after` are there again. Linear. */
  note(before: readonly Message[], after: readonly Message[]): void {
    for (const [id, place] of findFirstPlaces(before)) this.#places.set(id, place)
    for (const id of findFirstPlaces(after).keys()) this.#places.delete(id)
  }

  /** A later message, as it can be sent. */
  mend(message: Message): readonly Message[] {
    const late = new Set<Part>()
    const loose = new Set<Part>()
    for (const part of message.parts) {
      const bonds = listBonds(part)
      const tags = listTags(part)
      if (!isAnswer(part)) for (const { id } of tags) this.#places.delete(id)
      const named = [...bonds, ...listMentions(part, bonds), ...tags]
      const names = named.filter((bond) => this.#isRemoved(part, bond))
      const isAlone = part.type === 'tool-result' && names.some(({ id }) => id === part.callId)
      if (names.length === 0 || isCompaction(part)) continue
      if (isAlone || part.type === 'opaque') late.add(part)
      else loose.add(part)
      // What names this part is late too.
      for (const bond of late.has(part) ? bonds : []) {
        if (/(?:^|\.)id$/.test(bond.key)) this.#places.set(bond.id, placeOf(part, bond))
      }
    }
    return late.size + loose.size === 0 ? [message] : change(message, late, loose)
  }

  save(): readonly (readonly [string, string])[] {
    return [...this.#places]
  }

  #isRemoved(part: Part, bond: ReturnType<typeof listBonds>[number]): boolean {
    const place = this.#places.get(bond.id)
    if (place === undefined) return false
    const isNew = place === placeOf(part, bond)
    if (!isNew && !(part.type === 'tool-call' && bond.id === part.callId)) return true
    this.#places.delete(bond.id)
    return false
  }
}

/** `late` parts become words, and `loose` ones only lose the ids that name removed parts. */
function change(
  message: Message,
  late: ReadonlySet<Part>,
  loose: ReadonlySet<Part>,
): readonly Message[] {
  const free = <P extends Part>(part: P): P =>
    loose.has(part) ? { ...part, native: undefined, bonds: undefined, mentions: undefined } : part
  const say = <P extends Part>(part: P): readonly (P | ContentPart)[] =>
    late.has(part) ? renderLate(part) : [free(part)]
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ ...message, parts: message.parts.flatMap((part) => say(part)) }]
    case 'assistant':
      return [{ ...message, parts: message.parts.flatMap((part) => say(part)) }]
    case 'tool': {
      const { records } = message
      const results = message.parts.filter((part) => !late.has(part)).map(free)
      const words = message.parts.flatMap((part) => (late.has(part) ? renderLate(part) : []))
      return [
        ...(results.length > 0 ? [{ ...message, parts: results }] : []),
        { role: 'user', origin: 'synthetic', parts: words, records },
      ]
    }
  }
}

function renderLate(part: Part): readonly ContentPart[] {
  const output = part.type === 'tool-result' ? part.output : []
  const text =
    part.type === 'opaque' ? `${part.kind} ${part.text}` : `${nameOf(part)}${readWords(output)}`
  return [
    { type: 'text', text: `${LATE_NOTICE}${text}]` },
    ...output.filter(({ type }) => type === 'image' || type === 'file'),
  ]
}

const nameOf = (part: Part): string =>
  part.type === 'tool-result' && part.name !== undefined ? `${part.name} ` : `${partKindOf(part)} `

const readWords = (output: readonly ContentPart[]): string =>
  output
    .filter((part) => isContentPart(part) && part.type !== 'image' && part.type !== 'file')
    .map(renderPart)
    .join('\n')

/** Each id, or value of an unknown part, with its place in the first part that has it. Linear. */
export function findFirstPlaces(messages: readonly Message[]): Map<string, string> {
  const places = new Map<string, string>()
  for (const { parts } of messages) {
    for (const part of parts) {
      const tags = isAnswer(part) ? [] : listTags(part)
      for (const bond of [...listBonds(part), ...tags])
        if (!places.has(bond.id)) places.set(bond.id, placeOf(part, bond))
    }
  }
  return places
}
