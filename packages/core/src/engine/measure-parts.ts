import type { Conversation, Message, Part } from '../conversation/message.ts'
import { type Action, readToolCall } from '../facts/tool-calls.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** A part with its tokens; a call, or a result with a call that it answers, also with what that call did. */
export interface MeasuredPart {
  readonly part: Part
  readonly message: number
  readonly role: Message['role']
  readonly tokens: number
  readonly action: Action | undefined
}

/** Counts every part once, in order; each result is paired with the nearest call of its id that is still open. */
export function measureParts(conversation: Conversation, counter: TokenCounter): MeasuredPart[] {
  const openCalls = new Map<string, Action[]>()
  const measured: MeasuredPart[] = []
  conversation.messages.forEach(({ parts, role }, message) => {
    for (const part of parts) {
      let action: Action | undefined
      if (part.type === 'tool-call') {
        action = readToolCall(part, conversation.workingDirectory)
        const open = openCalls.get(part.callId)
        if (open) open.push(action)
        else openCalls.set(part.callId, [action])
      } else if (part.type === 'tool-result') {
        action = openCalls.get(part.callId)?.pop()
      }
      measured.push({ part, message, role, tokens: counter.countPart(part).upper, action })
    }
  })
  return measured
}

/** What each message costs beside its parts; the same for all of a role. */
export function measureFrames(messages: readonly Message[], counter: TokenCounter): number[] {
  const frames = new Map<Message['role'], number>()
  for (const message of messages) {
    if (!frames.has(message.role)) frames.set(message.role, counter.countMessage({ ...message, parts: [] }).upper)
  }
  return messages.map(({ role }) => frames.get(role)!)
}
