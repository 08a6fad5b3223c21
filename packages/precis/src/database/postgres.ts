/** PostgreSQL as a `Database`: one connection, opened when it is needed, which is given back with `close`. */
import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Connection, createDatabase, type Database, type DatabaseValue } from './database.ts'
import { renderDatabaseAddress } from './database-address.ts'
import { DatabaseError } from './database-error.ts'
import { explainPostgresError, isCutOff, readPostgresCode } from './postgres-error.ts'

// Two hundred processes that start on two cores get their turn late, each of them.
const CONNECT_MS = 60_000
// A server takes 100 connections by default; with two hundred processes half of them wait for the others.
const CROWDED_MS = 120_000
const RETRY_MS = 50
const MOST_ATTEMPTS = 20
// A process that was stopped in the middle of a transaction would hold its locks for ever.
const IDLE_IN_TRANSACTION_MS = 300_000
// A network that went away is noticed minutes later; by itself the system asks after two hours for the first time.
const KEEP_ALIVE_MS = 10_000
const SCHEMA = 'precis'

/** Throws `DatabaseError`. Tables are those of the schema `precis`, which need not be there. */
export async function openPostgres(address: string): Promise<Database> {
  const place = renderDatabaseAddress(address)
  const until = performance.now() + CROWDED_MS
  for (;;) {
    try {
      const client = await connect(address)
      return createDatabase(createConnection(client, place))
    } catch (error) {
      if (!isCrowded(error) || performance.now() > until) throw explainPostgresError(error)
    }
    await setTimeout(RETRY_MS * (1 + 9 * Math.random()))
  }
}

async function connect(address: string): Promise<Client> {
  const { Client, types } = await import('pg')
  const client = new Client({
    connectionString: address,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'precis',
    types: {
      // Counts and sums come as text otherwise, for they may be larger than what a number holds.
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        NUMBERS.has(type) ? Number : types.getTypeParser(type, format),
    },
  })
  // A server that goes away between two questions; the next question tells.
  client.on('error', settle)
  try {
    await client.connect()
    await client.query(`SET search_path TO ${SCHEMA}`)
    await client.query(`SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`)
    return client
  } catch (error) {
    client.end().then(settle, settle)
    throw error
  }
}

// int8, numeric
const NUMBERS = new Set([20, 1700])

function settle(): void {}

function createConnection(client: Client, place: string): Connection {
  const translate = createTranslation()
  const query = async (sql: string, values: readonly DatabaseValue[]) => {
    try {
      return await client.query({ ...translate(sql), values: values.map(toParameter) })
    } catch (error) {
      throw explainPostgresError(error)
    }
  }
  return {
    dialect: 'postgres',
    place,
    all: async <Row extends object>(sql: string, values: readonly DatabaseValue[] = []) =>
      (await query(sql, values)).rows as Row[],
    run: async (sql, values = []) => ({ changes: (await query(sql, values)).rowCount ?? 0 }),
    async transaction(work) {
      for (let attempts = 1; ; attempts++) {
        try {
          // Whatever the server takes by itself: what a lock was waited for has to be seen behind it.
          await query('BEGIN ISOLATION LEVEL READ COMMITTED', [])
          const result = await work()
          await query('COMMIT', [])
          return result
        } catch (error) {
          // Where the connection is gone there is nothing to roll back.
          await client.query('ROLLBACK').then(settle, settle)
          if (!isInTheWay(error) || attempts === MOST_ATTEMPTS) throw error
        }
        await setTimeout(RETRY_MS * attempts * Math.random())
      }
    },
    async close() {
      await client.end().then(settle, settle)
    },
  }
}

/** What PostgreSQL takes of our own SQL: `$1` for `?`, and quotes so that the names of columns keep their capitals. */
function createTranslation(): (sql: string) => { readonly name: string; readonly text: string } {
  const translated = new Map<string, { readonly name: string; readonly text: string }>()
  return (sql) => {
    let known = translated.get(sql)
    if (!known) {
      let parameter = 0
      const text = sql.replace(/\?|\b[a-z]+[A-Z]\w*/g, (found) => (found === '?' ? `$${++parameter}` : `"${found}"`))
      known = { name: `precis${translated.size}`, text }
      translated.set(sql, known)
    }
    return known
  }
}

/** Text of PostgreSQL cannot hold a zero byte. */
function toParameter(value: DatabaseValue): DatabaseValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value
}

// Too many clients, starting, and cut off by a server that is at its end.
const CROWDED = new Set(['53300', '57P03', 'ECONNRESET'])

/** A server that gives up on a client in the middle of its greeting has too much to do too. */
function isCrowded(error: unknown): boolean {
  return isCutOff(error) || CROWDED.has(readPostgresCode(error) ?? '')
}

function isInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === 'busy'
}
