/** What PostgreSQL, and the way to it, say when they refuse something. */
import { systemErrorCode } from '../system-error.ts'
import { DatabaseError, type DatabaseErrorCode } from './database-error.ts'

// By SQLSTATE (PostgreSQL, appendix A) and by code of the system.
const REASONS: Readonly<Record<string, readonly [DatabaseErrorCode, string]>> = {
  '28P01': ['not-permitted', 'the password is wrong. Give it in the address, in PGPASSWORD or in ~/.pgpass'],
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
  [/timeout expired|timeout exceeded|connection timeout/i, 'unreachable', 'the server did not answer in time'],
  [/connection terminated|not queryable|connection ended/i, 'unreachable', 'the server ended the connection'],
  [
    /does not support SSL/i,
    'not-permitted',
    'the server encrypts no connection, which sslmode in the address asks for',
  ],
  [/password must be a/i, 'not-permitted', 'the server wants a password. Give it in PGPASSWORD or in ~/.pgpass'],
]

/** A `DatabaseError` for what a server or the way to it refused; other errors as they are. */
export function explainPostgresError(error: unknown): unknown {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error
  const code = readPostgresCode(error)
  const [kind, reason] = REASONS[code ?? ''] ?? []
  const said = code !== undefined && SQLSTATE.test(code) ? error.message : undefined
  if (kind && reason) return new DatabaseError(kind, kind === 'not-permitted' && said ? `${reason} (${said})` : reason)
  for (const [pattern, kindOfMessage, words] of MESSAGES) {
    if (pattern.test(error.message)) return new DatabaseError(kindOfMessage, words)
  }
  if (said !== undefined) return new DatabaseError('failed', `${said} (${code})`)
  // A library that could not read the address may quote it.
  if (code !== undefined) return new DatabaseError('failed', code)
  return error
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/** SQLSTATE, or the code of the system. Of several addresses of one host the first that was tried. */
export function readPostgresCode(error: unknown): string | undefined {
  return systemErrorCode(error instanceof AggregateError ? error.errors[0] : error)
}

const TERMINATED = /connection terminated unexpectedly|not queryable|connection ended/i

/** A server that ended the connection without a word: the library has no code for it. */
export function isCutOff(error: unknown): boolean {
  return error instanceof Error && TERMINATED.test(error.message)
}
