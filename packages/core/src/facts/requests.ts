/** What the messages of the user ask for, and which parts of answers they speak of. */
import { bisect } from '../conversation/lists.ts'
import { Readings } from './readings.ts'
import { type Reference, readCounts, readReference, readWants, type Want } from './wants.ts'

const LATER_REQUESTS = 3

/** Messages of the user by their turn, and what each asks for and speaks of. */
export class Requests {
  readonly #texts: ReadonlyMap<number, string>
  /** The first turn in which the user wrote a word. */
  readonly #firstUses = new Map<string, number>()
  readonly #turns: readonly number[]
  readonly readings: Readings

  constructor(texts: ReadonlyMap<number, string>, readings = new Readings()) {
    this.#texts = texts
    this.readings = readings
    this.#turns = [...texts.keys()].sort((a, b) => a - b)
    for (const turn of this.#turns)
      for (const [word] of texts.get(turn)!.slice(0, LONGEST_REQUEST).matchAll(WORD))
        if (!this.#firstUses.has(word.toLowerCase())) this.#firstUses.set(word.toLowerCase(), turn)
  }

  /** Empty if nothing is asked, or if the request is unknown. */
  wantsOf(turn: number): ReadonlySet<Want> {
    return this.#read(readWants, turn)
  }

  /** How many a request asks for. */
  countsOf(turn: number): ReadonlySet<number> {
    return this.#read(readCounts, turn)
  }

  /** Whether a request has a word of a title, or one that begins alike. */
  names(turn: number, title: string): boolean {
    const stems = this.#read(readStems, turn)
    for (const stem of readStems(title)) if (stems.has(stem)) return true
    return false
  }

  get newestTurn(): number {
    return this.#turns.at(-1) ?? 0
  }

  /** How many requests came after a turn. */
  countAfter(turn: number): number {
    return this.#turns.length - this.#findNext(turn)
  }

  /** What the next messages after a turn speak of, in their order. */
  referencesAfter(turn: number): readonly Reference[] {
    return this.turnsAfter(turn).map((one) => this.#referenceOf(one))
  }

  /** The turns of these messages. */
  turnsAfter(turn: number): readonly number[] {
    const start = this.#findNext(turn)
    return this.#turns.slice(start, start + LATER_REQUESTS)
  }

  /** Those in which the user agrees with what was said, or speaks of it at all. */
  agreedAfter(turn: number): readonly number[] {
    return this.turnsAfter(turn).filter((one) => this.#referenceOf(one).isGeneral)
  }

  /** Whether the user wrote a word for the first time after a turn. */
  isTakenUp(word: string, turn: number): boolean {
    return (this.#firstUses.get(word.toLowerCase()) ?? turn) > turn
  }

  #findNext(turn: number): number {
    return bisect(this.#turns.length, (index) => this.#turns[index]! > turn)
  }

  #referenceOf(turn: number): Reference {
    return this.#read(readReference, turn)
  }

  #read<Found>(find: (text: string) => Found, turn: number): Found {
    return this.readings.of(find, this.#texts.get(turn) ?? '')
  }
}

const LONGEST_REQUEST = 6_000
const STEM = 4
/** A name or a word. */
export const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_.-]{2,80}(?<![.-])/gu

// Words in any request say nothing.
const COMMON = new Set(
  'about also does from give have into just make more need only same should some tell that them then there these they this those want were what when where which will with would your'
    .split(' ')
    .map((word) => word.slice(0, STEM)),
)

/** The beginnings of the words of a text: of "names" and "named" the same. */
function readStems(text: string): ReadonlySet<string> {
  const words =
    text
      .slice(0, LONGEST_REQUEST)
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? []
  return new Set(words.map((word) => word.slice(0, STEM)).filter((stem) => !COMMON.has(stem)))
}
