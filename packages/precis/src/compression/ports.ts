/** The contract of the use cases: places, the archive, and the ports for I/O. */
import type { NewSession } from '@precis/core/formats'
import type { Stored } from '../archive/store-original.ts'
import type { ArchiveSettings } from '../configuration/configuration.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { Placement } from '../sessions/place-session.ts'

/** The place of a result. */
export type Destination =
  | { readonly type: 'nowhere' }
  | { readonly type: 'standard-output'; readonly sessionId: string }
  | { readonly type: 'file'; readonly path: string; readonly sessionId: string }
  | {
      readonly type: 'agent'
      readonly path: string
      readonly sessionId: string
      readonly placement: Placement
    }

/** The archive that keeps originals, and its largest size. */
export interface ArchivePlace {
  /** A file or an address. By default the user's own file. */
  readonly database: string | undefined
  readonly quotaBytes: number
  /** How often to retry a server that does not answer. Once by default. */
  readonly attempts?: number
}

export const DEFAULT_QUOTA_MEGABYTES = 2000
const BYTES_PER_MEGABYTE = 1_000_000

/** Undefined if nothing is to be kept. */
export function findArchive(settings: ArchiveSettings = {}): ArchivePlace | undefined {
  if (settings.enabled === false) return undefined
  return { database: settings.database, quotaBytes: findQuotaBytes(settings) }
}

/** A larger archive accepts nothing new. */
export function findQuotaBytes({
  quotaMegabytes = DEFAULT_QUOTA_MEGABYTES,
}: ArchiveSettings = {}): number {
  return quotaMegabytes * BYTES_PER_MEGABYTE
}

/** The entry of the archive, or why there is none. */
export type Kept = Stored | { readonly problem: string }

/** A result and its place, for the code that writes it there. */
export interface NewResult {
  /** The session to continue. It names the agent and the format. */
  readonly session: LoadedSession
  readonly newSession: NewSession | undefined
  readonly destination: Destination
}

/** The I/O that a use case needs. */
export interface Ports {
  /** Undefined to keep no original. */
  readonly archive: ArchivePlace | undefined
  /**
   * Writes a result to its destination and returns its size in bytes. The chunks are views that are
   * valid until the next one is read.
   */
  readonly write: (chunks: Iterable<Uint8Array>, result: NewResult) => Promise<number>
  /** Prints one line for the user, in addition to the result. */
  readonly note: (text: string) => void
  readonly progress: (step: string, fraction: number) => void
}
