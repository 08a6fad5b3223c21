/** A PostgreSQL server that is there for one test file, from the binaries of this machine. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { findFreePort } from '../../../../test/free-port.suite.ts'

export interface TestServer {
  readonly host: string
  /** Of a user that may do everything. */
  readonly password: string
  /** Makes a database and gives its address. */
  createDatabase(): Promise<string>
  /** Runs one statement in a database. */
  query(address: string, sql: string): Promise<object[]>
  stop(): Promise<void>
}

const USER = 'precis'
const PASSWORD = 'pass:word/with?all#of%it'
const given = process.env.PRECIS_TEST_POSTGRES
const folder = findBinaries()

/** For `skipIf`; say in the name of what is skipped that it needs PostgreSQL. */
export const hasPostgres = given !== undefined || folder !== undefined

/**
 * Uses `PRECIS_TEST_POSTGRES`, the address of a database in which others may be made, when it is
 * set.
 */
export async function startPostgres(): Promise<TestServer> {
  if (given !== undefined) return connectTo(given, async () => {})
  if (folder === undefined) throw new TypeError('Starting PostgreSQL: initdb was not found.')
  const cluster = mkdtempSync(join(tmpdir(), 'precis-pg-'))
  const owner = findOwner()
  if (owner) chownSync(cluster, owner.uid, owner.gid)
  const passwordFile = join(cluster, 'password')
  const data = join(cluster, 'data')
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 })
  const port = await findFreePort()
  const options = [
    '-D',
    data,
    '-U',
    USER,
    '--pwfile',
    passwordFile,
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    '--no-sync',
  ]
  execFileSync(join(folder, 'initdb'), [...options, '--locale=C'], {
    ...owner,
    cwd: cluster,
    stdio: 'pipe',
  })
  const settings = [
    'fsync=off',
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${cluster}`,
  ]
  // It ends with this process, however that ends: its input is closed then.
  const script = '"$@" & pid=$!; cat; kill -INT $pid; wait $pid'
  const server = [
    join(folder, 'postgres'),
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const child = spawn('sh', ['-c', script, 'sh', ...server], {
    ...owner,
    cwd: cluster,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(child, 'exit')
  return connectTo(
    `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    async () => {
      child.stdin.end()
      await ended
      rmSync(cluster, { recursive: true, force: true })
    },
  )
}

async function connectTo(address: string, stop: () => Promise<void>): Promise<TestServer> {
  const query = async (where: string, sql: string): Promise<object[]> => {
    const client = new Client({ connectionString: where })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  await untilUp(() => query(address, 'SELECT 1'))
  const { host, password } = new URL(address)
  return {
    host,
    password: decodeURIComponent(password),
    async createDatabase() {
      const name = `precis_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`
      await query(address, `CREATE DATABASE ${name}`)
      const url = new URL(address)
      url.pathname = name
      return url.href
    },
    query,
    stop,
  }
}

const START_MS = 30_000

async function untilUp(ask: () => Promise<object[]>): Promise<void> {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (performance.now() > until) throw error
    }
    await setTimeout(50)
  }
}

function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/bin',
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  return folders.find(
    (each) => existsSync(join(each, 'initdb')) && existsSync(join(each, 'postgres')),
  )
}

/** It does not run as root. */
function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres', 'nobody']
    .map((name) => users.find((user) => user.startsWith(`${name}:`)))
    .find(Boolean)
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
