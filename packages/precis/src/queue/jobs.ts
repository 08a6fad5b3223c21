/**
 * A job from submission to result. pg-boss has its state, its attempts and its end; what it is made
 * of lies beside it, named by hash. Contents come before the step that names them: a process that
 * is killed leaves a job that waits, or one that pg-boss gives to another worker when it expires,
 * for no sign of life.
 *
 *   submit ──► waiting ──claim──► under way ──finish──► finished ──remove──► gone
 *                 ▲                   │
 *                 └─ retry, expiry ───┘   ten times, then pg-boss fails it
 */
import { createHash } from 'node:crypto'
import type { RecallPath } from '@precis/core'
import type { ListedTitle } from '../agents/shared/agent.ts'
import type { JobCompressed, JobFailed, JobSkipped } from '../compression/job.ts'
import type { CompressionSettings } from '../compression/settings.ts'
import { CompressionError } from '../files/errors.ts'
import { asObject } from '../files/lines.ts'
import { JOB_QUEUE, type Queue, SCHEMA } from './open-queue.ts'

// Grows when an older worker would do something else than it was asked.
export const REQUEST_VERSION = 2
/**
 * Of a worker. Version 10 of pg-boss has no heartbeat: its clock for expiry is set back instead.
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
// One buffer holds it, on both sides; a process needs some times that.
export const MOST_CONTENT_BYTES = 1 << 30

/** No key, no address and no file of the machine it comes from. */
export interface JobRequest {
  readonly settings: CompressionSettings
  readonly newSession: ListedTitle
  /** For messages. */
  readonly name: string
  readonly workingDirectory: string | undefined
  readonly recall: RecallPath | undefined
  /** Whether the submitter keeps the original. */
  readonly isKept: boolean
}

interface JobTicket {
  readonly version: number
  /** Of the precis that made it; for messages. */
  readonly precis: string
  /** Of the original. */
  readonly sha256: string
  /**
   * JSON inside JSON: that of the database takes no zero byte, and a session may hold one anywhere.
   */
  readonly request: string
}

/** Without the bytes, which are stored beside it. */
export type JobOutcome = Omit<JobCompressed, 'output'> | JobSkipped | JobFailed

/** Does nothing where it is there already, by whomever. */
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

/** A job that this worker has. */
export interface Claim {
  readonly id: string
  /** From 1: with this one. */
  readonly attempts: number
  readonly ticket: JobTicket
  /** Undefined where it is damaged, or of another version. */
  readonly request: JobRequest | undefined
}

/** Undefined when nothing waits. */
export async function claimJob({ boss }: Queue): Promise<Claim | undefined> {
  for (;;) {
    const [job] = await boss.fetch<JobTicket>(JOB_QUEUE, { includeMetadata: true })
    if (!job) return undefined
    const { id, data: ticket, retryCount } = job
    if (typeof ticket.version !== 'number') await boss.deleteJob(JOB_QUEUE, id)
    else return { id, attempts: retryCount + 1, ticket, request: readRequest(ticket) }
  }
}

/** Throws `CompressionError` when it is not what was submitted. */
export function readOriginal(queue: Queue, { id, ticket }: Claim): Promise<Buffer> {
  return readContent(queue, id, ticket.sha256)
}

/** Signs of life for what is under way. */
export function beat({ query }: Queue, ids: readonly string[]): Promise<unknown> {
  return query(
    `UPDATE ${SCHEMA}.job SET started_on = now() WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`,
    [JOB_QUEUE, ids],
  )
}

/** Of two that finish the same job, as after a long pause of one, the first one counts. */
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

/** For another attempt, of any worker, unless it was the last. */
export function retryJob({ boss }: Queue, id: string, reason: string): Promise<void> {
  return boss.fail(JOB_QUEUE, id, { reason })
}

/**
 * Contents without a job: pg-boss removes those that are never asked for again. What is new may be
 * about to get one.
 */
export function tidyQueue({ query }: Queue): Promise<unknown> {
  return query(
    `DELETE FROM ${SCHEMA}.content WHERE stored_at < now() - interval '1 hour' AND NOT EXISTS (
       SELECT 1 FROM ${SCHEMA}.job WHERE job.name = $1 AND job.id = content.job)`,
    [JOB_QUEUE],
  )
}

export interface JobStates {
  readonly finished: readonly string[]
  /** Not there: another submitter of the same session took its result. */
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

/**
 * Undefined when another took it meanwhile. `sha256` is of the original. Throws `CompressionError`
 * where it is damaged.
 */
export async function readFinished(
  queue: Queue,
  id: string,
  sha256: string,
): Promise<FinishedJob | undefined> {
  const job = await queue.boss.getJobById(JOB_QUEUE, id)
  if (!job) return undefined
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

export async function removeJob({ boss, query }: Queue, id: string): Promise<void> {
  await boss.deleteJob(JOB_QUEUE, id)
  await query(`DELETE FROM ${SCHEMA}.content WHERE job = $1`, [id])
}

/** Gives the hash that names it. PostgreSQL deflates what is large. */
async function storeContent({ query }: Queue, job: string, bytes: Uint8Array): Promise<string> {
  const name = hash(bytes)
  for (let position = 0; position * CHUNK_BYTES < bytes.length; position++) {
    const chunk = bytes.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES)
    await query(
      `INSERT INTO ${SCHEMA}.content (job, hash, position, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [job, name, position, chunk],
    )
  }
  return name
}

/** Throws `CompressionError` when it is not what its name says. */
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
  if (hash(bytes) === name) return bytes
  throw new CompressionError(
    'queue-damaged',
    'what its worker had is not what was submitted. Submit it again',
  )
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Whoever may write to the database is trusted to mean well, not to be of the same version. */
function readRequest({ version, request }: JobTicket): JobRequest | undefined {
  if (version > REQUEST_VERSION) return undefined
  try {
    const value = asObject(JSON.parse(request))
    return asObject(value?.settings) && asObject(value?.newSession)
      ? (value as unknown as JobRequest)
      : undefined
  } catch {
    // Damaged: one such job must not end those who do the others.
    return undefined
  }
}
