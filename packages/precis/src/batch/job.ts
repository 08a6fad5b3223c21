import type { RecallPath, Report } from '@precis/core'
import type { FormatName } from '@precis/core/formats'
import type { RecordFate } from '../archive/record-fates.ts'
import type { Stored } from '../archive/store-original.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { BatchSettings } from './settings.ts'

/** One session to be compressed, for another process. */
export interface Job {
  readonly document: JobDocument
  readonly settings: BatchSettings
  readonly newSession: JobSession
  /** Measures the result and gives none of its bytes. */
  readonly isDryRun: boolean
  /** How the model that goes on looks up what was removed; undefined where it cannot. */
  readonly recall?: RecallPath
  /** Where the original is kept before anything is written; undefined to keep nothing. */
  readonly archive?: JobArchive
}

export type JobDocument =
  /** `sha256` is of what was there when it was chosen. */
  | { readonly type: 'path'; readonly path: string; readonly sha256: string }
  /** `name` is for messages. What the document does not tell of its working directory, its place did. */
  | {
      readonly type: 'bytes'
      readonly bytes: Uint8Array
      readonly name: string
      readonly workingDirectory: string | undefined
    }

/** What the new session is called. */
export interface JobSession {
  readonly sessionId: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly title: string
}

export interface JobArchive {
  /** A file or an address; the user's own file by default. */
  readonly place: string | undefined
  readonly quotaBytes: number
  /** Where the result will be. */
  readonly newPath: string
}

/** What the archive took, or why it took nothing. */
export type KeptResult = Stored | { readonly problem: string }

export type JobResult = JobCompressed | JobSkipped | JobFailed

export interface JobCompressed {
  readonly type: 'compressed'
  readonly format: FormatName
  readonly report: Report
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Undefined in a dry run. */
  readonly output: Uint8Array | undefined
  /** Of the original, as the archive keeps them. */
  readonly fates: readonly (readonly [number, RecordFate])[]
  readonly originalId: string | undefined
  readonly kept: KeptResult | undefined
  /** Of the original. */
  readonly damage: Damage
}

export interface JobSkipped {
  readonly type: 'skipped'
  readonly reason: SkipReason
  /** More, in words. */
  readonly detail?: string
}

export interface JobFailed {
  readonly type: 'failed'
  /** Kebab-case, for scripts. */
  readonly code: string
  readonly message: string
  /** Another attempt, or another machine, may do better. */
  readonly mayPass: boolean
}

export type SkipReason =
  | 'written-by-precis'
  | 'done-already'
  | 'in-use'
  | 'too-small'
  | 'within-budget'
  | 'nothing-to-gain'
  | 'done-elsewhere'
