/** The answer to the brief `rewrite`: the sentences, lines and code of one message that matter, in their order. */
import { type Message, readText } from '../../conversation/message.ts'
import type { SummaryRequest } from '../summarizer.ts'
import { cleanText } from './clean.ts'
import { clipToTokens } from './clip-to-tokens.ts'
import { renderUnits, splitUnits, type Unit } from './rewrite-units.ts'
import { measureWorths } from './rewrite-worth.ts'

/** Never over the target, empty when nothing fits. Adds no word of its own, so the language stays what it was. */
export function rewriteByExtraction(request: SummaryRequest): string {
  const { span, targetTokens, countTokens, instructions = '' } = request
  const units = splitUnits(cleanText(span.map(readText).join('\n')))
  if (units.length === 0 || targetTokens <= 0) return ''
  const worths = measureWorths(units, { isPerson: span.every(isPerson), instructions })
  let chosen = choose(units, worths, request)
  while (chosen.length > 0) {
    const text = renderUnits(chosen)
    // The sum of the parts is nearly always above the whole; a second round is rare.
    if (countTokens(text) <= targetTokens) return text
    chosen = chosen.slice(0, Math.min(chosen.length - 1, Math.floor(chosen.length * 0.9)))
  }
  return ''
}

function isPerson({ origin }: Message): boolean {
  return origin === 'user'
}

/** Best first: by worth for their tokens, as long as they fit; the best of what does not is cut to the rest of the room. */
function choose(units: readonly Unit[], worths: readonly number[], request: SummaryRequest): Unit[] {
  const { targetTokens, countTokens } = request
  const costs = units.map(({ text, fence }) => countTokens(text) + (fence === undefined ? 1 : FENCE_TOKENS))
  // Squared, so that what matters goes before any number of short sentences that do not.
  const density = (index: number) => worths[index]! ** 2 / (costs[index]! + BASE_TOKENS)
  const order = units
    .map((_, index) => index)
    .filter((index) => worths[index]! > 0)
    .sort((a, b) => density(b) - density(a) || a - b)
  const chosen: Unit[] = []
  let left: Unit | undefined
  let room = targetTokens
  for (const index of order) {
    const unit = units[index]!
    if (costs[index]! <= room) {
      chosen.push(unit)
      room -= costs[index]!
    } else if (unit.fence === undefined) left ??= unit
  }
  const isWorthCutting = chosen.length === 0 || room >= SMALLEST_PIECE_TOKENS
  const piece =
    left && isWorthCutting ? clipToTokens(left.text, chosen.length === 0 ? room : room - 1, countTokens) : ''
  return left && piece !== '' ? [...chosen, { ...left, text: piece }] : chosen
}

// What a code block costs beside its lines.
const FENCE_TOKENS = 6
// Keeps a few words from going before a whole sentence only because they are few.
const BASE_TOKENS = 12
// A shorter beginning of a sentence says nothing.
const SMALLEST_PIECE_TOKENS = 12
