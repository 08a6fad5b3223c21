/** One session to be compressed by another process, and its answer. */

import { createHash } from 'node:crypto'
import type { RecallPath, Report } from '@precis/core'
import { FormatError } from '@precis/core/formats'
import type { Agent, ListedTitle } from '../agents/shared/agent.ts'
import type { RecordChange } from '../archive/hash-pieces.ts'
import { ConfigurationError, SessionError } from '../files/errors.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { ArchivePlace, Destination, Kept } from './ports.ts'
import { type CompressionSettings, renderSettings } from './settings.ts'

export interface Job {
  readonly document: JobDocument
  readonly settings: CompressionSettings
  /** Names for the new session. */
  readonly newSession: ListedTitle
  /** Measures the result and gives none of its bytes. */
  readonly isDryRun: boolean
  /** The path of the result; undefined where only the process that gives the job knows it. */
  readonly destination?: Destination
  /** How the model that continues looks up what was removed; undefined where it cannot. */
  readonly recall?: RecallPath
  /** The archive that keeps the original before the result is given back; undefined for none. */
  readonly archive?: ArchivePlace
  /** Whether the process that gives the job keeps the original itself. */
  readonly isKept?: boolean
}

export type JobDocument = JobPath | JobBytes

interface AnyDocument {
  /** For messages. */
  readonly name: string
  /** As its place says, where the document itself does not. */
  readonly workingDirectory: string | undefined
  /** Of what was there when it was chosen, in hexadecimal digits. */
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
  /** Of the original, as an archive keeps them; none where it is kept already. */
  readonly fates: readonly (readonly [number, RecordChange])[]
  readonly originalId: string | undefined
  readonly kept: Kept | undefined
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

/**
 * A key that is missing here may be on another machine; a document that cannot be read is the same
 * everywhere.
 */
export function describeFailure(error: unknown): JobFailed {
  const message = error instanceof Error ? error.message : String(error)
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

// Ids that follow from what they name. The same session with the same settings has the same result, on every machine and
// in every run: whether it was compressed already is seen by looking whether its result is there.
// bytes of the original ─┐
// settings ──────────────┴─ SHA-256 ──► id of the result ──► ids of what is new in it

/**
 * `sha256` is of the bytes of the original, in hexadecimal digits. A UUID, or as the agent writes
 * its ids.
 */
export function deriveResultId(
  sha256: string,
  settings: CompressionSettings,
  agent: Agent,
): string {
  return agent.ids.create(deriveUuid(`precis compress\n${sha256}\n${renderSettings(settings)}`))
}

/** Gives another UUID at each call, the same ones for the same seed. */
export function createIdSource(seed: string): () => string {
  let count = 0
  return () => deriveUuid(`${seed}\n${count++}`)
}

/** In the form of version 4, which every agent takes. */
export function deriveUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Names a session among those of all agents, by as much of its id as the name of a file has. */
export function nameSession({ format, ids }: Agent, id: string): string {
  return `${format.name} ${id.slice(0, ids.charactersInNames)}`.toLowerCase()
}
