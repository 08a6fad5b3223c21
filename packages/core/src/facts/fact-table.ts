import { type Fact, type FactKind, factKinds } from './fact.ts'

/** A fact while it is collected. */
export type DraftFact = { -readonly [Key in keyof Fact]: Fact[Key] } & {
  /** Position of its last occurrence in the whole conversation. */
  lastPosition: number
}

export type Note = (kind: FactKind, text: string) => DraftFact

type Row = DraftFact & { lastPart: number }

/** Each fact once, by kind and text. */
export class FactTable {
  readonly #ofKind = new Map<FactKind, Map<string, Row>>(factKinds.map((kind) => [kind, new Map()]))
  #part = 0

  /** A function that notes what stands in one part of one message. */
  noteIn(message: number, position: number, written: boolean): Note {
    const part = ++this.#part
    return (kind, text) => {
      const rows = this.#ofKind.get(kind) ?? new Map<string, Row>()
      const known = rows.get(text)
      if (!known) {
        const seen = { firstMessage: message, lastMessage: message, count: 1, written }
        const row: Row = { kind, text, ...seen, stale: false, lastPosition: position, lastPart: part }
        rows.set(text, row)
        return row
      }
      if (known.lastPart !== part) {
        known.lastPart = part
        known.count++
        known.lastMessage = Math.max(known.lastMessage, message)
        known.lastPosition = Math.max(known.lastPosition, position)
        known.written ||= written
      }
      return known
    }
  }

  list(isStale: (fact: DraftFact) => boolean): Fact[] {
    const facts: Fact[] = []
    for (const rows of this.#ofKind.values()) {
      for (const row of rows.values()) {
        const { kind, text, firstMessage, lastMessage, count, written } = row
        facts.push({ kind, text, firstMessage, lastMessage, count, written, stale: row.stale || isStale(row) })
      }
    }
    return facts
  }
}
