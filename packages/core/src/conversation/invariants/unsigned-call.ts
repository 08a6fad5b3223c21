import {
  type Conversation,
  changeParts,
  type Message,
  type Part,
  type ToolCallPart,
} from '../message.ts'
import { findLastUserRequest } from '../turns.ts'
import { createInvariant, withMessages } from './invariant.ts'

/**
 * Gemini 3 refuses an unfinished turn if the first call of one of its answers has no signature
 * (ai.google.dev/gemini-api/docs/thought-signatures). Repair marks such a call as coming from
 * elsewhere, with the value that this page names.
 */
export const unsignedCall = createInvariant({
  rule: 'unsigned-call',
  protocols: ['gemini-contents'],
  find: (conversation) =>
    findUnsigned(conversation).map(({ message, part }) => ({
      message,
      detail: `the call of ${part.name} has no thought signature`,
    })),
  repair: (conversation) => {
    const unsigned = new Set<Part>(
      findUnsigned(conversation).flatMap(({ part }) => (isMendable(part) ? [part] : [])),
    )
    const mend = (message: Message) =>
      message.parts.some((part: Part) => unsigned.has(part))
        ? changeParts(message, (parts) =>
            parts.map((part) => (unsigned.has(part) ? sign(part) : part)),
          )
        : message
    return unsigned.size === 0
      ? conversation
      : withMessages(conversation, conversation.messages.map(mend))
  },
})

const STAND_IN = 'skip_thought_signature_validator'

function findUnsigned({
  messages,
  model = '',
}: Conversation): { message: number; part: ToolCallPart }[] {
  if (!/(?:^|\/)gemini-[3-9]/.test(model)) return []
  const start = findLastUserRequest(messages) ?? -1
  return messages.flatMap(({ parts }, message) => {
    const first = parts.find((part: Part) => part.type === 'tool-call')
    return message > start && first?.type === 'tool-call' && first.signatureLength === 0
      ? [{ message, part: first }]
      : []
  })
}

const isMendable = ({ native }: Part): boolean => typeof native === 'object' && native !== null

function sign<P extends Part>(part: P): P {
  return {
    ...part,
    signatureLength: STAND_IN.length,
    native: { ...Object(part.native), thoughtSignature: STAND_IN },
  }
}
