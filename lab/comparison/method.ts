import type { Conversation } from '@precis/core'

/** Something else that makes histories smaller, as its documentation says to use it. */
export interface ComparedMethod {
  readonly name: string
  /**
   * False where it has no size to aim at: then it makes what it makes, and precis is asked for that
   * size.
   */
  readonly takesSize: boolean
  /** Set where a stub stands for its model: then its time says nothing. */
  readonly stubsModel?: true
  /**
   * `size` is characters / 4. The result has the messages that are left, in its own order and
   * shape.
   */
  readonly compress: (conversation: Conversation, size: number) => Promise<Conversation>
}

/** The conversation as messages of a request, which a session's messages are not. */
export function withoutRecords({ messages }: Conversation): Conversation['messages'] {
  return messages.map(({ records: _records, ...message }) => message) as Conversation['messages']
}
