import { isSameList } from '../lists.ts'
import {
  type AssistantMessage,
  type Conversation,
  changeParts,
  type Message,
  type Part,
  type Protocol,
  type SystemMessage,
  type ToolMessage,
} from '../message.ts'

/** One rule that a provider enforces. */
export interface Invariant {
  /** In kebab case, as `precis check` prints it. The file has the same name. */
  readonly rule: string
  /** The protocols whose providers refuse a request that breaks it. */
  readonly protocols: readonly Protocol[]
  check(conversation: Conversation): Violation[]
  /**
   * A conversation without these violations that loses as little as possible. Returns the same
   * object if there is nothing to repair.
   */
  repair(conversation: Conversation): Conversation
}

/** One place where a history breaks a rule. */
export interface Violation {
  readonly rule: string
  /** Position of the message that breaks the rule. */
  readonly message: number
  /** Describes what was found, with quoted ids and names. */
  readonly detail: string
}

/** A place where a rule is broken, before the rule is named. */
export type Finding = Omit<Violation, 'rule'>

export function createInvariant({
  find,
  ...rest
}: Omit<Invariant, 'check'> & {
  readonly find: (conversation: Conversation) => readonly Finding[]
}): Invariant {
  return {
    ...rest,
    check: (conversation) => find(conversation).map((found) => ({ rule: rest.rule, ...found })),
  }
}

/**
 * For a rule that is checked message by message. `find` returns undefined if the message follows
 * the rule.
 */
export function findBroken(
  { messages }: Conversation,
  describe: (message: Message, index: number) => string | undefined,
): Finding[] {
  return messages.flatMap((message, index) => {
    const detail = describe(message, index)
    return detail === undefined ? [] : [{ message: index, detail }]
  })
}

export const EVERY_PROTOCOL: readonly Protocol[] = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'gemini-contents',
]

/** The message without some of its parts. Returns the same object if all are kept. */
export function keepParts(message: Message, isKept: (part: Part) => boolean): Message {
  return message.parts.every(isKept)
    ? message
    : changeParts(message, (parts) => parts.filter(isKept))
}

/**
 * The conversation without some parts, and without messages that become empty. Returns the same
 * object if all are kept.
 */
export function keepPartsOf(
  conversation: Conversation,
  isKept: (part: Part, index: number) => boolean,
): Conversation {
  if (conversation.messages.every(({ parts }, index) => parts.every((part) => isKept(part, index))))
    return conversation
  return withMessages(
    conversation,
    conversation.messages.flatMap((message, index) => {
      const kept = keepParts(message, (part) => isKept(part, index))
      return kept !== message && kept.parts.length === 0 ? [] : [kept]
    }),
  )
}

/** Returns the same conversation object if the messages are the same. */
export function withMessages(
  conversation: Conversation,
  messages: readonly Message[],
): Conversation {
  return isSameList(messages, conversation.messages) ? conversation : { ...conversation, messages }
}

/** Joins neighbors of one role into the first one, if `joins` returns that they belong together. */
export function joinNeighbours<M extends AssistantMessage | SystemMessage | ToolMessage>(
  messages: readonly Message[],
  isOfRole: (message: Message) => message is M,
  joins: (message: M) => boolean = () => true,
): Message[] {
  const joined: Message[] = []
  // A run is joined once, at its end.
  let run: M[] = []
  const close = () => {
    const [first, ...others] = run
    if (first) joined.push(others.length > 0 ? joinMessages(first, run) : first)
    run = []
  }
  for (const message of messages) {
    const isMember = isOfRole(message)
    if (!isMember || !joins(message)) close()
    if (isMember) run.push(message)
    else joined.push(message)
  }
  close()
  return joined
}

function joinMessages<M extends AssistantMessage | SystemMessage | ToolMessage>(
  first: M,
  run: readonly M[],
): M {
  const parts = run.flatMap((message): M['parts'][number][] => [...message.parts])
  const records = [...new Set(run.flatMap((message) => message.records ?? []))].sort(
    (a, b) => a - b,
  )
  return { ...first, parts, ...(records.length > 0 && { records }) }
}

/** The message with other calls or results. Returns the same object if none differs. */
export function mapParts<M extends AssistantMessage | ToolMessage>(
  message: M,
  change: (part: M['parts'][number]) => M['parts'][number],
): M {
  const changed = message.parts.map(change)
  return isSameList(changed, message.parts) ? message : { ...message, parts: changed }
}
