/**
 * A job from submission to result. pg-boss has its state, its attempts and its end. Its contents
 * are in a separate table, named by hash. They are stored before the step that names them. If a
 * process is killed, its job still waits, or pg-boss gives it to another worker when signs of life
 * are missing.
 *
 *   submit ──► waiting ──claim──► under way ──finish──► finished ──remove──► gone
 *                 ▲                   │
 *                 └─ retry, expiry ───┘   ten times, then pg-boss fails it
 */
import { hash } from 'node:crypto'
import type { RecallPath } from '@precis/core'
import type { ListedTitle } from '../agents/shared/agent.ts'
import type { JobCompressed, JobFailed, JobSkipped } from '../compression/job.ts'
import type { CompressionSettings } from '../compression/settings.ts'
import { CompressionError } from '../files/errors.ts'
import { asObject } from '../files/lines.ts'
import { JOB_QUEUE, KEPT_SECONDS, type Queue, SCHEMA } from './open-queue.ts'

// Increases if an older worker would do something else than requested.
export const REQUEST_VERSION = 2
/**
 * Interval of a worker. Version 10 of pg-boss has no heartbeat, so its clock for expiry is reset
 * instead.
 */
export const HEARTBEAT_MS = 5000
const MOST_ATTEMPTS = 10
const JOB_OPTIONS = {
  retryLimit: MOST_ATTEMPTS - 1,
  retryDelay: 1,
  expireInSeconds: 30,
  retentionDays: 14,
}
const CHUNK_BYTES = 1 << 20
// One buffer holds the content on both sides, and a process needs a multiple of that.
export const MOST_CONTENT_BYTES = 1 << 30

/** Contains no key, no address and no file path of the submitting machine. */
export interface JobRequest {
  readonly settings: CompressionSettings
  readonly newSession: ListedTitle
  /** Used in messages. */
  readonly name: string
  readonly workingDirectory: string | undefined
  readonly recall: RecallPath | undefined
  /** Whether the submitter keeps the original. */
  readonly isKept: boolean
}

interface JobTicket {
  readonly version: number
  /** Version of the submitting precis, for messages. */
  readonly precis: string
  /** Hash of the original. */
  readonly sha256: string
  /**
   * JSON inside JSON, because the database's JSON cannot contain a zero byte, and a session may
   * contain one anywhere.
   */
  readonly request: string
}

/** Does not contain the bytes, which are stored separately. */
export type JobOutcome = Omit<JobCompressed, 'output'> | JobSkipped | JobFailed

/** Has no effect if the job exists already, from any submitter. */
export async function submitJob(
  queue: Queue,
  id: string,
  { request, ...ticket }: Omit<JobTicket, 'version' | 'request'> & { readonly request: JobRequest },
  readBytes: () => Promise<Uint8Array>,
): Promise<void> {
  if (await queue.boss.getJobById(JOB_QUEUE, id)) return
  await storeContent(queue, id, await readBytes())
  const data: JobTicket = { ...ticket, version: REQUEST_VERSION, request: JSON.stringify(request) }
  await queue.boss.send(JOB_QUEUE, data, { id, ...JOB_OPTIONS })
}

/** A job that this worker has claimed. */
export interface Claim {
  readonly id: string
  /** Counts from 1 and includes this attempt. */
  readonly attempts: number
  readonly ticket: JobTicket
  /** Undefined if it is damaged, or of another version. */
  readonly request: JobRequest | undefined
}

/** Undefined if no job waits. */
export async function claimJob({ boss }: Queue): Promise<Claim | undefined> {
  for (;;) {
    const [job] = await boss.fetch<JobTicket>(JOB_QUEUE, { includeMetadata: true })
    if (!job) return undefined
    const { id, data: ticket, retryCount } = job
    if (typeof ticket.version !== 'number') await boss.deleteJob(JOB_QUEUE, id)
    else return { id, attempts: retryCount + 1, ticket, request: readRequest(ticket) }
  }
}

/** Throws `CompressionError` if it differs from what was submitted. */
export function readJobOriginal(queue: Queue, { id, ticket }: Claim): Promise<Buffer> {
  return readContent(queue, id, ticket.sha256)
}

/** Sends signs of life for unfinished jobs. */
export function beat({ query }: Queue, ids: readonly string[]): Promise<unknown> {
  return query(
    `UPDATE ${SCHEMA}.job SET started_on = now() WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`,
    [JOB_QUEUE, ids],
  )
}

/**
 * If two workers finish the same job, for example after one paused for long, the first one counts.
 */
export async function finishJob(
  queue: Queue,
  id: string,
  result: JobOutcome,
  bytes?: Uint8Array,
): Promise<void> {
  const output = bytes && (await storeContent(queue, id, bytes))
  const outcome = await storeContent(queue, id, Buffer.from(JSON.stringify(result)))
  await queue.boss.complete(JOB_QUEUE, id, { version: REQUEST_VERSION, outcome, output })
}

/** Gives the job to any worker for another attempt, unless this was the last one. */
export function retryJob({ boss }: Queue, id: string, reason: string): Promise<void> {
  return boss.fail(JOB_QUEUE, id, { reason })
}

/**
 * Removes jobs that are never requested again, and contents without a job. pg-boss archives the same
 * jobs only while a worker runs, because no submitter is a keeper. New contents stay, because their
 * job may be about to be created.
 */
export function tidyQueue({ query }: Queue): Promise<unknown> {
  return query(
    `WITH gone AS (DELETE FROM ${SCHEMA}.job
         WHERE name = $1 AND completed_on < now() - make_interval(secs => $2) RETURNING id)
       DELETE FROM ${SCHEMA}.content WHERE job IN (SELECT id FROM gone)
         OR stored_at < now() - interval '1 hour' AND NOT EXISTS (
           SELECT 1 FROM ${SCHEMA}.job WHERE job.name = $1 AND job.id = content.job)`,
    [JOB_QUEUE, KEPT_SECONDS],
  )
}

export interface JobStates {
  readonly finished: readonly string[]
  /** Missing, because another submitter of the same session took the result. */
  readonly missing: readonly string[]
  readonly underWay: number
}

export async function readStates({ query }: Queue, ids: readonly string[]): Promise<JobStates> {
  const rows = await query<{ id: string; state: string }>(
    `SELECT id, state::text AS state FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[])`,
    [JOB_QUEUE, ids],
  )
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  return {
    finished: ids.filter((id) => ENDED.has(states.get(id) ?? '')),
    missing: ids.filter((id) => !states.has(id)),
    underWay: rows.filter(({ state }) => state === 'active').length,
  }
}

const ENDED = new Set(['completed', 'failed', 'cancelled'])

/** Unfinished jobs of all submitters. */
export function countOpen({ boss }: Queue): Promise<number> {
  return boss.getQueueSize(JOB_QUEUE, { before: 'completed' })
}

export interface FinishedJob {
  readonly outcome: JobOutcome
  readonly original: Buffer
  readonly output: Buffer | undefined
}

// For a submitter that is killed before it has placed a result, and starts again.
const TAKEN_SECONDS = 3600

/**
 * Reads the result. The job stays for another hour only: a submitter that is killed after it placed
 * the result never removes it. Undefined if another submitter took the result meanwhile, even if the
 * job was submitted again since. `sha256` is the hash of the original. Throws `CompressionError` if
 * the result is damaged.
 */
export async function readFinished(
  queue: Queue,
  id: string,
  sha256: string,
): Promise<FinishedJob | undefined> {
  const job = await queue.boss.getJobById(JOB_QUEUE, id)
  if (!job || !ENDED.has(job.state)) return undefined
  await queue.query(
    `UPDATE ${SCHEMA}.job SET completed_on = now() - make_interval(secs => $3)
       WHERE name = $1 AND id = $2 AND state::text = ANY($4)`,
    [JOB_QUEUE, id, KEPT_SECONDS - TAKEN_SECONDS, [...ENDED]],
  )
  const nothing = { original: Buffer.alloc(0), output: undefined }
  if (job.state !== 'completed') return { outcome: WORKERS_LOST, ...nothing }
  const names = job.output as {
    readonly version?: number
    readonly outcome?: string
    readonly output?: string
  }
  if (names?.version !== REQUEST_VERSION) return { outcome: UNKNOWN_OUTCOME, ...nothing }
  const outcome: JobOutcome = JSON.parse(
    (await readContent(queue, id, names.outcome)).toString('utf8'),
  )
  if (outcome.type !== 'compressed') return { outcome, ...nothing }
  return {
    outcome,
    original: await readContent(queue, id, sha256),
    output: await readContent(queue, id, names.output),
  }
}

const WORKERS_LOST: JobFailed = {
  type: 'failed',
  code: 'workers-lost',
  message: `the workers that had it ended without a word, ${MOST_ATTEMPTS} times. Compress it alone`,
  mayPass: true,
}

const UNKNOWN_OUTCOME: JobFailed = {
  type: 'failed',
  code: 'unknown-outcome',
  message: 'its worker answered in words of another version. Run the same precis everywhere',
  mayPass: true,
}

/** In one step: nothing names the contents of a job that is gone. */
export async function removeJob({ query }: Queue, id: string): Promise<void> {
  await query(
    `WITH gone AS (DELETE FROM ${SCHEMA}.job WHERE name = $1 AND id = $2)
       DELETE FROM ${SCHEMA}.content WHERE job = $2`,
    [JOB_QUEUE, id],
  )
}

/** Returns the hash that names it. PostgreSQL compresses large values. */
async function storeContent({ query }: Queue, job: string, bytes: Uint8Array): Promise<string> {
  const name = hash('sha256', bytes)
  for (let position = 0; position * CHUNK_BYTES < bytes.length; position++) {
    const chunk = bytes.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES)
    await query(
      `INSERT INTO ${SCHEMA}.content (job, hash, position, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [job, name, position, chunk],
    )
  }
  return name
}

/** Throws `CompressionError` if its bytes do not match its hash. */
async function readContent({ query }: Queue, job: string, name = ''): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let position = 0; position * CHUNK_BYTES < MOST_CONTENT_BYTES; position++) {
    const [chunk] = await query<{ bytes: Buffer }>(
      `SELECT bytes FROM ${SCHEMA}.content WHERE job = $1 AND hash = $2 AND position = $3 AND length(bytes) <= $4`,
      [job, name, position, CHUNK_BYTES],
    )
    if (!chunk) break
    chunks.push(chunk.bytes)
  }
  const bytes = Buffer.concat(chunks)
  if (hash('sha256', bytes) === name) return bytes
  throw new CompressionError(
    'queue-damaged',
    'what its worker had is not what was submitted. Submit it again',
  )
}

/** Anyone who may write to the database is trusted, but may have another version of precis. */
function readRequest({ version, request }: JobTicket): JobRequest | undefined {
  if (version > REQUEST_VERSION) return undefined
  try {
    const value = asObject(JSON.parse(request))
    return asObject(value?.settings) && asObject(value?.newSession)
      ? (value as unknown as JobRequest)
      : undefined
  } catch {
    // It is damaged. One such job must not stop the worker.
    return undefined
  }
}
