export type SessionErrorCode =
  | 'no-such-session'
  | 'ambiguous-session'
  | 'unreadable'
  | 'changed'
  | 'same-file'
  | 'unwritable'
  | 'in-use'

/** A session that cannot be found, read or written. The message says what was being done, what was found and what to do. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode
  constructor(code: SessionErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
