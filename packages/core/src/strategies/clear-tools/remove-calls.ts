import type { Clearing, PartChange } from '../part-changes.ts'
import { FREED_SHARE, type PartSizes } from '../part-sizes.ts'
import type { CallView, StrategyView } from '../strategy.ts'
import { renderCall, textPart } from '../stub.ts'

const MOST_NAMED = 6

/**
 * The calls of one answer and their results go, wherever these stand; one line says what the agent had done. Reasoning
 * under a signature goes with the last call of its answer.
 */
export function removeCalls(view: StrategyView, sizes: PartSizes, calls: readonly CallView[]): Clearing {
  const [first] = calls
  if (!first) return { changes: [], freedTokens: 0 }
  const stub = renderRemoval(calls)
  const changes: PartChange[] = []
  let tokens = 0
  for (const { message, part, resultMessage, resultPart } of calls) {
    changes.push({ message, part, becomes: part === first.part ? [textPart(stub)] : [] })
    tokens += sizes.tokensOf(message, part)
    if (resultMessage === undefined || resultPart === undefined) continue
    changes.push({ message: resultMessage, part: resultPart, becomes: [] })
    tokens += sizes.tokensOf(resultMessage, resultPart)
  }
  const parts = view.conversation.messages[first.message]?.parts ?? []
  if (parts.filter(({ type }) => type === 'tool-call').length === calls.length) {
    parts.forEach((part, place) => {
      if (part.type !== 'reasoning' || part.signatureLength === 0) return
      changes.push({ message: first.message, part: place, becomes: [] })
      tokens += sizes.tokensOf(first.message, place)
    })
  }
  return { changes, freedTokens: tokens * FREED_SHARE - view.countTokens(stub) }
}

function renderRemoval(calls: readonly CallView[]): string {
  const named = calls.slice(0, MOST_NAMED).map((call) => `${renderCall(call)}${call.failed ? ' (failed)' : ''}`)
  const more = calls.length > MOST_NAMED ? [`${calls.length - MOST_NAMED} more calls`] : []
  return `[${[...named, ...more].join('; ')}: removed]`
}
