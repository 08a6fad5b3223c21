import { toJsonText } from '../conversation/json-text.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import type { Limits } from './limits.ts'
import type { CompressionMemory } from './options.ts'
import type { Outcome } from './report.ts'

/** Keeps no message alive: what the host drops is forgotten. */
export function createCompressionMemory(): CompressionMemory {
  const outcomes = new WeakMap<Message, { readonly key: string; readonly outcome: Outcome }>()
  const keyOf = ({ messages }: Conversation, limits: Limits, method: string) =>
    `${messages.length} ${toJsonText(limits)} ${method}`
  return {
    find(conversation, limits, method) {
      const newest = conversation.messages.at(-1)
      const known = newest && outcomes.get(newest)
      return known?.key === keyOf(conversation, limits, method) ? known.outcome : undefined
    },
    remember(conversation, limits, method, outcome) {
      const newest = conversation.messages.at(-1)
      if (newest) outcomes.set(newest, { key: keyOf(conversation, limits, method), outcome })
    },
  }
}
