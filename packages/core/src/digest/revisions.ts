/** What was said again later with other numbers: of two measurements the last one counts. */
import type { Candidate } from './draft.ts'
import { joinTriples } from './vocabulary.ts'

// This share of what an older text says has to come again.
const SAME_SHARE = 0.6
const FEWEST_TRIPLES = 4
const WORD = /[\p{L}_][\p{L}\p{N}_]*|\d+(?:[.,\u202f\u00a0 ]\d+)*/gu
const NUMBER = /^\d/

/** Noted from the newest to the oldest. */
export class Revisions {
  readonly #owners = new Map<string, Candidate>()
  readonly #numbers = new Map<Candidate, ReadonlySet<string>>()

  /** What a newer text says in its place. Undefined if it has no number, or none that changed. */
  find(text: string): Candidate | undefined {
    const { triples, numbers } = read(text)
    if (numbers.size === 0 || triples.length < FEWEST_TRIPLES) return undefined
    const counts = new Map<Candidate, number>()
    for (const triple of triples) {
      const owner = this.#owners.get(triple)
      if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    }
    for (const [owner, count] of counts) {
      const known = this.#numbers.get(owner)!
      const isOther = [...numbers].some((one) => !known.has(one))
      if (count >= triples.length * SAME_SHARE && isOther) return owner
    }
    return undefined
  }

  note(text: string, candidate: Candidate): void {
    const { triples, numbers } = read(text)
    if (numbers.size === 0) return
    this.#numbers.set(candidate, numbers)
    for (const triple of triples) if (!this.#owners.has(triple)) this.#owners.set(triple, candidate)
  }
}

/** Its word triples, with any number as the same, and its numbers. */
function read(text: string) {
  const words = text.toLowerCase().match(WORD) ?? []
  const plain = words.map((word) => (NUMBER.test(word) ? '0' : word))
  return {
    triples: joinTriples(plain),
    numbers: new Set(words.filter((word) => NUMBER.test(word))),
  }
}
