/** All names that occur in the span, and how much later work is likely to need each. */
import { scanEntities } from '../../facts/entities.ts'
import { pathKey, relativePath } from '../../facts/paths.ts'
import type { Weights } from './weights.ts'

/** Who used a name; the strongest evidence that it matters. */
export type Voice = 'user' | 'agent' | 'call' | 'output'

/** Names have numbers: they are compared and counted by them. */
export class Vocabulary {
  readonly #ids = new Map<string, number>()
  readonly #names: string[] = []
  /** Number of events a name stands in. */
  readonly #counts: number[] = []
  readonly #last: number[] = []
  /** The last event in which somebody wrote it, apart from what tools printed. */
  readonly #lastWritten: number[] = []
  readonly #voices: number[] = []
  /** The reading that met a name last, so that it is found once in each. */
  readonly #seen: number[] = []
  readonly #workingDirectory: string | undefined
  #readings = 0

  constructor(workingDirectory: string | undefined) {
    this.#workingDirectory = workingDirectory
  }

  get size(): number {
    return this.#names.length
  }

  /** The names in a text, each once, without noting that they occurred. */
  read(text: string): number[] {
    const found: number[] = []
    const reading = ++this.#readings
    scanEntities(text, (kind, name) => {
      const id = this.#idOf(kind === 'path' ? pathKey(relativePath(name, this.#workingDirectory)) : name)
      if (this.#seen[id] === reading) return
      this.#seen[id] = reading
      found.push(id)
    })
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
    const weights = new Float64Array(this.size)
    for (let id = 0; id < weights.length; id++) {
      const age = (events - this.#last[id]!) / Math.max(events, 1)
      const recency = Math.exp(-age / learned.nameSpan)
      const voices = this.#voices[id]!
      let weight = (learned.nameFloor + recency) * (1 + learned.nameUses * Math.log2(this.#counts[id]!))
      const written = this.#lastWritten[id]!
      if (written >= 0)
        weight *= 1 + learned.nameWritten * Math.exp((written - events) / Math.max(events, 1) / learned.nameSpan)
      // What somebody wrote counts for more than what a tool printed.
      if (voices & VOICE_BITS.user) weight *= learned.nameFromUser
      if (voices & VOICE_BITS.agent) weight *= learned.nameFromAgent
      if (voices & VOICE_BITS.call) weight *= learned.nameFromCall
      weights[id] = weight
    }
    return weights
  }

  #idOf(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.#names.length
    this.#ids.set(name, id)
    this.#names.push(name)
    this.#counts.push(0)
    this.#last.push(-1)
    this.#lastWritten.push(-1)
    this.#voices.push(0)
    this.#seen.push(0)
    return id
  }
}

const VOICE_BITS: Readonly<Record<Voice, number>> = { user: 1, agent: 2, call: 4, output: 8 }
