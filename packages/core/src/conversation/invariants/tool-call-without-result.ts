import { addTo } from '../lists.ts'
import type { Conversation, Message, ToolMessage } from '../message.ts'
import { type CallSite, findCallPairs, findResultRunEnds, INTERRUPTION } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, withMessages } from './invariant.ts'

/**
 * A call has a result. A history may end in calls of its last answer that wait for their results:
 * the agent sends what is missing with its next request. Repair adds a result that reports this, so
 * the model knows what the agent tried, and signed reasoning keeps its call.
 */
export const toolCallWithoutResult = createInvariant({
  rule: 'tool-call-without-result',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findUnanswered(conversation).map(({ message, part }) => ({
      message,
      detail: `tool call "${part.callId}" (${part.name}) has no result`,
    })),
  repair: (conversation) => answerCalls(conversation, findUnanswered(conversation)),
})

/**
 * Answers pending calls too, because another agent that continues the conversation did not run
 * them.
 */
export function answerPendingCalls(conversation: Conversation): Conversation {
  return answerCalls(conversation, findCallPairs(conversation.messages).unanswered)
}

function findUnanswered({ messages, protocol }: Conversation): CallSite[] {
  let answer = messages.findLastIndex(({ role }) => role !== 'tool')
  // Anthropic reads adjacent answers as one.
  while (
    protocol === 'anthropic-messages' &&
    isAnswer(messages[answer - 1]) &&
    isAnswer(messages[answer])
  )
    answer--
  return findCallPairs(messages).unanswered.filter(({ message }) => message < answer)
}

const isAnswer = (message: Message | undefined): boolean => message?.role === 'assistant'

function answerCalls(conversation: Conversation, unanswered: readonly CallSite[]): Conversation {
  if (unanswered.length === 0) return conversation
  const ends = findResultRunEnds(conversation.messages)
  const additions = new Map<number, ToolMessage[]>()
  for (const { message, part } of unanswered) {
    const place = (ends[message] ?? conversation.messages.length) - 1
    const result = createInterruption(part.callId, part.name)
    addTo(additions, place, result)
  }
  return withMessages(
    conversation,
    conversation.messages.flatMap((message, index) => [message, ...(additions.get(index) ?? [])]),
  )
}

function createInterruption(callId: string, name: string): ToolMessage {
  return {
    role: 'tool',
    origin: 'environment',
    parts: [
      {
        type: 'tool-result',
        callId,
        name,
        output: [{ type: 'text', text: INTERRUPTION }],
        isError: true,
      },
    ],
  }
}
