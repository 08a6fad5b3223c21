import { type Part, renderInput } from '../conversation/message.ts'
import { countBetween } from './ends.ts'
import type { StrategyView } from './strategy.ts'

/** Tokens are shared out by length and lie unevenly in it: so much of them is counted as freed. */
export const FREED_SHARE = 0.97

/** How the tokens of messages are shared out over their parts, by length; counting every part would cost as much again. */
export interface PartSizes {
  tokensOf(message: number, part: number): number
  /** Tokens per unit of `weighPart`; of text, per character. */
  rateOf(message: number): number
}

const CHARACTERS_PER_TOKEN = 4
// What providers add around a call and its result (docs/tokens.md#overhead), in characters.
const CALL_FRAME = 100
const RESULT_FRAME = 50
const MESSAGE_FRAME = 16
const PIXELS_PER_TOKEN = 750
// An image of unknown size is taken for a screenshot.
const ASSUMED_IMAGE_TOKENS = 1_500
const TOKENS_PER_FILE_BYTE = 0.03

/** Each message is weighed once, when first asked for. */
export function createPartSizes(view: StrategyView): PartSizes {
  const known = new Map<number, { readonly weights: readonly number[]; readonly rate: number }>()
  const measure = (message: number) => {
    const before = known.get(message)
    if (before) return before
    const weights = view.conversation.messages[message]?.parts.map(weighPart) ?? []
    const total = weights.reduce((sum, weight) => sum + weight, MESSAGE_FRAME)
    const measured = { weights, rate: countBetween(view, message, message + 1) / total }
    known.set(message, measured)
    return measured
  }
  return {
    tokensOf(message, part) {
      const { weights, rate } = measure(message)
      return (weights[part] ?? 0) * rate
    },
    rateOf: (message) => measure(message).rate,
  }
}

/** Length of a part in characters, of media in as many as would take their tokens. */
export function weighPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'opaque':
      return part.text.length
    case 'reasoning':
      return Math.max(part.text.length, part.signatureLength)
    case 'tool-call':
      return CALL_FRAME + part.name.length + renderInput(part.input).length
    case 'tool-result':
      return part.output.reduce((sum, content) => sum + weighPart(content), RESULT_FRAME)
    case 'image': {
      const { width, height } = part
      const isMeasured = width !== undefined && height !== undefined
      return CHARACTERS_PER_TOKEN * (isMeasured ? (width * height) / PIXELS_PER_TOKEN : ASSUMED_IMAGE_TOKENS)
    }
    case 'file':
      return CHARACTERS_PER_TOKEN * part.bytes * TOKENS_PER_FILE_BYTE
  }
}
