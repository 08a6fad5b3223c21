/** One session that another process compresses, and its answer. */

import { createHash } from 'node:crypto'
import type { RecallPath, Report } from '@precis/core'
import { FormatError } from '@precis/core/formats'
import type { Agent, ListedTitle } from '../agents/shared/agent.ts'
import type { RecordChange } from '../archive/hash-pieces.ts'
import { ConfigurationError, reasonOf, SessionError } from '../files/errors.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { ArchivePlace, Destination, Kept } from './ports.ts'
import { type CompressionSettings, renderSettings } from './settings.ts'

export interface Job {
  readonly document: JobDocument
  readonly settings: CompressionSettings
  /** Names for the new session. */
  readonly newSession: ListedTitle
  /** Whether the result is only measured, and no bytes are returned. */
  readonly isDryRun: boolean
  /** The path of the result. Undefined if only the submitting process knows it. */
  readonly destination?: Destination
  /** How the model that continues searches removed text. Undefined if it cannot. */
  readonly recall?: RecallPath
  /** The archive that keeps the original before the result is returned. Undefined for none. */
  readonly archive?: ArchivePlace
  /** Whether the submitting process keeps the original itself. */
  readonly isKept?: boolean
}

export type JobDocument = JobPath | JobBytes

interface AnyDocument {
  /** Used in messages. */
  readonly name: string
  /** According to its place, if the document itself does not contain it. */
  readonly workingDirectory: string | undefined
  /** Hash of the bytes when the session was selected, in hexadecimal digits. */
  readonly sha256: string
}

interface JobPath extends AnyDocument {
  readonly type: 'path'
  readonly path: string
}

/** Bytes from another machine. */
interface JobBytes extends AnyDocument {
  readonly type: 'bytes'
  readonly bytes: Uint8Array
}

export type JobResult = JobCompressed | JobSkipped | JobFailed

export interface JobCompressed {
  readonly type: 'compressed'
  readonly format: string
  readonly report: Report & {
    readonly budget: string
    readonly notInFileTokens: number | undefined
  }
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Undefined in a dry run. */
  readonly output: Uint8Array | undefined
  /**
   * For an archive: what happened to the original's records. Empty if the original is kept already.
   */
  readonly fates: readonly (readonly [number, RecordChange])[]
  readonly originalId: string | undefined
  readonly kept: Kept | undefined
  /** Damage of the original. */
  readonly damage: Damage
}

export interface JobSkipped {
  readonly type: 'skipped'
  readonly reason: SkipReason
  /** More text for the user. */
  readonly detail?: string
}

export interface JobFailed {
  readonly type: 'failed'
  /** In kebab case, for scripts. */
  readonly code: string
  readonly message: string
  /** Whether another attempt, or another machine, may succeed. */
  readonly mayPass: boolean
}

export type SkipReason =
  | 'read-only'
  | 'written-by-precis'
  | 'done-already'
  | 'in-use'
  | 'too-small'
  | 'within-budget'
  | 'nothing-to-gain'
  | 'done-elsewhere'

/**
 * A missing key may be present on another machine. A document that cannot be read fails everywhere.
 */
export function describeFailure(error: unknown): JobFailed {
  const message = reasonOf(error)
  if (error instanceof ConfigurationError)
    return { type: 'failed', code: error.code, message, mayPass: true }
  if (error instanceof FormatError || error instanceof SessionError) {
    return { type: 'failed', code: error.code, message, mayPass: false }
  }
  return {
    type: 'failed',
    code: 'unexpected',
    message: `an error that should not happen: ${message}`,
    mayPass: true,
  }
}

// Ids are derived from what they name. The same session with the same settings has the same result,
// on every machine and in every run. If the result exists, the session was compressed already.
//
//   bytes of the original ─┐
//   settings ──────────────┴─ SHA-256 ──► id of the result ──► ids of new content in it

/**
 * `sha256` is the hash of the original's bytes, in hexadecimal digits. Returns a UUID, or an id in
 * the agent's form.
 */
export function deriveResultId(
  sha256: string,
  settings: CompressionSettings,
  agent: Agent,
): string {
  return agent.ids.create(deriveUuid(`precis compress\n${sha256}\n${renderSettings(settings)}`))
}

/** Returns another UUID at each call. The same seed returns the same ones. */
export function createIdSource(seed: string): () => string {
  let count = 0
  return () => deriveUuid(`${seed}\n${count++}`)
}

/** In the form of version 4, which every agent accepts. */
export function deriveUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Names a session among the sessions of all agents, by the part of its id that a file name
 * contains.
 */
export function nameSession({ format, ids }: Agent, id: string): string {
  return `${format.name} ${id.slice(0, ids.charactersInNames)}`.toLowerCase()
}
