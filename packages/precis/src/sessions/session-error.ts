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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the symbolic links go in a circle',
  EIO: 'the device failed',
}

/** What the system said, in words. */
export function explainSystemError(error: unknown): string {
  const code = systemErrorCode(error)
  if (code !== undefined) return REASONS[code] ?? code
  return error instanceof Error ? error.message : String(error)
}

export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
