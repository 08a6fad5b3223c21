import { findBreak } from './clip-middle.ts'
import type { Entry } from './render-history.ts'

/** An entry, or a piece of one, with what it costs the summarizing model. */
export interface Measured extends Entry {
  readonly tokens: number
}

// A title and the line around it.
const TITLE_TOKENS = 16

export function measure(entries: readonly Entry[], countTokens: (text: string) => number): Measured[] {
  return entries.map((entry) => ({ ...entry, tokens: countTokens(entry.text) + TITLE_TOKENS }))
}

/**
 * Consecutive chunks of at most `limitTokens`, about equally large, nothing left out. Borders lie between entries; only an
 * entry that is too large for a chunk is itself split.
 */
export function divide(entries: readonly Measured[], limitTokens: number, countTokens: (text: string) => number) {
  const pieces = entries.flatMap((entry) => split(entry, limitTokens, countTokens))
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  // Equal chunks: a rest of a few messages alone would be summarized without its context.
  const wantedTokens = total / Math.max(1, Math.ceil(total / limitTokens))
  const chunks: Measured[][] = []
  let chunk: Measured[] = []
  let tokens = 0
  for (const piece of pieces) {
    if (chunk.length > 0 && (tokens + piece.tokens > limitTokens || tokens >= wantedTokens)) {
      chunks.push(chunk)
      chunk = []
      tokens = 0
    }
    chunk.push(piece)
    tokens += piece.tokens
  }
  if (chunk.length > 0) chunks.push(chunk)
  return chunks
}

/** Halves until each half fits: every character is counted once for each halving. */
function split(entry: Measured, limitTokens: number, countTokens: (text: string) => number): Measured[] {
  if (entry.tokens <= limitTokens) return [entry]
  const waiting: Measured[] = [entry]
  const pieces: Measured[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const middle = findBreak(next.text, Math.ceil(next.text.length / 2), 1)
    if (next.tokens <= limitTokens || middle >= next.text.length) {
      pieces.push(next)
      continue
    }
    const halves = [next.text.slice(middle), next.text.slice(0, middle)]
    for (const text of halves) waiting.push({ title: entry.title, text, tokens: countTokens(text) + TITLE_TOKENS })
  }
  return pieces.map((piece, index) => ({ ...piece, title: `${entry.title}, piece ${index + 1} of ${pieces.length}` }))
}
