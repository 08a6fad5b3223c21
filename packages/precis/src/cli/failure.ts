import {
  AgentFileError,
  ArchiveError,
  type ArchiveErrorCode,
  CodedError,
  CompressionError,
  type CompressionErrorCode,
  ConfigurationError,
  describeError,
  GatewayError,
  type GatewayErrorCode,
  isFormatError,
  SessionError,
  type SessionErrorCode,
} from '../files/errors.ts'

/** Exit codes, documented in every command's help. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  cannotFit: 3,
  invalidInput: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * A command that failed to do what was requested. `code` is in kebab case, for scripts. The message
 * is for people.
 */
export class Failure extends CodedError<string> {
  override readonly name = 'Failure'
  readonly exitCode: ExitCode
  constructor(
    code: string,
    exitCode: ExitCode,
    message: string,
    detail?: CodedError<string>['detail'],
  ) {
    super(code, message, detail)
    this.exitCode = exitCode
  }
}

const SESSION_EXIT_CODES: Readonly<Record<SessionErrorCode, ExitCode>> = {
  'no-such-session': exitCodes.invalidInput,
  'ambiguous-session': exitCodes.wrongUsage,
  unreadable: exitCodes.invalidInput,
  changed: exitCodes.invalidInput,
  'same-file': exitCodes.wrongUsage,
  unwritable: exitCodes.failed,
  'in-use': exitCodes.failed,
}

const COMPRESSION_EXIT_CODES: Readonly<Record<CompressionErrorCode, ExitCode>> = {
  'wrong-usage': exitCodes.wrongUsage,
  'cannot-fit': exitCodes.cannotFit,
  'summary-failed': exitCodes.failed,
  'summarizer-failed': exitCodes.failed,
  'queue-unavailable': exitCodes.failed,
  'queue-damaged': exitCodes.failed,
}

const GATEWAY_EXIT_CODES: Readonly<Record<GatewayErrorCode, ExitCode>> = {
  'port-in-use': exitCodes.failed,
  'cannot-listen': exitCodes.failed,
  'unsafe-address': exitCodes.wrongUsage,
  'bad-upstream': exitCodes.wrongUsage,
  'key-unreadable': exitCodes.failed,
}

const ARCHIVE_EXIT_CODES: Readonly<Record<ArchiveErrorCode, ExitCode>> = {
  'archive-unavailable': exitCodes.failed,
  'archive-damaged': exitCodes.failed,
  'archive-too-new': exitCodes.failed,
  'archive-full': exitCodes.failed,
  'archive-in-use': exitCodes.failed,
  'not-archived': exitCodes.invalidInput,
  'no-such-span': exitCodes.wrongUsage,
  'ambiguous-session': exitCodes.wrongUsage,
}

/** Undefined for an unexpected error, which is a bug. */
export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  const described = describeError(error)
  if (!described) return undefined
  const detail = error instanceof CompressionError ? error.detail : undefined
  return new Failure(described.code, chooseExitCode(error), described.message, detail)
}

function chooseExitCode(error: unknown): ExitCode {
  if (error instanceof SessionError) return SESSION_EXIT_CODES[error.code]
  if (error instanceof ArchiveError) return ARCHIVE_EXIT_CODES[error.code]
  if (error instanceof CompressionError) return COMPRESSION_EXIT_CODES[error.code]
  if (error instanceof GatewayError) return GATEWAY_EXIT_CODES[error.code]
  if (error instanceof ConfigurationError) return exitCodes.wrongUsage
  if (error instanceof AgentFileError)
    return error.code === 'configuration-changed' ? exitCodes.failed : exitCodes.invalidInput
  if (isFormatError(error))
    return error.code === 'cannot-serialize' ? exitCodes.failed : exitCodes.invalidInput
  return exitCodes.failed
}

export function wrongUsage(message: string): Failure {
  return new Failure('wrong-usage', exitCodes.wrongUsage, message)
}
