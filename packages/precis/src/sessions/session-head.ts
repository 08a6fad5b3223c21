/** What the beginning of a session tells about it. */
export interface SessionHead {
  readonly sessionId: string | undefined
  readonly workingDirectory: string | undefined
  /** What the person asked first. */
  readonly firstPrompt: string | undefined
}
