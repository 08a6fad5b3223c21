/**
 * PostgreSQL as a `Database`: one connection, opened when it is needed, which is given back with
 * `close`.
 */
import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { DatabaseError, type DatabaseErrorCode, systemErrorCode } from '../files/errors.ts'
import {
  type Connection,
  createDatabase,
  type Database,
  type DatabaseValue,
  ignore,
  renderDatabaseAddress,
} from './database.ts'

// Two hundred processes that start on two cores get their turn late, each of them.
const CONNECT_MS = 60_000
// A server accepts 100 connections by default. With two hundred processes, half of them wait for
// the others.
const CROWDED_MS = 120_000
const RETRY_MS = 50
const MOST_ATTEMPTS = 20
// A process stopped in the middle of a transaction would hold its locks for ever.
const IDLE_IN_TRANSACTION_MS = 300_000
// A lost network is noticed after minutes. The system's own default is two hours.
const KEEP_ALIVE_MS = 10_000
const SCHEMA = 'precis'

/** Throws `DatabaseError`. Tables are in the schema `precis`, which need not exist. */
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
  // A server lost between two queries: the next query reports it.
  client.on('error', ignore)
  try {
    await client.connect()
    await client.query(`SET search_path TO ${SCHEMA}`)
    await client.query(`SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`)
    return client
  } catch (error) {
    client.end().then(ignore, ignore)
    throw error
  }
}

// int8, numeric
const NUMBERS = new Set([20, 1700])

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
          // Whatever the server's default is: a change that the lock waited for has to be visible
          // after it.
          await query('BEGIN ISOLATION LEVEL READ COMMITTED', [])
          const result = await work()
          await query('COMMIT', [])
          return result
        } catch (error) {
          // If the connection is lost, there is nothing to roll back.
          await client.query('ROLLBACK').then(ignore, ignore)
          if (!isInTheWay(error) || attempts === MOST_ATTEMPTS) throw error
        }
        await setTimeout(RETRY_MS * attempts * Math.random())
      }
    },
    async close() {
      await client.end().then(ignore, ignore)
    },
  }
}

/**
 * Our own SQL as PostgreSQL takes it: `$1` for `?`, and quotes so that the names of columns keep
 * their capitals.
 */
function createTranslation(): (sql: string) => { readonly name: string; readonly text: string } {
  const translated = new Map<string, { readonly name: string; readonly text: string }>()
  return (sql) => {
    let known = translated.get(sql)
    if (!known) {
      let parameter = 0
      const text = sql.replace(/\?|\b[a-z]+[A-Z]\w*/g, (found) =>
        found === '?' ? `$${++parameter}` : `"${found}"`,
      )
      known = { name: `precis${translated.size}`, text }
      translated.set(sql, known)
    }
    return known
  }
}

/** Text of PostgreSQL cannot hold a zero byte. */
function toParameter(value: DatabaseValue): DatabaseValue {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\u{fffd}')
    : value
}

// Too many clients, starting, and cut off by a server that is at its end.
const CROWDED = new Set(['53300', '57P03', 'ECONNRESET'])

/** A server that drops a client during its greeting is overloaded too. */
function isCrowded(error: unknown): boolean {
  return isCutOff(error) || CROWDED.has(readPostgresCode(error) ?? '')
}

function isInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === 'busy'
}

// By SQLSTATE (PostgreSQL, appendix A) and by code of the system.
const REASONS: Readonly<Record<string, readonly [DatabaseErrorCode, string]>> = {
  '28P01': [
    'not-permitted',
    'the password is wrong. Give it in the address, in PGPASSWORD or in ~/.pgpass',
  ],
  '28000': ['not-permitted', 'the server does not let this user in'],
  '3D000': ['no-such-database', 'there is no such database on the server. Make it with "createdb"'],
  '42501': ['not-permitted', 'this user lacks a permission'],
  '53300': ['busy', 'the server had no connection free, however long it was waited for'],
  '57P03': ['unreachable', 'the server is starting, or stopping, and lets nobody in'],
  '40001': ['busy', 'another transaction was in the way'],
  '40P01': ['busy', 'another transaction was in the way'],
  '53100': ['full', 'the disk of the server is full'],
  '57P01': ['unreachable', 'the server is being stopped'],
  ECONNREFUSED: ['unreachable', 'no server answers there (is it running?)'],
  ENOENT: ['unreachable', 'no server answers there (is it running?)'],
  ENOTFOUND: ['unreachable', 'there is no host of this name'],
  EAI_AGAIN: ['unreachable', 'the name of the host cannot be looked up'],
  EHOSTUNREACH: ['unreachable', 'the host cannot be reached'],
  ENETUNREACH: ['unreachable', 'the network cannot be reached'],
  ETIMEDOUT: ['unreachable', 'the server did not answer in time'],
  ECONNRESET: ['unreachable', 'the server ended the connection'],
  EPIPE: ['unreachable', 'the server ended the connection'],
}

const MESSAGES: readonly (readonly [RegExp, DatabaseErrorCode, string])[] = [
  [
    /timeout expired|timeout exceeded|connection timeout/i,
    'unreachable',
    'the server did not answer in time',
  ],
  [
    /connection terminated|not queryable|connection ended/i,
    'unreachable',
    'the server ended the connection',
  ],
  [
    /does not support SSL/i,
    'not-permitted',
    'the server encrypts no connection, which sslmode in the address asks for',
  ],
  [
    /password must be a/i,
    'not-permitted',
    'the server wants a password. Give it in PGPASSWORD or in ~/.pgpass',
  ],
]

/** A `DatabaseError` for errors of the server or the connection. Other errors stay unchanged. */
export function explainPostgresError(error: unknown): unknown {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error
  const code = readPostgresCode(error)
  const [kind, reason] = REASONS[code ?? ''] ?? []
  const said = code !== undefined && SQLSTATE.test(code) ? error.message : undefined
  if (kind && reason)
    return new DatabaseError(
      kind,
      kind === 'not-permitted' && said ? `${reason} (${said})` : reason,
    )
  for (const [pattern, kindOfMessage, words] of MESSAGES) {
    if (pattern.test(error.message)) return new DatabaseError(kindOfMessage, words)
  }
  if (said !== undefined) return new DatabaseError('failed', `${said} (${code})`)
  // A library that could not read the address may quote it.
  if (code !== undefined) return new DatabaseError('failed', code)
  return error
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/** SQLSTATE, or the code of the system. If a host has several addresses, the code of the first. */
export function readPostgresCode(error: unknown): string | undefined {
  return systemErrorCode(error instanceof AggregateError ? error.errors[0] : error)
}

const TERMINATED = /connection terminated unexpectedly|not queryable|connection ended/i

/** A server that ended the connection without a word: the library has no code for it. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && TERMINATED.test(error.message)
}
