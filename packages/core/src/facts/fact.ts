/** What later work may need to know verbatim. */
export const factKinds = [
  'path',
  'identifier',
  'command',
  'error',
  'url',
  'commit',
  'version',
  'number-with-unit',
  'directive',
  'decision',
  'task',
  'question',
] as const

/** One of the twelve kinds; a receipt counts each apart. */
export type FactKind = (typeof factKinds)[number]

export interface Fact {
  readonly kind: FactKind
  /** As it stood in the conversation; paths relative to the working directory. */
  readonly text: string
  /** Positions in the messages that were read. */
  readonly firstMessage: number
  readonly lastMessage: number
  /** In how many parts of messages it stands. */
  readonly count: number
  /** Whether the person or the agent wrote it; false when it was only read in the output of a tool. */
  readonly written: boolean
  /** Whether a later event took its meaning: its command succeeded, its file was deleted, the person ended it. */
  readonly stale: boolean
}
