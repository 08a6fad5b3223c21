/**
 * Errors that a command reports to its user. Each message says what was being done, what was found
 * and what to do.
 */
import type { FormatError } from '@precis/core/formats'

/**
 * `code` is kebab-case and `detail` plain JSON, both for scripts. The JSON of the error contains
 * the members of `detail` by name.
 */
export class CodedError<Code extends string> extends Error {
  readonly code: Code
  readonly detail: Readonly<Record<string, unknown>>
  constructor(code: Code, message: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.detail = detail
  }
}

export type SessionErrorCode =
  | 'no-such-session'
  | 'ambiguous-session'
  | 'unreadable'
  | 'changed'
  | 'same-file'
  | 'unwritable'
  | 'in-use'

/** A session that cannot be found, read or written. */
export class SessionError extends CodedError<SessionErrorCode> {
  override readonly name = 'SessionError'
}

/** A file of an agent that cannot be read, or not changed safely. */
export class AgentFileError extends CodedError<
  'configuration-unreadable' | 'configuration-changed'
> {
  override readonly name = 'AgentFileError'
}

type ConfigurationErrorCode =
  | 'invalid-configuration'
  | 'unknown-summarizer'
  | 'unknown-model'
  | 'missing-key'
  | 'unsafe-key-file'

/** Settings that cannot be worked with. */
export class ConfigurationError extends CodedError<ConfigurationErrorCode> {
  override readonly name = 'ConfigurationError'
}

export type DatabaseErrorCode =
  | 'unreachable'
  | 'not-permitted'
  | 'no-such-database'
  | 'busy'
  | 'damaged'
  | 'full'
  | 'failed'

/** A refusal of a database, in words that follow "Using the database …:". Never with a password. */
export class DatabaseError extends CodedError<DatabaseErrorCode> {
  override readonly name = 'DatabaseError'
}

export type ArchiveErrorCode =
  | 'archive-unavailable'
  | 'archive-damaged'
  | 'archive-too-new'
  | 'archive-full'
  | 'archive-in-use'
  | 'not-archived'
  | 'no-such-span'
  | 'ambiguous-session'

/** A request that the archive cannot fulfil. */
export class ArchiveError extends CodedError<ArchiveErrorCode> {
  override readonly name = 'ArchiveError'
}

export type GatewayErrorCode =
  | 'port-in-use'
  | 'cannot-listen'
  | 'unsafe-address'
  | 'bad-upstream'
  | 'key-unreadable'

/** A gateway that cannot serve. */
export class GatewayError extends CodedError<GatewayErrorCode> {
  override readonly name = 'GatewayError'
}

export type CompressionErrorCode =
  | 'wrong-usage'
  | 'cannot-fit'
  | 'summary-failed'
  | 'summarizer-failed'
  | 'queue-unavailable'
  | 'queue-damaged'

/** A use case that ended without a result. */
export class CompressionError extends CodedError<CompressionErrorCode> {
  override readonly name = 'CompressionError'
}

/**
 * What a script and a user are told of an error. Undefined for an unexpected error: a bug.
 */
export function describeError(
  error: unknown,
): Pick<CodedError<string>, 'code' | 'message'> | undefined {
  if (error instanceof DatabaseError)
    return { code: 'database-failed', message: `Using the database: ${error.message}.` }
  if (error instanceof CodedError || isFormatError(error)) return error
  return undefined
}

/** By its name, because the class would load the formats in every command. */
export function isFormatError(error: unknown): error is FormatError {
  return error instanceof Error && error.name === ('FormatError' satisfies FormatError['name'])
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EBUSY: 'it is mounted by itself, or another program has it open',
  ENOENT: 'no such file or folder',
  EEXIST: 'it exists already',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EFTYPE: 'it is a pipe, a socket or a device, not a file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the symbolic links go in a circle',
  EIO: 'the device failed',
  ENXIO: 'nobody reads from the pipe',
  EADDRNOTAVAIL: 'this machine has no such address',
  EPIPE: 'nobody reads from the pipe any more',
}

/** In words, or the code itself if there are no words for it. */
export function explainSystemError(error: unknown): string {
  const code = systemErrorCode(error)
  if (code !== undefined) return REASONS[code] ?? code
  return reasonOf(error)
}

/** The message of whatever was thrown. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** `ENOENT`, `SQLITE_BUSY`, `53300`: whatever is under `code`. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Undefined if the system refuses. Other errors are thrown. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** Names only known errors, because the message of any other may quote a request. */
export function nameFailure(error: unknown): string {
  if (error instanceof DatabaseError || error instanceof ArchiveError) return error.message
  const code = systemErrorCode(error)
  return `${error instanceof Error ? error.name : typeof error}${code === undefined ? '' : ` ${code}`}`
}
