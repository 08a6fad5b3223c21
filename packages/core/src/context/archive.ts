import type { Message } from '../conversation/message.ts'

/** What a compression took out of a history, told before it is applied. */
export interface ArchivedChange {
  readonly id: number
  /** The messages that are no longer there as they were, oldest first, and their native form. */
  readonly removed: readonly Message[]
  readonly natives: readonly object[]
}

/** Where removed messages are kept, so that nothing is lost. The port; core has one in memory. */
export interface Archive {
  /** Rejects when it could not be kept; the compression is then not applied. */
  store(change: ArchivedChange): Promise<void>
}
