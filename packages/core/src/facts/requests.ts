/** What the messages of the user ask for, and which parts of answers they speak of. */
import { bisect } from '../conversation/lists.ts'
import { Readings } from './readings.ts'
import { type Reference, readCounts, readReference, readWants, type Want } from './wants.ts'

const LATER_REQUESTS = 3
const MOST_UNANSWERED = 3

export interface RequestsOptions {
  readonly readings?: Readings
  /** Turns that ended without an answer: the next one answers them too. */
  readonly unanswered?: ReadonlySet<number>
}

/** Messages of the user by their turn, and what each asks for and speaks of. */
export class Requests {
  readonly #texts: ReadonlyMap<number, string>
  /** The messages that an answer in the turn is about. */
  readonly #asked = new Map<number, readonly string[]>()
  /** The first turn in which the user wrote a word. */
  readonly #firstUses = new Map<string, number>()
  readonly #turns: readonly number[]
  readonly readings: Readings

  constructor(
    texts: ReadonlyMap<number, string>,
    { readings = new Readings(), unanswered = new Set() }: RequestsOptions = {},
  ) {
    this.#texts = texts
    this.readings = readings
    this.#turns = [...texts.keys()].sort((a, b) => a - b)
    let open: readonly string[] = []
    for (const turn of this.#turns) {
      const text = texts.get(turn)!
      const asked = [...open, text]
      this.#asked.set(turn, asked)
      open = unanswered.has(turn) ? asked.slice(-MOST_UNANSWERED) : []
      for (const [word] of text.slice(0, LONGEST_REQUEST).matchAll(WORD))
        if (!this.#firstUses.has(word.toLowerCase())) this.#firstUses.set(word.toLowerCase(), turn)
    }
  }

  /** Empty if nothing is asked, or if the request is unknown. */
  wantsOf(turn: number): ReadonlySet<Want> {
    return this.#readAsked(readWants, turn)
  }

  /** How many a request asks for. */
  countsOf(turn: number): ReadonlySet<number> {
    return this.#readAsked(readCounts, turn)
  }

  /** Whether a request has a word of a title, or one that begins alike. */
  names(turn: number, title: string): boolean {
    const stems = this.#readAsked(readStems, turn)
    for (const stem of readStems(title)) if (stems.has(stem)) return true
    return false
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
    return this.readings.of(readReference, this.#texts.get(turn) ?? '')
  }

  #readAsked<Found>(find: (text: string) => ReadonlySet<Found>, turn: number): ReadonlySet<Found> {
    const sets = (this.#asked.get(turn) ?? ['']).map((text) => this.readings.of(find, text))
    return sets.length === 1 ? sets[0]! : new Set(sets.flatMap((found) => [...found]))
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
