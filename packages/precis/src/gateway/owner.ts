/** The owner of a request: a keyed hash of its credential. The credential is never stored. */
import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname, join } from 'node:path'
import { agents } from '../agents/index.ts'
import { lockArchive } from '../archive/lease.ts'
import { isDatabaseAddress } from '../database/database.ts'
import { explainSystemError, GatewayError, systemErrorCode } from '../files/errors.ts'
import { parseObject } from '../files/lines.ts'
import { makeFolders } from '../files/make-folders.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { linkNew } from '../files/write-file.ts'
import type { Owner } from './gateway.ts'

const KEY_BYTES = 32
const NAME = 'gateway-key'
const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

export type FindOwner = (request: {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}) => Owner

export interface OwnerOptions {
  /** Whether anyone except this machine's user may ask. They could claim another's account. */
  readonly isShared: boolean
}

/** Returns the same hashes in every instance with the same key. */
export function createOwnerFinder(key: Uint8Array, { isShared }: OwnerOptions): FindOwner {
  return ({ url, headers }) => {
    const credentials: unknown[] = CREDENTIALS.map((name) => headers[name])
    // A login gets a new token every few hours, but keeps its account.
    credentials[0] = (!isShared && readAccount(headers.authorization)) || headers.authorization
    // Google accepts it in the address too.
    credentials.push(new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('key'))
    const id = createHmac('sha256', key).update(JSON.stringify(credentials)).digest('hex')
    for (const { name, wire } of agents) {
      const session = wire?.readSession(headers)
      if (session !== undefined) return { id, session, agent: name }
    }
    return { id, session: undefined, agent: undefined }
  }
}

const TOKEN = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/i

/**
 * The issuer and the subject of a JSON Web Token (RFC 7519, 4.1). Only the provider checks whether
 * the token is valid.
 */
function readAccount(authorization: string | undefined): object | undefined {
  const [, payload] = TOKEN.exec(authorization ?? '') ?? []
  const claims = payload === undefined ? undefined : parseObject(Buffer.from(payload, 'base64url'))
  return typeof claims?.sub === 'string' ? { iss: claims.iss, sub: claims.sub } : undefined
}

/** One conversation among those of all owners. Requests that name none are one conversation. */
export const nameSession = ({ id, session = '' }: Owner): string => `${id}/${session}`

const OWNER_DIGITS = 12

/**
 * The name of a session in the archive. Sessions of two owners may have the same name. A prefix of
 * the owner's hash is enough to distinguish them.
 */
export function nameOriginal({ id, session }: Owner): string | undefined {
  return session === undefined ? undefined : `${session}.${id.slice(0, OWNER_DIGITS)}`
}

/** Whether a session with this name belongs to the owner. */
export function isOfOwner(name: string | null, ownerId: string): boolean {
  return name?.endsWith(`.${ownerId.slice(0, OWNER_DIGITS)}`) ?? false
}

/**
 * Created if there is none: in the database that instances share, or in the user's own folder.
 * Throws `GatewayError` and `DatabaseError`.
 */
export async function readOwnerKey(database: string | undefined): Promise<Uint8Array> {
  if (database !== undefined && isDatabaseAddress(database)) return await readSharedKey(database)
  return readOwnKey(join(findUserFolders().data, NAME))
}

async function readSharedKey(address: string): Promise<Uint8Array> {
  const { openPostgres } = await import('../database/postgres.ts')
  const database = await openPostgres(address)
  try {
    return await database.transaction(async (open) => {
      // "IF NOT EXISTS" fails if two processes create it at the same time. The archive creates the
      // schema too.
      await lockArchive(open, 'alone')
      const [schema] = await open.all(
        "SELECT 1 AS found FROM pg_namespace WHERE nspname = 'precis'",
      )
      if (!schema) await open.run('CREATE SCHEMA precis')
      await open.run(
        'CREATE TABLE IF NOT EXISTS precis.gatewayKey (name TEXT PRIMARY KEY, value BYTEA NOT NULL)',
      )
      const insert =
        'INSERT INTO precis.gatewayKey (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING'
      await open.run(insert, [NAME, randomBytes(KEY_BYTES)])
      const select = 'SELECT value FROM precis.gatewayKey WHERE name = ?'
      const [row] = await open.all<{ value: Uint8Array }>(select, [NAME])
      if (!row)
        throw new TypeError('Reading the key of the gateway: it was written and is not there.')
      return row.value
    })
  } finally {
    await database.close()
  }
}

function readOwnKey(path: string): Uint8Array {
  try {
    const key = readKey(path) ?? makeKey(path)
    if (key.length === KEY_BYTES) return key
    throw new GatewayError(
      'key-unreadable',
      `Reading the gateway's key "${path}": it has ${key.length} bytes, not ${KEY_BYTES}. Delete it. A new one is created, and open sessions start again.`,
    )
  } catch (error) {
    if (systemErrorCode(error) === undefined || error instanceof GatewayError) throw error
    throw new GatewayError(
      'key-unreadable',
      `Reading the gateway's key "${path}": ${explainSystemError(error)}.`,
    )
  }
}

function readKey(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    return undefined
  }
}

/**
 * The same for two processes that start together. Complete or missing at any time, except on a drive
 * without links.
 */
function makeKey(path: string): Uint8Array {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  makeFolders(dirname(path))
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(descriptor, randomBytes(KEY_BYTES))
    fsyncSync(descriptor)
    linkNew(temporary, path)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  } finally {
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  return readFileSync(path)
}
