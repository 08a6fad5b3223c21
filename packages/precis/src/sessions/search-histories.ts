/** Looks for many texts in the histories of a session, which repeat each other. */
import type { Message } from '@precis/core'
import { readText } from '@precis/core/conversation'
import { flatten } from '@precis/core/facts'
import { addToList } from '../files/lists.ts'

/**
 * Returns the index of the latest history that has a text, or all of it before the mark of a cut.
 * -1 for none. However many the texts and the histories are, each message is read once:
 *
 *   texts     Never touch the cache  ─►  its rarest piece: "cache"  ─┐
 *   messages  … the cache stays …    ─►  each of its pieces ─────────┴─► is the whole text in it?
 */
export function searchHistories(
  histories: readonly (readonly Message[] | undefined)[],
  texts: readonly string[],
): (text: string) => number {
  const latest = new Map(texts.map((text) => [flattenCut(text), -1]))
  const counts = new Map<number, number>()
  for (const text of latest.keys())
    for (const piece of listPieces(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  const wanted = new Map<number, string[]>()
  for (const text of latest.keys()) {
    let rarest = ANY
    for (const piece of listPieces(text)) {
      if (rarest === ANY || counts.get(piece)! < counts.get(rarest)!) rarest = piece
    }
    addToList(wanted, rarest, text)
  }
  const said = new Set<string>()
  for (const [index, history] of [...histories.entries()].reverse()) {
    for (const message of history ?? []) {
      const flat = flatten(readText(message))
      if (said.has(flat)) continue
      said.add(flat)
      for (const piece of new Set(listPieces(flat)).add(ANY)) {
        const left = wanted.get(piece)?.filter((text) => {
          const isThere = flat.includes(text)
          if (isThere) latest.set(text, index)
          return !isThere
        })
        if (left) wanted.set(piece, left)
      }
    }
  }
  return (text) => latest.get(flattenCut(text)) ?? -1
}

const flattenCut = (text: string) => flatten(text.endsWith('…') ? text.slice(0, -1) : text)

const PIECE_UNITS = 8
// One of so many pieces is enough to find a sentence by.
const SAMPLED = 4
const ANY = 0
const FACTOR = 0x01000193
const LEAVING = Array.from({ length: PIECE_UNITS }).reduce(
  (power: number) => Math.imul(power, FACTOR),
  1,
)

/**
 * Some pieces of a text, as numbers: only its own characters decide whether a piece is among them,
 * so that every text with these characters has it (Karp and Rabin, 1987).
 */
function* listPieces(text: string): Generator<number> {
  let hash = 0
  for (let index = 0; index < text.length; index++) {
    const leaving = Math.imul(LEAVING, text.charCodeAt(index - PIECE_UNITS))
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(index) - leaving) | 0
    if (index + 1 >= PIECE_UNITS && (hash >>> 20) % SAMPLED === 0 && hash !== ANY) yield hash
  }
}
