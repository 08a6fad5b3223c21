export type ArchiveErrorCode =
  | 'archive-unavailable'
  | 'archive-damaged'
  | 'archive-too-new'
  | 'archive-full'
  | 'archive-in-use'
  | 'not-archived'
  | 'no-such-span'
  | 'ambiguous-session'

/** What the archive cannot do. The message says what was being done, what was found and what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly code: ArchiveErrorCode
  constructor(code: ArchiveErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
