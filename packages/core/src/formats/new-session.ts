/** Names for the session that `serialize` writes when it shall not pass for the one that was parsed. */
export interface NewSession {
  /** UUID of the new session. */
  readonly sessionId: string
  /** ISO 8601 time that new entries carry. */
  readonly timestamp: string
  /** Title the agent shows in its list. */
  readonly title: string
  /** Gives a fresh UUID at each call, for entries that are new. */
  readonly createId: () => string
}
