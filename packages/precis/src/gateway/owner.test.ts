import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { hasPostgres, startPostgres } from '../database/postgres.suite.ts'
import { createOwnerFinder, readOwnerKey } from './owner.ts'

describe('an owner', () => {
  const findOwner = createOwnerFinder(Buffer.alloc(32, 1), { isShared: false })
  const request = (headers: Record<string, string>, url = '/v1/messages') => ({ url, headers })

  test('is a hash that says nothing of the credential and differs with the key', () => {
    const { id } = findOwner(request({ authorization: 'Bearer secret' }))
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(findOwner(request({ authorization: 'Bearer secret' })).id).toBe(id)
    expect(findOwner(request({ authorization: 'Bearer secre' })).id).not.toBe(id)
    expect(
      createOwnerFinder(Buffer.alloc(32, 2), { isShared: false })(
        request({ authorization: 'Bearer secret' }),
      ).id,
    ).not.toBe(id)
  })

  test('is not another one because the same words stand elsewhere', () => {
    const ids = [
      findOwner(request({ authorization: 'a' })),
      findOwner(request({ 'x-api-key': 'a' })),
      findOwner(request({ 'x-goog-api-key': 'a' })),
      findOwner(request({}, '/v1beta/models/m:generateContent?key=a')),
      findOwner(request({})),
    ].map(({ id }) => id)
    expect(new Set(ids).size).toBe(5)
  })

  test('stays the same when a login gets a new token, but not where others could claim to be it', () => {
    const issue = (claims: object) =>
      `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
    const claims = { iss: 'https://auth', sub: 'user-1', exp: 1 }
    const tokens = [
      claims,
      { ...claims, exp: 2 },
      { ...claims, sub: 'user-2' },
      { exp: 1 },
      { exp: 2 },
    ].map(issue)
    const shared = createOwnerFinder(Buffer.alloc(32, 1), { isShared: true })
    const count = (find: typeof findOwner) =>
      new Set(tokens.map((authorization) => find(request({ authorization })).id)).size
    expect(count(findOwner)).toBe(4)
    expect(count(shared)).toBe(5)
  })

  test('has no session where the headers name none', () => {
    expect(findOwner(request({ 'x-unknown': 'y' }))).toMatchObject({
      session: undefined,
      agent: undefined,
    })
  })
})

describe('the key', () => {
  const { XDG_DATA_HOME: before } = process.env
  afterEach(() => {
    process.env.XDG_DATA_HOME = before
  })
  const enter = () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-key-'))
    process.env.XDG_DATA_HOME = folder
    return join(folder, 'precis', 'gateway-key')
  }

  test('is made once, for its owner alone', async () => {
    const path = enter()
    const [one, two] = await Promise.all([
      readOwnerKey(undefined),
      readOwnerKey('/somewhere/archive.db'),
    ])
    expect(Buffer.from(one).equals(two)).toBe(true)
    expect(readFileSync(path).equals(one)).toBe(true)
    expect(one).toHaveLength(32)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is made on a drive that knows no links', async () => {
    const path = enter()
    const spy = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links'), { code: 'EACCES' })
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    const key = await readOwnerKey(undefined)
    expect(key).toHaveLength(32)
    expect(readFileSync(path).equals(key)).toBe(true)
    expect(readdirSync(join(path, '..'))).toEqual(['gateway-key'])
  })

  test('that is damaged, or cannot be read, is an error that says where it is', async () => {
    const path = enter()
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'short')
    await expect(readOwnerKey(undefined)).rejects.toThrow(/gateway-key": it has 5 bytes/)
    chmodSync(join(path, '..'), 0o755)
    process.env.XDG_DATA_HOME = '/dev/null'
    await expect(readOwnerKey(undefined)).rejects.toThrow(/Reading the gateway's key/)
  })

  test.skipIf(!hasPostgres)(
    'of several instances is one, in the database that they share',
    { tags: ['slow'] },
    async () => {
      const server = await startPostgres()
      try {
        const address = await server.createDatabase()
        const keys = await Promise.all(Array.from({ length: 6 }, () => readOwnerKey(address)))
        expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
        expect(keys[0]).toHaveLength(32)
      } finally {
        await server.stop()
      }
    },
  )
})
