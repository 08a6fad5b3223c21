import { FormatError } from '@precis/core/formats'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { SessionError } from '../sessions/session-error.ts'
import type { JobFailed } from './job.ts'

/** A key that is missing here may be on another machine; a document that cannot be read is the same everywhere. */
export function describeFailure(error: unknown): JobFailed {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ConfigurationError) return { type: 'failed', code: error.code, message, mayPass: true }
  if (error instanceof FormatError || error instanceof SessionError) {
    return { type: 'failed', code: error.code, message, mayPass: false }
  }
  return { type: 'failed', code: 'unexpected', message: `an error that should not happen: ${message}`, mayPass: true }
}
