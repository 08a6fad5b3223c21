import type { Conversation, Message } from '../conversation/message.ts'
import type { Limits } from './limits.ts'
import type { Outcome } from './report.ts'

/** Remembers which compressions came to nothing. New content, other limits or another way make it worth another try. */
export interface CompressionMemory {
  /** `way` names the strategy and the summarizer. */
  recall(conversation: Conversation, limits: Limits, way: string): Outcome | undefined
  remember(conversation: Conversation, limits: Limits, way: string, outcome: Outcome): void
}

/** Holds on to no message: what nobody else keeps is forgotten. */
export function createCompressionMemory(): CompressionMemory {
  const outcomes = new WeakMap<Message, { readonly key: string; readonly outcome: Outcome }>()
  const keyOf = ({ messages }: Conversation, { tokens, bytes, images }: Limits, way: string) =>
    [messages.length, tokens, bytes, images, way].join(' ')
  return {
    recall(conversation, limits, way) {
      const newest = conversation.messages.at(-1)
      const known = newest && outcomes.get(newest)
      return known?.key === keyOf(conversation, limits, way) ? known.outcome : undefined
    },
    remember(conversation, limits, way, outcome) {
      const newest = conversation.messages.at(-1)
      if (newest) outcomes.set(newest, { key: keyOf(conversation, limits, way), outcome })
    },
  }
}
