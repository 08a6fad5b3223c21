export type DatabaseErrorCode =
  | 'unreachable'
  | 'not-permitted'
  | 'no-such-database'
  | 'busy'
  | 'damaged'
  | 'full'
  | 'failed'

/** What a database refused, in words that stand behind "Using the database …:"; never with a password. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode
  constructor(code: DatabaseErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
