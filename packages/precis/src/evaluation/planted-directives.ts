import { type Conversation, findCutPoints, type Message } from '@precis/core'
import type { Item } from './items/item.ts'

/**
 * Standing instructions for every history that is compressed in rounds: recorded sessions hold hardly any, and whether
 * they stand is a promise. Each with its place, as a fraction of the messages.
 */
const PLANTED = [
  { text: 'Never push to the main branch without asking me first.', place: 0.05 },
  { text: 'Always run the linter before you commit anything.', place: 0.5 },
]

/** The person says them between other messages, where no call is open. */
export function plantDirectives(conversation: Conversation): Conversation {
  const cutPoints = findCutPoints(conversation.messages)
  const messages: Message[] = []
  let start = 0
  for (const { text, place } of PLANTED) {
    const end = cutPoints.nearestCut(Math.ceil(conversation.messages.length * place), 'forward') ?? start
    messages.push(...conversation.messages.slice(start, end))
    messages.push({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] })
    start = end
  }
  return { ...conversation, messages: [...messages, ...conversation.messages.slice(start)] }
}

/** What `plantDirectives` puts in, for the measures. */
export const plantedDirectives: readonly Item[] = PLANTED.map(({ text }) => ({ kind: 'user', text, row: 0 }))
