import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeStore } from '../../../core/src/following/store.suite.ts'
import { openSqlite } from '../database/sqlite.ts'
import { openStore } from './open-store.ts'
import { describeBoth } from './original.suite.ts'

describeBoth('a store that programs open', (createPlace) => {
  describeStore(async () => {
    const place = await createPlace()
    const [store, other] = [openStore(place), openStore(place)]
    return {
      store,
      other,
      close: async () => void (await Promise.all([store.close(), other.close()])),
    }
  })

  test('has nothing of another host, and is there after it was closed', async () => {
    const place = await createPlace()
    const [store, other] = [openStore(place), openStore(place, { host: 'gateway' })]
    await store.write('a', '1', undefined)
    await other.write('a', '2', undefined)
    expect(await other.delete('')).toBe(1)
    await store.close()
    expect(await store.find(['a'])).toMatchObject({ key: 'a', value: '1' })
    expect(await store.list('')).toMatchObject([{ key: 'a' }])
    await Promise.all([store.close(), other.close()])
  })
})

// They are looked for in several steps.
const MANY_KEYS = Array.from({ length: 5000 }, (_, index) => `none ${index}`)

test('a call that fails takes the database from no other call, nor does closing', async () => {
  const place = join(mkdtempSync(join(tmpdir(), 'precis-store-')), 'archive.db')
  const store = openStore(place)
  await store.write('a', '1', undefined)
  await store.write('b', '2', undefined)
  const other = openSqlite(place, {})
  other.exec("UPDATE conversation SET value = x'ff' WHERE key = 'library/a'")
  other.close()
  const failing = store.find(['a'])
  const read = store.find([...MANY_KEYS, 'b'])
  await expect(failing).rejects.toThrow('begins anew')
  expect(await read).toMatchObject({ value: '2' })
  const last = store.find([...MANY_KEYS, 'b'])
  await store.close()
  expect(await last).toMatchObject({ value: '2' })
})

test('reads though another process writes, and gives up a write soon', {
  tags: 'slow',
}, async () => {
  const place = join(mkdtempSync(join(tmpdir(), 'precis-store-')), 'archive.db')
  const store = openStore(place)
  await store.write('a', '1', undefined)
  const other = openSqlite(place, {})
  other.exec('UPDATE conversation SET usedAt = 0; BEGIN IMMEDIATE')
  expect(await store.find(['a'])).toMatchObject({ value: '1' })
  const writes = ['b', 'c', 'd'].map((key) => store.write(key, '2', undefined))
  const read = store.find([...MANY_KEYS, 'a'])
  for (const write of await Promise.allSettled(writes))
    expect(write).toMatchObject({ reason: { code: 'busy' } })
  expect(await read).toMatchObject({ value: '1' })
  other.exec('ROLLBACK')
  await store.write('b', '2', undefined)
  expect(await store.list('')).toMatchObject([{ usedAt: 0 }, { key: 'b' }])
  await store.find(['a'])
  expect(await store.list('')).not.toMatchObject([{ usedAt: 0 }, {}])
  other.close()
  await store.close()
})

test('rejects with what to do where the database cannot be opened, and never shows a password', async () => {
  expect(() => openStore('file.db', { host: 'a/b' })).toThrow('without slashes')
  const store = openStore('postgres://user:hidden@127.0.0.1:1/none')
  const problem = await store.find(['a']).catch((error: unknown) => String(error))
  expect(problem).toContain('127.0.0.1:1')
  expect(problem).not.toContain('hidden')
})
