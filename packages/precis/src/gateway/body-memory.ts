/** How much memory the bodies of all requests may take together. */

// Above this, bodies stream, and no action is taken.
const MOST_BYTES = 512 << 20

export interface BodyMemory {
  /** For one request. */
  open(): BodyShare
}

export interface BodyShare {
  /** Counts bytes that are in memory now. False, and not counted, if all requests have the most. */
  readonly take: (bytes: number) => boolean
  /** Nothing of it is in memory any more. */
  readonly release: () => void
}

export function createBodyMemory(mostBytes = MOST_BYTES): BodyMemory {
  let taken = 0
  return {
    open() {
      let own = 0
      return {
        take(bytes) {
          if (taken + bytes > mostBytes) return false
          own += bytes
          taken += bytes
          return true
        },
        release() {
          taken -= own
          own = 0
        },
      }
    },
  }
}
