/**
 * Work for other machines, in the schema `precis_queue` of a PostgreSQL database. Who does which job, and when again, is for
 * pg-boss; what is to be done and what came of it lies beside its tables.
 *
 *   pg-boss job ──► task ──► document ──< chunk        an original, content-addressed
 *                    └─────► document ──< chunk        its result
 */
import { setTimeout } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type PgBoss from 'pg-boss'
import { renderDatabaseAddress } from '../database/database-address.ts'
import { DatabaseError } from '../database/database-error.ts'
import { explainPostgresError, readPostgresCode } from '../database/postgres-error.ts'
import { QueueError } from './queue-error.ts'

export type QueueValue = string | number | Uint8Array | null | readonly string[]

/** One transaction of the database, for us and for pg-boss. */
export interface QueueConnection {
  readonly query: <Row extends object>(sql: string, values?: readonly QueueValue[]) => Promise<Row[]>
  /** As pg-boss takes it. */
  readonly options: { readonly db: PgBoss.Db }
}

export interface Queue {
  readonly boss: PgBoss
  /** For messages: without a password. */
  readonly place: string
  /** All of it or nothing. Waits while the server is away, and is done again then. */
  transaction<T>(work: (connection: QueueConnection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface QueueOptions {
  /** Removes what is old; one of the processes at the queue does it. */
  readonly isKeeper: boolean
  /** When the server went away, and when it is back. */
  readonly onAway?: (isAway: boolean) => void
}

export const SCHEMA = 'precis_queue'
export const JOB_QUEUE = 'compress'

// A worker needs one for the job that ends, one for the next, one for its signs of life.
const MOST_CONNECTIONS = 4
const CONNECT_MS = 10_000
// A server that restarts is back in seconds; one that moves house in minutes.
const AWAY_MS = 600_000
const RETRY_MS = 500
const LATEST_RETRY_MS = 5000

/** Makes the tables where there are none. Throws `QueueError`. */
export async function openQueue(address: string, options: QueueOptions): Promise<Queue> {
  const place = renderPlace(address)
  const [{ Pool }, { default: Boss }] = await Promise.all([import('pg'), import('pg-boss')])
  const pool = new Pool({
    connectionString: address,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'precis queue',
  })
  // A server that goes away while nothing is asked; the next question tells.
  pool.on('error', () => {})
  try {
    const boss = await startBoss(pool, Boss, options)
    return {
      boss,
      place,
      transaction: (work) => whileAway(() => transact(pool, work), place, options.onAway),
      async close() {
        await boss.stop({ graceful: false, close: false }).catch(() => {})
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw explain(error, place)
  }
}

const MOST_STARTS = 5

/** Where nobody answers at first, the address may be wrong: that is told at once. A connection that breaks is made again. */
async function startBoss(pool: Pool, Boss: typeof PgBoss, options: QueueOptions): Promise<PgBoss> {
  for (let starts = 1; ; starts++) {
    const boss = new Boss({ ...bossOptions(options), db: { executeSql: (text, values) => pool.query(text, values) } })
    boss.on('error', () => {})
    try {
      await oneAtATime(pool, async () => {
        await transact(pool, ({ query }) => query(TABLES))
        await boss.start()
        await boss.createQueue(JOB_QUEUE, { name: JOB_QUEUE, policy: 'standard', ...JOB_LIMITS })
      })
      return boss
    } catch (error) {
      await boss.stop({ graceful: false, close: false }).catch(() => {})
      const isBroken = isAway(error) && !NOBODY.has(readPostgresCode(error) ?? '')
      if (!isBroken || starts === MOST_STARTS) throw error
    }
    await setTimeout(RETRY_MS)
  }
}

const NOBODY = new Set(['ECONNREFUSED', 'ENOENT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function renderPlace(address: string): string {
  try {
    return renderDatabaseAddress(address)
  } catch (error) {
    throw error instanceof DatabaseError
      ? new QueueError('queue-unavailable', `Opening the queue: ${error.message}.`)
      : error
  }
}

// How often a task may fail is counted with the task, where a crash and a loss are told apart. What is under way is known
// by signs of life; that pg-boss gives a job to another after an hour is for the case that nobody is there to look.
const JOB_LIMITS = { retryLimit: 1000, retryDelay: 1, expireInSeconds: 3600, retentionDays: 14 }
const DONE_SECONDS = 60

function bossOptions({ isKeeper }: QueueOptions): PgBoss.ConstructorOptions {
  return {
    schema: SCHEMA,
    supervise: isKeeper,
    schedule: false,
    maintenanceIntervalSeconds: 60,
    archiveCompletedAfterSeconds: DONE_SECONDS,
    archiveFailedAfterSeconds: DONE_SECONDS,
    deleteAfterHours: 1,
  }
}

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.document (
    hash bytea PRIMARY KEY,
    bytes bigint NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.chunk (
    document bytea NOT NULL REFERENCES ${SCHEMA}.document (hash) ON DELETE CASCADE,
    position integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (document, position)
  );
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.task (
    id uuid PRIMARY KEY,
    job uuid NOT NULL,
    document bytea NOT NULL REFERENCES ${SCHEMA}.document (hash),
    request bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    worker text,
    heartbeat_at timestamptz,
    crashes integer NOT NULL DEFAULT 0,
    losses integer NOT NULL DEFAULT 0,
    finished_at timestamptz,
    outcome bytea,
    result bytea REFERENCES ${SCHEMA}.document (hash)
  );
  CREATE INDEX IF NOT EXISTS task_document ON ${SCHEMA}.task (document);
  CREATE INDEX IF NOT EXISTS task_result ON ${SCHEMA}.task (result);
  CREATE INDEX IF NOT EXISTS task_heartbeat ON ${SCHEMA}.task (heartbeat_at) WHERE heartbeat_at IS NOT NULL`

const SETUP_LOCK = 0x70726563

/** Two that make the tables of pg-boss at once wait for each other until the server ends one of them. */
async function oneAtATime(pool: Pool, setUp: () => Promise<void>): Promise<void> {
  await transact(pool, async ({ query }) => {
    await query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK])
    await setUp()
  })
}

async function transact<T>(pool: Pool, work: (connection: QueueConnection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // Between two questions of a transaction too.
  const onLost = () => {}
  client.on('error', onLost)
  let problem: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(connect(client))
    await client.query('COMMIT')
    return result
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error))
    // Where the connection is gone there is nothing to roll back.
    if (!isAway(error)) await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.off('error', onLost)
    client.release(isAway(problem))
  }
}

function connect(client: PoolClient): QueueConnection {
  return {
    query: async <Row extends object>(sql: string, values?: readonly QueueValue[]) =>
      (await client.query(sql, values && [...values])).rows as Row[],
    options: { db: { executeSql: (text, values) => client.query(text, values) } },
  }
}

/** Repeats what failed because the server is away, for ten minutes. */
async function whileAway<T>(work: () => Promise<T>, place: string, onAway?: (isAway: boolean) => void): Promise<T> {
  const until = performance.now() + AWAY_MS
  for (let delayMs = RETRY_MS, isFirst = true; ; delayMs = Math.min(delayMs * 2, LATEST_RETRY_MS), isFirst = false) {
    try {
      const result = await work()
      if (!isFirst) onAway?.(false)
      return result
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw explain(error, place)
      if (isFirst) onAway?.(true)
    }
    await setTimeout(delayMs)
  }
}

// Connection failures of the system, of PostgreSQL (class 08, 57P01 to 57P03, 53300; appendix A) and of the client.
const AWAY_CODE =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08\w{3}|57P0[123]|53300)$/
const AWAY_MESSAGE = /connection terminated|timeout exceeded when trying to connect|not queryable|connection ended/i

function isAway(error: unknown): boolean {
  const isSaid = error instanceof Error && AWAY_MESSAGE.test(error.message)
  return isSaid || AWAY_CODE.test(readPostgresCode(error) ?? '')
}

function explain(error: unknown, place: string): unknown {
  const explained = explainPostgresError(error)
  if (!(explained instanceof DatabaseError)) return error
  return new QueueError('queue-unavailable', `Using the queue in "${place}": ${explained.message}.`)
}
