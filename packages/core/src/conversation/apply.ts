import type { SettledEdit } from './edit.ts'
import type { Conversation, Message } from './message.ts'

/** The only function that changes history. Throws `RangeError` on edits that overlap, run backwards or leave the history. */
export function apply(conversation: Conversation, edits: readonly SettledEdit[]): Conversation {
  const messages: Message[] = []
  let position = 0
  for (const edit of edits) {
    if (edit.start < position || edit.end < edit.start || edit.end > conversation.messages.length) {
      throw new RangeError(
        `Applying a ${edit.type} of messages ${edit.start} to ${edit.end}: it must lie between ${position} and ${conversation.messages.length}, behind the edit before it.`,
      )
    }
    for (; position < edit.start; position++) messages.push(conversation.messages[position]!)
    if (edit.type === 'replace') messages.push(...edit.messages)
    position = edit.end
  }
  for (; position < conversation.messages.length; position++) messages.push(conversation.messages[position]!)
  return { ...conversation, messages }
}
