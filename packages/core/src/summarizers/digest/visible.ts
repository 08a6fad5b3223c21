/** What stands beside the digest, so that it says nothing twice. */
import { type Message, renderPart } from '../../conversation/message.ts'

// A sentence of which this share of word triples stands in another summary is told there.
const TOLD_SHARE = 0.6

/** Lines of every kept message, and word triples of those that sum up: a summary of a model, the ledger. */
export class Visible {
  readonly #lines = new Set<string>()
  readonly #triples = new Set<string>()

  constructor(kept: readonly Message[]) {
    for (const message of kept) {
      for (const part of message.parts) {
        const text = renderPart(part)
        for (const line of text.split('\n')) this.#lines.add(line.trim())
        if (message.origin === 'synthetic') for (const triple of readTriples(text)) this.#triples.add(triple)
      }
    }
  }

  /** Whether exactly this stands on a line. */
  has(line: string): boolean {
    return this.#lines.has(line)
  }

  /** Whether this stands on a line, or nearly so in what sums up. */
  tells(text: string): boolean {
    if (this.#lines.has(text)) return true
    if (this.#triples.size === 0) return false
    const triples = readTriples(text)
    const told = triples.filter((triple) => this.#triples.has(triple)).length
    return triples.length > 0 && told >= triples.length * TOLD_SHARE
  }
}

function readTriples(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`)
}
