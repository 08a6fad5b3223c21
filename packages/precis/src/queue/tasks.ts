/**
 * Steps in the life of a task. Each is one transaction, in which the job of pg-boss changes with it: killed at any moment,
 * a process leaves a task that waits, or one whose worker gives no sign of life any more.
 *
 *   waiting ──claim──► under way ──finish──► finished ──remove──► gone
 *      ▲                │  │
 *      ├──── release ───┘  ├ crash     three times, then it failed
 *      └───────────────────┴ loss      ten times: the worker, not its job, was ended
 */
import { randomUUID } from 'node:crypto'
import { readDocument, storeDocument } from './documents.ts'
import { JOB_QUEUE, type Queue, type QueueConnection, SCHEMA } from './open-queue.ts'
import {
  type JobTicket,
  pack,
  REQUEST_VERSION,
  readTicket,
  type TaskOutcome,
  type TaskRequest,
  unpackOutcome,
} from './request.ts'

const MOST_CRASHES = 3
const MOST_LOSSES = 10
/** Of a worker; six in a row have to be missed before another takes its jobs. */
export const HEARTBEAT_MS = 5000
const SILENT = "interval '30 seconds'"
const FINISHED_FOR = "interval '7 days'"
const WAITING_FOR = "interval '14 days'"
const UNUSED_FOR = "interval '1 hour'"

/** False when it is there already, by whomever. */
export function submitTask(
  queue: Queue,
  id: string,
  precis: string,
  request: TaskRequest,
  readBytes: () => Promise<Uint8Array>,
): Promise<boolean> {
  return queue.transaction(async (connection) => {
    const [known] = await connection.query(`SELECT 1 FROM ${SCHEMA}.task WHERE id = $1`, [id])
    if (known) return false
    const document = await storeDocument(connection, await readBytes())
    const job = randomUUID()
    const [added] = await connection.query(
      `INSERT INTO ${SCHEMA}.task (id, job, document, request) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id`,
      [id, job, document, await pack(request)],
    )
    if (!added) return false
    const ticket: JobTicket = { version: REQUEST_VERSION, precis, task: id }
    await queue.boss.send(JOB_QUEUE, ticket, { id: job, ...connection.options })
    return true
  })
}

/** A task that this worker has. */
export interface Claim {
  readonly task: string
  readonly job: string
  readonly ticket: JobTicket
  readonly document: Buffer
  readonly request: Buffer
}

/** Undefined when nothing waits. */
export async function claimTask(queue: Queue, worker: string): Promise<Claim | undefined> {
  for (;;) {
    const claim = await queue.transaction((connection) => claimNext(queue, worker, connection))
    if (claim !== 'none-of-ours') return claim
  }
}

async function claimNext(queue: Queue, worker: string, connection: QueueConnection) {
  const [job] = await queue.boss.fetch(JOB_QUEUE, { batchSize: 1, ...connection.options })
  if (!job) return undefined
  const ticket = readTicket(job.data)
  const [row] = ticket
    ? await connection.query<{ document: Buffer; request: Buffer }>(
        `UPDATE ${SCHEMA}.task SET worker = $3, heartbeat_at = now()
         WHERE id = $1 AND job = $2 AND finished_at IS NULL RETURNING document, request`,
        [ticket.task, job.id, worker],
      )
    : []
  if (ticket && row) return { task: ticket.task, job: job.id, ticket, ...row } satisfies Claim
  // Its submitter has withdrawn it, or nobody here made it.
  await queue.boss.complete(JOB_QUEUE, job.id, {}, connection.options)
  return 'none-of-ours'
}

export function readOriginal(queue: Queue, { document }: Pick<Claim, 'document'>): Promise<Buffer> {
  return queue.transaction((connection) => readDocument(connection, document))
}

/** Signs of life for what is under way. */
export function beat(queue: Queue, worker: string, tasks: readonly string[]): Promise<unknown> {
  return queue.transaction(({ query }) =>
    query(
      `UPDATE ${SCHEMA}.task SET heartbeat_at = now() WHERE id = ANY($1::uuid[]) AND worker = $2 AND finished_at IS NULL AND heartbeat_at IS NOT NULL`,
      [tasks, worker],
    ),
  )
}

/** Of two that finish the same task, as after a long pause of one, the first one counts. */
export async function finishTask(
  queue: Queue,
  { task, job }: Pick<Claim, 'task' | 'job'>,
  outcome: TaskOutcome,
  output?: Uint8Array,
): Promise<void> {
  const packed = await pack(outcome)
  await queue.transaction(async (connection) => {
    const [row] = await connection.query(
      `UPDATE ${SCHEMA}.task SET finished_at = now(), heartbeat_at = NULL, outcome = $3
       WHERE id = $1 AND job = $2 AND finished_at IS NULL RETURNING id`,
      [task, job, packed],
    )
    if (row && output) {
      const result = await storeDocument(connection, output)
      await connection.query(`UPDATE ${SCHEMA}.task SET result = $2 WHERE id = $1`, [task, result])
    }
    await queue.boss.complete(JOB_QUEUE, job, {}, connection.options)
  })
}

/** For another worker, at once. */
export function releaseTask(queue: Queue, { task, job }: Claim, worker: string): Promise<void> {
  return queue.transaction(async (connection) => {
    await connection.query(`UPDATE ${SCHEMA}.task SET heartbeat_at = NULL WHERE id = $1 AND worker = $2`, [
      task,
      worker,
    ])
    await queue.boss.fail(JOB_QUEUE, job, { reason: 'given back' }, connection.options)
  })
}

/** For another attempt, unless it was the last. True when there will be one. */
export async function crashTask(
  queue: Queue,
  claim: Claim,
  failure: TaskOutcome & { type: 'failed' },
): Promise<boolean> {
  const isLast = await queue.transaction(async (connection) => {
    const [row] = await connection.query<{ crashes: number }>(
      `UPDATE ${SCHEMA}.task SET crashes = crashes + 1, heartbeat_at = NULL
       WHERE id = $1 AND job = $2 AND finished_at IS NULL RETURNING crashes`,
      [claim.task, claim.job],
    )
    if (row && row.crashes >= MOST_CRASHES) return true
    await queue.boss.fail(JOB_QUEUE, claim.job, { reason: failure.code }, connection.options)
    return false
  })
  if (!isLast) return true
  await finishTask(queue, claim, { ...failure, message: `${failure.message} (tried ${MOST_CRASHES} times)` })
  return false
}

interface LostTask {
  readonly id: string
  readonly job: string
  readonly losses: number
}

/** Gives tasks of workers that are gone to others. */
export async function reapTasks(queue: Queue): Promise<void> {
  const dead = await queue.transaction(async (connection) => {
    const lost = await connection.query<LostTask>(
      `UPDATE ${SCHEMA}.task SET losses = losses + 1, heartbeat_at = NULL WHERE id IN (
         SELECT id FROM ${SCHEMA}.task WHERE heartbeat_at < now() - ${SILENT} AND finished_at IS NULL
         FOR UPDATE SKIP LOCKED)
       RETURNING id, job, losses`,
    )
    const ended = lost.filter(({ losses }) => losses >= MOST_LOSSES)
    for (const { job } of lost.filter((task) => !ended.includes(task))) {
      await queue.boss.fail(JOB_QUEUE, job, { reason: 'worker lost' }, connection.options)
    }
    return ended
  })
  for (const { id, job } of dead) {
    const message = `the workers that had it ended without a word, ${MOST_LOSSES} times. Compress it alone`
    await finishTask(queue, { task: id, job }, { type: 'failed', code: 'workers-lost', message, mayPass: true })
  }
}

/** Documents that nobody needs, and tasks that nobody asked for again. */
export function tidyQueue(queue: Queue): Promise<unknown> {
  return queue.transaction(async ({ query }) => {
    await query(
      `DELETE FROM ${SCHEMA}.task WHERE finished_at < now() - ${FINISHED_FOR} OR created_at < now() - ${WAITING_FOR}`,
    )
    await query(`DELETE FROM ${SCHEMA}.document WHERE used_at < now() - ${UNUSED_FOR} AND ${UNNEEDED}`)
  })
}

const UNNEEDED = `
  NOT EXISTS (SELECT 1 FROM ${SCHEMA}.task WHERE task.document = document.hash) AND
  NOT EXISTS (SELECT 1 FROM ${SCHEMA}.task WHERE task.result = document.hash)`

export interface TaskStates {
  readonly finished: readonly string[]
  /** Not there: another submitter of the same session took its result. */
  readonly missing: readonly string[]
  readonly underWay: number
}

export async function readStates(queue: Queue, tasks: readonly string[]): Promise<TaskStates> {
  const rows = await queue.transaction(({ query }) =>
    query<{ id: string; isFinished: boolean; isUnderWay: boolean }>(
      `SELECT id, finished_at IS NOT NULL AS "isFinished", heartbeat_at IS NOT NULL AS "isUnderWay"
       FROM ${SCHEMA}.task WHERE id = ANY($1::uuid[])`,
      [tasks],
    ),
  )
  const there = new Set(rows.map(({ id }) => id))
  return {
    finished: rows.filter(({ isFinished }) => isFinished).map(({ id }) => id),
    missing: tasks.filter((id) => !there.has(id)),
    underWay: rows.filter(({ isUnderWay }) => isUnderWay).length,
  }
}

/** Tasks of anybody that are not finished. */
export async function countOpen(queue: Queue): Promise<number> {
  const [row] = await queue.transaction(({ query }) =>
    query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${SCHEMA}.task WHERE finished_at IS NULL`),
  )
  return row?.count ?? 0
}

export interface FinishedTask {
  readonly outcome: TaskOutcome
  readonly original: Buffer
  readonly output: Buffer | undefined
}

/** Undefined when another took it meanwhile. */
export function readFinished(queue: Queue, task: string): Promise<FinishedTask | undefined> {
  return queue.transaction(async (connection) => {
    const [row] = await connection.query<{ document: Buffer; outcome: Buffer; result: Buffer | null }>(
      `SELECT document, outcome, result FROM ${SCHEMA}.task WHERE id = $1 AND finished_at IS NOT NULL`,
      [task],
    )
    if (!row) return undefined
    const outcome = (await unpackOutcome(row.outcome)) ?? UNKNOWN_OUTCOME
    if (!row.result) return { outcome, original: Buffer.alloc(0), output: undefined }
    const [original, output] = [
      await readDocument(connection, row.document),
      await readDocument(connection, row.result),
    ]
    return { outcome, original, output }
  })
}

const UNKNOWN_OUTCOME = {
  type: 'failed',
  code: 'unknown-outcome',
  message: 'its worker answered in words of another version. Run the same precis everywhere',
  mayPass: true,
} as const

/** With what only it needed. */
export function removeTask(queue: Queue, task: string): Promise<unknown> {
  return queue.transaction(async ({ query }) => {
    const [row] = await query<{ document: Buffer; result: Buffer | null }>(
      `DELETE FROM ${SCHEMA}.task WHERE id = $1 RETURNING document, result`,
      [task],
    )
    for (const hash of row ? [row.document, row.result] : []) {
      if (hash) await query(`DELETE FROM ${SCHEMA}.document WHERE hash = $1 AND ${UNNEEDED}`, [hash])
    }
  })
}
