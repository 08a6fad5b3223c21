/**
 * Looks up names in a conversation of any length. It reads the conversation once, and keeps only
 * what it looks for.
 */

import type { EntityKind } from '../facts/entities.ts'

/** The mark that code writes after a name. */
export const NAME_MARK = '[not in the conversation]'

/** A name as it appears in a text. */
export interface Name {
  readonly kind: EntityKind
  readonly text: string
}

/** Words that must appear in a source so that a name is known. */
interface Need {
  readonly type: 'word' | 'file' | 'hash'
  readonly key: string
}

/**
 * Names that appear in no source. A path is known by its components, and a hash by its beginning. A
 * name of code is known by its words, however they are joined (`fooBar` is in `make_foo_bar`). A
 * marked name does not make a name known.
 */
export function findUnknown(names: readonly Name[], sources: Iterable<string>): Set<string> {
  const needs = new Map(names.map(({ kind, text }) => [text, listNeeds(kind, text)]))
  const wanted = new Wanted([...needs.values()].flat())
  for (const source of sources) for (const text of leaveOutMarked(source)) wanted.read(text)
  const isUnknown = ([, all]: readonly [string, readonly Need[]]) =>
    !all.every((need) => wanted.isFound(need))
  return new Set([...needs].filter(isUnknown).map(([text]) => text))
}

function listNeeds(kind: EntityKind, text: string): Need[] {
  const lower = text.toLowerCase()
  if (kind === 'commit') return [{ type: 'hash', key: lower }]
  if (kind === 'url') {
    const parts = lower.slice(lower.indexOf('://') + 3).split(/[^\w.@~+-]/)
    return parts
      .map(joinWords)
      .flatMap((key): Need[] => (key === '' ? [] : [{ type: 'word', key }]))
  }
  if (kind !== 'path') return [{ type: 'word', key: joinWords(text) }]
  const components = lower.split('/').map(trimComponent)
  const parts = components.filter((part) => part !== '')
  return parts.map((key, index) =>
    index === parts.length - 1 && key.includes('.') ? { type: 'file', key } : wordOf(key),
  )
}

const wordOf = (component: string): Need => ({ type: 'word', key: joinWords(component) })

const joinWords = (text: string): string => splitWords(text).join('').toLowerCase()

// Words of a name: waitBetween_attempts-2 is wait, Between, attempts, 2. An acronym is one word,
// and digits belong to it.
const WORD = /[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|[A-Z]\d*|\d+/g

const splitWords = (text: string): string[] => text.match(WORD) ?? []

/**
 * The name without dots and hyphens around it: the end of a sentence, the beginning of a hidden
 * file.
 */
function trimComponent(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && JOINERS.has(text[start]!)) start++
  while (end > start && JOINERS.has(text[end - 1]!)) end--
  return text.slice(start, end)
}

const JOINERS = new Set('.-+~@')

const COMPONENT = /[\w.@~+-]+/g
const HASH = /^[\da-f]{7,64}$/
const SHORTEST_HASH = 7
// A longer component is data, not a name.
const LONGEST_COMPONENT = 400
// Names have fewer words.
const MOST_WORDS = 12

class Wanted {
  readonly #words = new Map<string, boolean>()
  readonly #files = new Map<string, boolean>()
  readonly #hashes = new Map<string, boolean>()
  /** Beginnings of the wanted hashes and names. */
  readonly #beginnings = new Set<string>()
  /** Words in the sources with one of these beginnings. */
  readonly #similar = new Set<string>()
  /** Components that were looked at. */
  readonly #seen = new Set<string>()
  readonly #longest: number

  constructor(needs: readonly Need[]) {
    for (const { type, key } of needs) {
      if (type === 'word') this.#words.set(key, false)
      else if (type === 'file') this.#files.set(key, false)
      else {
        this.#hashes.set(key, false)
        this.#beginnings.add(key.slice(0, SHORTEST_HASH))
      }
    }
    this.#longest = [...this.#words.keys()].reduce((most, { length }) => Math.max(most, length), 0)
  }

  read(text: string): void {
    for (const { 0: component, index } of text.matchAll(COMPONENT)) {
      this.#look(component)
      // In JSON, `\nname` begins with a line feed.
      if (text[index - 1] === '\\' && 'nrt'.includes(component[0]!)) this.#look(component.slice(1))
    }
  }

  isFound({ type, key }: Need): boolean {
    if (type === 'hash')
      return (
        this.#hashes.get(key) === true || beginningsOf(key).some((one) => this.#similar.has(one))
      )
    return (type === 'word' ? this.#words : this.#files).get(key) === true
  }

  #look(component: string): void {
    if (component.length > LONGEST_COMPONENT || this.#seen.has(component)) return
    this.#seen.add(component)
    const lower = component.toLowerCase()
    const file = trimComponent(lower)
    if (this.#files.has(file)) this.#files.set(file, true)
    if (HASH.test(lower) && this.#beginnings.has(lower.slice(0, SHORTEST_HASH))) {
      this.#similar.add(lower)
      for (const one of beginningsOf(lower)) if (this.#hashes.has(one)) this.#hashes.set(one, true)
    }
    this.#lookForWords(splitWords(component))
  }

  #lookForWords(words: readonly string[]): void {
    const lower = words.map((word) => word.toLowerCase())
    for (let first = 0; first < lower.length; first++) {
      let joined = ''
      for (let last = first; last < Math.min(lower.length, first + MOST_WORDS); last++) {
        joined += lower[last]!
        if (joined.length > this.#longest) break
        if (this.#words.has(joined)) this.#words.set(joined, true)
      }
    }
  }
}

/** A hash in all its lengths: it may be written shorter in one place than in the other. */
function beginningsOf(hash: string): string[] {
  return Array.from({ length: hash.length - SHORTEST_HASH + 1 }, (_, more) =>
    hash.slice(0, SHORTEST_HASH + more),
  )
}

// In characters: the longest name that a mark can follow, and the text allowed between the two.
const LONGEST_MARKED = 320
const ENDS_NAME = /[\s"'`<>()[\]{}|,;]/

/** The text in pieces, without the names that marks follow. */
function leaveOutMarked(text: string): string[] {
  const pieces = text.split(NAME_MARK)
  return pieces.map((piece, index) => {
    if (index === pieces.length - 1) return piece
    let end = piece.length
    const least = Math.max(0, end - LONGEST_MARKED)
    while (end > least && ENDS_NAME.test(piece[end - 1]!)) end--
    while (end > least && !ENDS_NAME.test(piece[end - 1]!)) end--
    return piece.slice(0, end)
  })
}
