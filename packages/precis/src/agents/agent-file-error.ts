export type AgentFileErrorCode = 'configuration-unreadable' | 'configuration-changed'

/** A file of an agent that cannot be read, or not changed safely. The message says what was being done, found and to do. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError'
  readonly code: AgentFileErrorCode
  constructor(code: AgentFileErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
