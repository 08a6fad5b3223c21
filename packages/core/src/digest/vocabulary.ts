/** The names that occur in a span, and how much later work is likely to need each. */

import { pathKey, relativePath } from '../actions/paths.ts'
import { type Message, type Part, renderPart } from '../conversation/message.ts'
import { scanEntities } from '../facts/entities.ts'
import type { Readings } from '../facts/readings.ts'
import { LineSet } from './line-set.ts'
import type { Weights } from './weights.data.ts'

/** Who used a name: the strongest evidence of its worth. */
export type Voice = 'user' | 'agent' | 'call' | 'output'

/** Names have numbers: they are compared and counted by them. */
export class NameVocabulary {
  readonly #ids = new Map<string, number>()
  /** Number of events with the name. */
  readonly #counts: number[] = []
  readonly #last: number[] = []
  /** The last event that wrote it. Output of tools does not count. */
  readonly #lastWritten: number[] = []
  readonly #voices: number[] = []
  /** The reading that met a name last, so that it is found once in each. */
  readonly #seen: number[] = []
  readonly #workingDirectory: string | undefined
  readonly #readings: Readings
  #reading = 0

  constructor(workingDirectory: string | undefined, readings: Readings) {
    this.#workingDirectory = workingDirectory
    this.#readings = readings
  }

  /** The names in a text, each once, without noting that they occurred. */
  read(text: string): number[] {
    const found: number[] = []
    const reading = ++this.#reading
    for (const { isPath, name } of this.#readings.of(listNames, text)) {
      const id = this.#idOf(isPath ? pathKey(relativePath(name, this.#workingDirectory)) : name)
      if (this.#seen[id] === reading) continue
      this.#seen[id] = reading
      found.push(id)
    }
    return found
  }

  note(entities: readonly number[], at: number, voice: Voice): void {
    for (const id of entities) {
      if (this.#last[id] !== at) this.#counts[id]!++
      this.#last[id] = at
      if (voice !== 'output') this.#lastWritten[id] = at
      this.#voices[id]! |= VOICE_BITS[voice]
    }
  }

  /** Worth of keeping each name, by id. */
  weigh(events: number, learned: Weights): Float64Array {
    const weights = new Float64Array(this.#counts.length)
    for (let id = 0; id < weights.length; id++) {
      const age = (events - this.#last[id]!) / Math.max(events, 1)
      const recency = Math.exp(-age / learned.nameSpan)
      // What only the words of the digest name was never noted.
      const count = Math.max(this.#counts[id]!, 1)
      const voices = this.#voices[id]!
      let weight = (learned.nameFloor + recency) * (1 + learned.nameUses * Math.log2(count))
      const written = this.#lastWritten[id]!
      if (written >= 0)
        weight *=
          1 +
          learned.nameWritten *
            Math.exp((written - events) / Math.max(events, 1) / learned.nameSpan)
      // Written text counts more than tool output.
      if (voices & VOICE_BITS.user) weight *= learned.nameFromUser
      if (voices & VOICE_BITS.agent) weight *= learned.nameFromAgent
      if (voices & VOICE_BITS.call) weight *= learned.nameFromCall
      weights[id] = weight
    }
    return weights
  }

  /** Whether the user, the agent or a call used a name, not only what a tool printed. */
  isUsed(id: number): boolean {
    return (this.#voices[id]! & ~VOICE_BITS.output) !== 0
  }

  #idOf(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.#counts.push(0) - 1
    this.#ids.set(name, id)
    this.#last.push(-1)
    this.#lastWritten.push(-1)
    this.#voices.push(0)
    this.#seen.push(0)
    return id
  }
}

const NO_NAMES: readonly Name[] = []

interface Name {
  readonly isPath: boolean
  readonly name: string
}

function listNames(text: string): readonly Name[] {
  let names: Name[] | undefined
  scanEntities(text, (kind, name) => {
    names ??= []
    names.push({ isPath: kind === 'path', name })
  })
  return names ?? NO_NAMES
}

const VOICE_BITS: Readonly<Record<Voice, number>> = { user: 1, agent: 2, call: 4, output: 8 }

// A sentence counts as repeated when this share of its word triples was said, and every number.
const SAME_SHARE = 0.6

/** Word triples of what was said, by which a sentence that says nearly the same is found. */
export class Sayings {
  readonly #said = new Set<string>()

  note(text: string): void {
    const words = readWords(text)
    for (const triple of joinTriples(words)) this.#said.add(triple)
    for (const word of words) if (HAS_DIGIT.test(word)) this.#said.add(word)
  }

  has(text: string): boolean {
    if (this.#said.size === 0) return false
    const words = readWords(text)
    const triples = joinTriples(words)
    const known = triples.filter((triple) => this.#said.has(triple)).length
    if (triples.length === 0 || known < triples.length * SAME_SHARE) return false
    return words.every((word) => !HAS_DIGIT.test(word) || this.#said.has(word))
  }

  /** Whether it has every line of a text. Lines of fewer than three words do not count. */
  hasLines(text: string): boolean {
    const lines = text.split('\n').filter((line) => joinTriples(readWords(line)).length > 0)
    return lines.length > 0 && lines.every((line) => this.has(line))
  }
}

const HAS_DIGIT = /\p{N}/u

const readWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** Three words at a time. */
export const joinTriples = (words: readonly string[]): string[] =>
  words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`)

/** Lines of every kept message, and what those say that sum up: a summary of a model, the ledger. */
export class Visible {
  readonly #lines: LineSet
  readonly #sayings = new Sayings()

  constructor(kept: readonly Message[]) {
    this.#lines = new LineSet(kept.flatMap(({ parts }): readonly Part[] => parts))
    for (const { origin, parts } of kept)
      if (origin === 'synthetic') for (const part of parts) this.#sayings.note(renderPart(part))
  }

  /** Whether a line is exactly this. */
  has(line: string): boolean {
    return this.#lines.has(line)
  }

  /** Whether a line is this, or a summary says nearly the same. */
  tells(text: string): boolean {
    return this.#lines.has(text) || this.#sayings.has(text)
  }
}

/** Reads the words of the user's instructions that lines are searched for, in lower case. */
export function readFocus(instructions: string | undefined): string[] {
  return (instructions ?? '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}_./-]+/u)
    .filter((word) => word.length > 3)
}
