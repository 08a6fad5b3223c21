import { isListed, maySystemFollow } from '../apply.ts'
import type { Message, SystemMessage } from '../message.ts'
import { createInvariant, findBroken, joinNeighbours, withMessages } from './invariant.ts'

/**
 * Anthropic takes a listed system message after a turn of the user or an answer that ends in a
 * server tool, before an answer or at the end, and never two in a row
 * (platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages). Repair moves it
 * to the end of the next turn of the user. Without such a turn it stays in the user role.
 *
 *   tool   system   user   assistant      ->   tool   user   system   assistant
 *   assistant   system   assistant        ->   assistant   user   assistant
 */
export const systemPlace = createInvariant({
  rule: 'system-place',
  protocols: ['anthropic-messages'],
  find: (conversation) =>
    findBroken(conversation, (message, index) => {
      const [before, after] = [conversation.messages[index - 1], conversation.messages[index + 1]]
      return !isListed(message) ||
        (maySystemFollow(before) && (!after || after.role === 'assistant'))
        ? undefined
        : `a system message is before ${after?.role ?? 'nothing'}`
    }),
  repair: (conversation) => withMessages(conversation, place(conversation.messages)),
})

/** Each system message waits for the end of the turn that it is in, or before. */
function place(messages: readonly Message[]): Message[] {
  const placed: Message[] = []
  let waiting: SystemMessage[] = []
  const flush = () => {
    const hasPlace = maySystemFollow(placed.at(-1))
    placed.push(
      ...waiting.map((message): Message => {
        const { isListed: _, ...rest } = message
        return hasPlace ? message : { ...rest, role: 'user', isOperator: true }
      }),
    )
    waiting = []
  }
  for (const message of messages) {
    if (isListed(message)) {
      waiting.push(message)
      continue
    }
    if (message.role === 'assistant') flush()
    placed.push(message)
  }
  flush()
  return joinNeighbours(placed, isListed)
}
