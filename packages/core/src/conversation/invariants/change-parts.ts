import {
  type AssistantMessage,
  type Conversation,
  type Message,
  type Part,
  type ToolMessage,
  withParts,
} from '../message.ts'

/** The message with what becomes of its parts, whatever its role: each role has parts of its own types. */
export function changeParts(message: Message, change: <P extends Part>(parts: readonly P[]) => P[]): Message {
  switch (message.role) {
    case 'system':
    case 'user':
      return withParts(message, change(message.parts))
    case 'assistant':
      return withParts(message, change(message.parts))
    case 'tool':
      return withParts(message, change(message.parts))
  }
}

/** The message without some of its parts; the same object when all are kept. */
export function keepParts(message: Message, isKept: (part: Part) => boolean): Message {
  return message.parts.every(isKept) ? message : changeParts(message, (parts) => parts.filter(isKept))
}

/** The conversation without some parts, and without the messages that this leaves empty; the same object when all are kept. */
export function keepPartsOf(conversation: Conversation, isKept: (part: Part, index: number) => boolean): Conversation {
  if (conversation.messages.every(({ parts }, index) => parts.every((part) => isKept(part, index)))) return conversation
  return withMessages(
    conversation,
    conversation.messages.flatMap((message, index) => {
      const kept = keepParts(message, (part) => isKept(part, index))
      return kept !== message && kept.parts.length === 0 ? [] : [kept]
    }),
  )
}

/** The same conversation object when the messages are the same ones. */
export function withMessages(conversation: Conversation, messages: readonly Message[]): Conversation {
  const before = conversation.messages
  const isSame = messages.length === before.length && messages.every((message, index) => message === before[index])
  return isSame ? conversation : { ...conversation, messages }
}

/** Neighbouring messages as one, in the place of the first. */
export function joinMessages<M extends AssistantMessage | ToolMessage>(first: M, run: readonly M[]): M {
  const parts = run.flatMap((message): M['parts'][number][] => [...message.parts])
  const records = [...new Set(run.flatMap((message) => message.records ?? []))].sort((a, b) => a - b)
  return { ...first, parts, ...(records.length > 0 && { records }) }
}

/** The message with other calls or results; the same object when none differs. */
export function mapParts<M extends AssistantMessage | ToolMessage>(
  message: M,
  change: (part: M['parts'][number]) => M['parts'][number],
): M {
  const changed = message.parts.map(change)
  return changed.every((part, index) => part === message.parts[index]) ? message : { ...message, parts: changed }
}
