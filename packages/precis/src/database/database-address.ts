/** Where a PostgreSQL database is, as a person gives it, and what of that may be shown. */
import { DatabaseError } from './database-error.ts'

const POSTGRES = /^postgres(?:ql)?:\/\//i
// One letter is a drive of Windows.
const SCHEME = /^\s*([a-z][a-z0-9+.:-]+:[\\/]+)/i
// `user:password@host/database`, and no path that a person would choose.
const BARE = /^\s*[^\s\\/:@]*:[^\\/]*@/

/** True for `postgres://…`, false for the path of a file. Throws `DatabaseError` for an address of another kind. */
export function isDatabaseAddress(place: string): boolean {
  if (POSTGRES.test(place)) return true
  const [, scheme] = SCHEME.exec(place) ?? []
  if (scheme === undefined && !BARE.test(place)) return false
  // The rest may hold a password.
  throw new DatabaseError(
    'failed',
    `"${scheme ?? ''}…" is not known. Give the path of a file, or postgres://user@host/database`,
  )
}

/** User, host and database; no password and no parameters. Throws `DatabaseError`, which shows nothing of the address. */
export function renderDatabaseAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // A `#`, `/` or `?` in a password ends the part in which passwords stand, and what follows would be shown.
  if (!url || `${url.pathname}${url.search}${url.hash}`.includes('@') || url.hash !== '') {
    throw new DatabaseError(
      'failed',
      'the address cannot be read. Give postgres://user:password@host:5432/database, with special characters of the password as %23 for "#", or set PGPASSWORD',
    )
  }
  const user = url.username === '' ? '' : `${url.username}@`
  return `postgres://${user}${url.host || (url.searchParams.get('host') ?? '')}${url.pathname}`
}
