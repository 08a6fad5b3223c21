import type { ContentPart, ToolResultPart } from '../conversation/message.ts'
import type { Clearing } from './part-changes.ts'
import { FREED_SHARE, type PartSizes, weighPart } from './part-sizes.ts'
import type { CallView, StrategyView } from './strategy.ts'

// A short text is counted: it costs little, and what it gets from its message may be far off.
const COUNTED_CHARACTERS = 1_500

/** The result of a call; undefined while there is none. */
export function findResult(view: StrategyView, { resultMessage, resultPart }: CallView): ToolResultPart | undefined {
  if (resultMessage === undefined || resultPart === undefined) return undefined
  const part = view.conversation.messages[resultMessage]?.parts[resultPart]
  return part?.type === 'tool-result' ? part : undefined
}

/** Another output in the place of a call's, the result otherwise as it was; undefined when that frees nothing. */
export function clearResult(
  view: StrategyView,
  sizes: PartSizes,
  call: CallView,
  output: readonly ContentPart[],
): Clearing | undefined {
  const result = findResult(view, call)
  if (!result || call.resultMessage === undefined || call.resultPart === undefined) return undefined
  const rate = sizes.rateOf(call.resultMessage)
  const measure = (part: ContentPart) =>
    part.type === 'text' && part.text.length <= COUNTED_CHARACTERS
      ? view.countTokens(part.text)
      : weighPart(part) * rate * FREED_SHARE
  const sum = (parts: readonly ContentPart[]) => parts.reduce((tokens, part) => tokens + measure(part), 0)
  const freedTokens = sum(result.output) - sum(output)
  if (freedTokens <= 0) return undefined
  const change = { message: call.resultMessage, part: call.resultPart, becomes: [{ ...result, output }] }
  return { changes: [change], freedTokens }
}
