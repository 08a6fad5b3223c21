export type QueueErrorCode = 'queue-unavailable' | 'queue-damaged'

/** What the queue cannot do. The message says what was being done, what was found and what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
  readonly code: QueueErrorCode
  constructor(code: QueueErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
