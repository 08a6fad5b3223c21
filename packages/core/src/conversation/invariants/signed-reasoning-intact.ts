import type { Message } from '../message.ts'
import { partKindOf } from '../read-ties.ts'
import { createInvariant, findBroken, keepParts, withMessages } from './invariant.ts'

/**
 * Signed reasoning must come before the text or the calls that it led to. Anthropic refuses a
 * message that ends with it, and OpenAI "a reasoning item without its required following item".
 * Repair drops reasoning without anything after it.
 */
export const signedReasoningIntact = createInvariant({
  rule: 'signed-reasoning-intact',
  protocols: ['anthropic-messages', 'openai-responses'],
  find: (conversation) =>
    findBroken(conversation, (message, index) =>
      isBroken(message, conversation.messages[index + 1])
        ? 'signed reasoning has nothing behind it'
        : undefined,
    ),
  repair: (conversation) => {
    const { messages } = conversation
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
})

/**
 * Adjacent assistant messages are read as one, so the next one may contain what the reasoning led
 * to, unless it is the host's approval.
 */
function isBroken(message: Message, next: Message | undefined): boolean {
  const last = message.parts.at(-1)
  if (last?.type !== 'reasoning' || last.signatureLength === 0) return false
  const [following] = next?.parts ?? []
  return (
    next?.role !== 'assistant' || (following && partKindOf(following)) === 'mcp_approval_response'
  )
}
