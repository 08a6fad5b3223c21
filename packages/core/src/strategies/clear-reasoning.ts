import { checkOptions } from '../conversation/check-options.ts'
import { aZone, clearBy, createPartSizes, findOldReasoning, type Zone } from './clearing.ts'
import type { Strategy } from './strategy.ts'

export interface ClearReasoningOptions {
  /** Everything but the newest answer by default. */
  readonly zone?: Zone
}

/**
 * Drops the reasoning of old answers, signed and encrypted too, oldest first, as far as needed;
 * never that of the newest answer, which Anthropic takes back unmodified only. Source:
 * coding-agent-manager. Throws `RangeError` on a zone that is none.
 */
export function createClearReasoning(options: ClearReasoningOptions = {}): Strategy {
  checkOptions('Creating clear-reasoning', options, { zone: aZone })
  const { zone = { fraction: 1 } } = options
  return {
    name: 'clear-reasoning',
    summarizes: false,
    ...clearBy((view) => {
      const reasons = view.conversation.messages.some(({ parts }) =>
        parts.some(({ type }) => type === 'reasoning'),
      )
      return reasons ? findOldReasoning(view, createPartSizes(view), zone) : []
    }),
  }
}

/** Of every answer but the newest. */
export const clearReasoning = createClearReasoning()
