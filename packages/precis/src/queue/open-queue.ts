/**
 * Work for other machines, in the schema `precis_queue` of a PostgreSQL database. pg-boss assigns
 * jobs, retries them and deletes them. Originals and results are next to its tables.
 */
import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import type PgBoss from 'pg-boss'
import { renderDatabaseAddress } from '../database/database.ts'
import { explainPostgresError, readPostgresCode } from '../database/postgres.ts'
import { CompressionError, DatabaseError } from '../files/errors.ts'

export interface Queue {
  readonly boss: PgBoss
  /** The place for messages, with its password removed. */
  readonly place: string
  /**
   * While the server is away, waits like pg-boss and asks again, so a second attempt may get an
   * answer.
   */
  readonly query: <Row extends object>(sql: string, values: readonly unknown[]) => Promise<Row[]>
  close(): Promise<void>
}

export interface QueueOptions {
  /** Whether it takes part in the maintenance of pg-boss, which handles expired and old jobs. */
  readonly isKeeper: boolean
  /** Called when the server goes away, and when it is back. */
  readonly onAway: (isAway: boolean) => void
}

export const SCHEMA = 'precis_queue'
/** Older versions use the queue "compress" with jobs of another shape. */
export const JOB_QUEUE = 'compress-session'

/** A finished job waits for its submitter. */
export const KEPT_SECONDS = 7 * 24 * 3600

// A removed job is never requested.
const BOSS_OPTIONS: PgBoss.ConstructorOptions = {
  schema: SCHEMA,
  schedule: false,
  maintenanceIntervalSeconds: 5,
  archiveCompletedAfterSeconds: KEPT_SECONDS,
  deleteAfterHours: 1,
}

const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.content (
    job uuid NOT NULL,
    hash text NOT NULL,
    position integer NOT NULL,
    bytes bytea NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, hash, position)
  )`

// A worker needs one for the job that ends, one for the next job, and one for its signs of life.
const MOST_CONNECTIONS = 4
const CONNECT_MS = 10_000

/** Creates the tables if there are none. Throws `CompressionError`. */
export async function openQueue(
  address: string,
  { isKeeper, onAway }: QueueOptions,
): Promise<Queue> {
  const place = explaining('', () => renderDatabaseAddress(address))
  const [{ Pool }, { default: Boss }] = await Promise.all([import('pg'), import('pg-boss')])
  const pool = new Pool({
    connectionString: address,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'precis queue',
  })
  // If the server is lost while idle, the next query reports it.
  pool.on('error', () => {})
  let isOpen = false
  const ask = async (sql: string, values?: readonly unknown[]) => {
    const question = () => pool.query(sql, values && [...values])
    return isOpen ? await whileAway(question, place, onAway) : await question()
  }
  const createBoss = () =>
    new Boss({ ...BOSS_OPTIONS, supervise: isKeeper, db: { executeSql: ask } })
  const boss = await start(pool, createBoss, place)
  isOpen = true
  return {
    boss,
    place,
    query: async <Row extends object>(sql: string, values: readonly unknown[]) =>
      (await ask(sql, values)).rows as Row[],
    async close() {
      await boss.stop({ graceful: false, close: false })
      await pool.end()
    },
  }
}

const MOST_STARTS = 5
const RETRY_MS = 500
const SETUP_LOCK = 0x70726563
const NO_SERVER = new Set(['ECONNREFUSED', 'ENOENT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Fails immediately if no server answers at first, because the address may be wrong. A connection
 * that breaks later is renewed.
 */
async function start(pool: Pool, createBoss: () => PgBoss, place: string): Promise<PgBoss> {
  for (let starts = 1; ; starts++) {
    const boss = createBoss()
    boss.on('error', () => {})
    try {
      const client = await pool.connect()
      client.on('error', () => {})
      try {
        // Two processes that create the tables of pg-boss at the same time would wait for each
        // other until the server ends one.
        await client.query('SELECT pg_advisory_lock($1)', [SETUP_LOCK])
        await client.query(TABLES)
        await boss.start()
        await boss.createQueue(JOB_QUEUE)
      } finally {
        // The lock ends with its connection.
        client.release(true)
      }
      return boss
    } catch (error) {
      await boss.stop({ graceful: false, close: false })
      if (
        !isAway(error) ||
        NO_SERVER.has(readPostgresCode(error) ?? '') ||
        starts === MOST_STARTS
      ) {
        await pool.end()
        throw explain(error, place)
      }
    }
    await setTimeout(RETRY_MS)
  }
}

// A server that restarts is back in seconds, and one that moves to another host in minutes.
const AWAY_MS = 600_000
const LATEST_RETRY_MS = 5000

async function whileAway<T>(
  work: () => Promise<T>,
  place: string,
  onAway: QueueOptions['onAway'],
): Promise<T> {
  const until = performance.now() + AWAY_MS
  for (
    let delayMs = RETRY_MS, isFirst = true;
    ;
    delayMs = Math.min(delayMs * 2, LATEST_RETRY_MS), isFirst = false
  ) {
    try {
      const result = await work()
      if (!isFirst) onAway(false)
      return result
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw explain(error, place)
      if (isFirst) onAway(true)
    }
    await setTimeout(delayMs)
  }
}

// Connection failures of the system, of PostgreSQL (class 08, 57P01 to 57P03, 53300, appendix A)
// and of the client.
const AWAY_CODE =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08\w{3}|57P0[123]|53300)$/
const AWAY_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|not queryable|connection ended/i

function isAway(error: unknown): boolean {
  return (
    (error instanceof Error && AWAY_MESSAGE.test(error.message)) ||
    AWAY_CODE.test(readPostgresCode(error) ?? '')
  )
}

function explain(error: unknown, place: string): unknown {
  const explained = explainPostgresError(error)
  if (!(explained instanceof DatabaseError)) return error
  const doing = place === '' ? 'Opening the queue' : `Using the queue in "${place}"`
  return new CompressionError('queue-unavailable', `${doing}: ${explained.message}.`)
}

function explaining<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explain(error, place)
  }
}
