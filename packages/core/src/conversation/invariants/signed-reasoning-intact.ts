import type { Conversation, Message } from '../message.ts'
import { keepParts, withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/**
 * Signed reasoning goes back only before the text or the calls it led to: Anthropic refuses a message that ends with
 * it, OpenAI "a reasoning item without its required following item". Repair drops what leads nowhere.
 */
export const signedReasoningIntact: Invariant = {
  rule: 'signed-reasoning-intact',
  protocols: ['anthropic-messages', 'openai-responses'],
  check: ({ messages }) =>
    messages.flatMap((message, index) =>
      isBroken(message, messages[index + 1])
        ? [{ rule: 'signed-reasoning-intact', message: index, detail: 'signed reasoning has nothing behind it' }]
        : [],
    ),
  repair: (conversation: Conversation) => {
    const { messages } = conversation
    if (!messages.some((message, index) => isBroken(message, messages[index + 1]))) return conversation
    return withMessages(
      conversation,
      messages.flatMap((message, index) => {
        if (!isBroken(message, messages[index + 1])) return [message]
        const end = message.parts.findLastIndex((part) => part.type !== 'reasoning')
        const kept = new Set<unknown>(message.parts.slice(0, end + 1))
        const rest = keepParts(message, (part) => kept.has(part))
        return rest.parts.length === 0 ? [] : [rest]
      }),
    )
  },
}

/** Neighbouring assistant messages are read as one, so the next one may hold what the reasoning led to. */
function isBroken(message: Message, next: Message | undefined): boolean {
  const last = message.parts.at(-1)
  return last?.type === 'reasoning' && last.signatureLength > 0 && next?.role !== 'assistant'
}
