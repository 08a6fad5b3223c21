import type { FormatError } from '@precis/core/formats'
import { AgentFileError } from '../agents/agent-file-error.ts'
import { ArchiveError, type ArchiveErrorCode } from '../archive/archive-error.ts'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { DatabaseError } from '../database/database-error.ts'
import { QueueError } from '../queue/queue-error.ts'
import { SessionError, type SessionErrorCode } from '../sessions/session-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** A command that did not do what it was asked. `code` is kebab-case, for scripts; the message is for people. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: string
  readonly exitCode: ExitCode
  /** More for scripts, under its own name in the JSON of the error. */
  readonly detail: Readonly<Record<string, unknown>>
  constructor(code: string, exitCode: ExitCode, message: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.exitCode = exitCode
    this.detail = detail
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

/** Undefined for an error nobody expected: a bug. */
export function asFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  if (error instanceof SessionError) return new Failure(error.code, SESSION_EXIT_CODES[error.code], error.message)
  if (error instanceof ArchiveError) return new Failure(error.code, ARCHIVE_EXIT_CODES[error.code], error.message)
  if (error instanceof AgentFileError) {
    const exitCode = error.code === 'configuration-changed' ? exitCodes.failed : exitCodes.invalidInput
    return new Failure(error.code, exitCode, error.message)
  }
  if (error instanceof QueueError) return new Failure(error.code, exitCodes.failed, error.message)
  if (error instanceof DatabaseError) {
    return new Failure('database-failed', exitCodes.failed, `Using the database: ${error.message}.`)
  }
  if (error instanceof ConfigurationError) return new Failure(error.code, exitCodes.wrongUsage, error.message)
  if (isFormatError(error)) {
    const exitCode = error.code === 'cannot-serialize' ? exitCodes.failed : exitCodes.invalidInput
    return new Failure(error.code, exitCode, error.message)
  }
  return undefined
}

/** By its name: who throws one has loaded the formats, and nobody else should have to. */
function isFormatError(error: unknown): error is FormatError {
  return error instanceof Error && error.name === ('FormatError' satisfies FormatError['name'])
}

export function wrongUsage(message: string): Failure {
  return new Failure('wrong-usage', exitCodes.wrongUsage, message)
}
