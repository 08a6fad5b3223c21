import { checkOptions } from '../conversation/check-options.ts'
import { aZone, clearBy, createPartSizes, findOldReasoning, type Zone } from './clearing.ts'
import type { Strategy } from './strategy.ts'

export interface ClearReasoningOptions {
  /** Everything but the newest answer by default. */
  readonly zone?: Zone
}

/**
 * Drops the reasoning of old answers, even if signed or encrypted, oldest first, as far as needed.
 * Reasoning of the newest answer stays, because Anthropic accepts that answer only unmodified.
 * Source: coding-agent-manager. Throws `RangeError` for an invalid zone.
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

/** The reasoning of every answer except the newest. */
export const clearReasoning = createClearReasoning()
