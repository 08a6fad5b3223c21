import type { Receipt } from '@precis/core'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'

/** One of the weightiest facts that are gone, as a receipt names it. */
export interface NamedFact {
  readonly kind: string
  /** One line of a session; `…` at its end where it goes on. */
  readonly text: string
  readonly state: 'retrievable' | 'missing'
  readonly writer: string
  readonly count: number
  readonly message: number
  readonly turn: number
}

/** Of a report as it was stored: none in those of versions that named no facts. */
export function readNamedFacts({ receipt }: JsonObject): NamedFact[] {
  const gone = asObject(receipt)?.gone
  const named: readonly unknown[] = Array.isArray(gone) ? gone : []
  return named.flatMap((value) => {
    const { kind, text, state, writer, count, message, turn } = asObject(value) ?? {}
    const words = asText(text)
    if (words === undefined) return []
    return {
      kind: asText(kind) ?? '',
      text: words,
      state: state === 'retrievable' ? state : 'missing',
      writer: asText(writer) ?? '',
      count: asCount(count),
      message: asCount(message),
      turn: asCount(turn),
    }
  })
}

/**
 * Of a report as it was stored, the messages of the user and where they are: zeros in those of
 * versions that did not count them.
 */
export function readWordCounts({ receipt }: JsonObject): Receipt['words'] {
  const { total, verbatim, clipped, retrievable, missing } =
    asObject(asObject(receipt)?.words) ?? {}
  return {
    total: asCount(total),
    verbatim: asCount(verbatim),
    clipped: asCount(clipped),
    retrievable: asCount(retrievable),
    missing: asCount(missing),
  }
}
