/** What a submitter asks and a worker answers, as it lies in the database. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { RecallPath } from '@precis/core'
import type { JobCompressed, JobFailed, JobSession, JobSkipped } from '../batch/job.ts'
import type { BatchSettings } from '../batch/settings.ts'
import { asObject, type JsonObject } from '../sessions/lines.ts'

// Grows when an older worker would do something else than it was asked.
export const REQUEST_VERSION = 1

/** What pg-boss carries. */
export interface JobTicket {
  readonly version: number
  /** Of the precis that made it; for messages. */
  readonly precis: string
  readonly task: string
}

/** No key, no address and no file of the machine it comes from. */
export interface TaskRequest {
  readonly settings: BatchSettings
  readonly newSession: JobSession
  /** For messages. */
  readonly name: string
  readonly workingDirectory: string | undefined
  readonly recall: RecallPath | undefined
}

/** Without the bytes, which are a document of their own. */
export type TaskOutcome = Omit<JobCompressed, 'output'> | JobSkipped | JobFailed

const deflate = promisify<string, Buffer>(deflateRaw)
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw)
const MOST_PACKED_BYTES = 1 << 28

/** Not as JSON of the database: that takes no zero byte, and a session may hold one anywhere. */
export async function pack(value: TaskRequest | TaskOutcome): Promise<Buffer> {
  return await deflate(JSON.stringify(value))
}

/** Whoever may write to the database is trusted to mean well, not to be of the same version. Undefined for anything else. */
export async function unpackRequest(packed: Uint8Array): Promise<TaskRequest | undefined> {
  const value = await unpack(packed)
  const settings = asObject(value?.settings)
  const newSession = asObject(value?.newSession)
  const isWhole =
    typeof settings?.strategy === 'string' &&
    typeof settings.largerThanTokens === 'number' &&
    typeof asObject(settings.summarizer)?.name === 'string' &&
    ['tokens', 'share'].includes(String(asObject(settings.budget)?.type)) &&
    typeof newSession?.sessionId === 'string' &&
    typeof newSession.timestamp === 'string' &&
    typeof newSession.title === 'string' &&
    typeof value?.name === 'string' &&
    ['string', 'undefined'].includes(typeof value.workingDirectory)
  return isWhole ? (value as unknown as TaskRequest) : undefined
}

export async function unpackOutcome(packed: Uint8Array): Promise<TaskOutcome | undefined> {
  const value = await unpack(packed)
  const report = asObject(value?.report)
  const isWhole =
    (value?.type === 'compressed' &&
      hasTokens(report?.before) &&
      hasTokens(report?.after) &&
      asObject(report?.receipt) !== undefined &&
      Array.isArray(report?.problems) &&
      Array.isArray(value.fates) &&
      value.fates.every(Array.isArray)) ||
    (value?.type === 'skipped' && typeof value.reason === 'string') ||
    (value?.type === 'failed' && typeof value.code === 'string' && typeof value.message === 'string')
  return isWhole ? (value as unknown as TaskOutcome) : undefined
}

function hasTokens(size: unknown): boolean {
  return typeof asObject(size)?.tokens === 'number'
}

async function unpack(packed: Uint8Array): Promise<JsonObject | undefined> {
  try {
    const text = await inflate(packed, { maxOutputLength: MOST_PACKED_BYTES })
    return asObject(JSON.parse(text.toString('utf8')))
  } catch {
    // Damaged, or more than anybody packs: one such row must not end those who do the others.
    return undefined
  }
}

/** Undefined for what no precis sent. */
export function readTicket(data: unknown): JobTicket | undefined {
  const { version, precis, task } = asObject(data) ?? {}
  if (typeof version !== 'number' || typeof precis !== 'string' || typeof task !== 'string') return undefined
  return { version, precis, task }
}
