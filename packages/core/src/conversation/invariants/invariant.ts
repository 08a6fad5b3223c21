import type { Conversation, Protocol } from '../message.ts'

/** One rule that a provider enforces. */
export interface Invariant {
  /** Kebab-case, as `precis check` prints it; the file has the same name. */
  readonly rule: string
  /** The protocols whose provider refuses a request that breaks it. */
  readonly protocols: readonly Protocol[]
  check(conversation: Conversation): Violation[]
  /** A conversation without these violations that loses as little as possible; the same object when there is nothing to do. */
  repair(conversation: Conversation): Conversation
}

/** One place where a history breaks a rule. */
export interface Violation {
  readonly rule: string
  /** Position of the message that breaks the rule. */
  readonly message: number
  /** What was found, in words a person can act on; quotes ids and names. */
  readonly detail: string
}
