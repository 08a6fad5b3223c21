export type ConfigurationErrorCode =
  | 'invalid-configuration'
  | 'unknown-summarizer'
  | 'unknown-model'
  | 'missing-key'
  | 'unsafe-key-file'

/** Settings that cannot be worked with. The message says where they stand, what was found and what is allowed. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly code: ConfigurationErrorCode
  constructor(code: ConfigurationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
