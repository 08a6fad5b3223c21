import type { Receipt } from '@precis/core'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'

/** One of the most important lost facts, as a receipt names it. */
export interface NamedFact {
  readonly kind: string
  /** One line of a session, with `…` at its end if it is cut. */
  readonly text: string
  readonly state: 'retrievable' | 'missing'
  readonly writer: string
  readonly count: number
  readonly message: number
  readonly turn: number
}

/** Facts of a stored report. Versions that named no facts have none. */
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
 * The user's messages in a stored report, and where they are. Zeros for versions that did not count
 * them.
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
