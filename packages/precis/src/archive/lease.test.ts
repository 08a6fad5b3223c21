import { setTimeout } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { withLease } from './lease.ts'
import { createArchive } from './open-archive.ts'
import { describeBoth } from './original.suite.ts'

describeBoth('a lease', (createPlace) => {
  let databases: Database[]
  let [one, other]: Database[] = []
  beforeEach(async () => {
    const place = await createPlace()
    databases = [await createArchive(place), await createArchive(place)]
    ;[one, other] = databases
    return () => Promise.all(databases.map((database) => database.close()))
  })
  const take = (
    database: Database | undefined,
    ttlMs: number,
    waitMs: number,
    work: () => Promise<void>,
  ) => {
    if (!database) throw new TypeError('no database')
    return withLease(database, 'work', { ttlMs, waitMs }, work)
  }

  test('lets one work at a time', { tags: 'slow' }, async () => {
    let working = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++working)
      await setTimeout(20)
      working--
    }
    const turns = Array.from({ length: 8 }, (_, at) => take(databases[at % 2], 5000, 20_000, work))
    await Promise.all(turns)
    expect(most).toBe(1)
  })

  test('is renewed for as long as the work goes on', { tags: 'slow' }, async () => {
    const long = take(one, 3000, 0, () => setTimeout(5000))
    await setTimeout(4000)
    await expect(take(other, 3000, 0, async () => {})).rejects.toThrow('another process is at it')
    await long
    await take(other, 3000, 0, async () => {})
  })

  test('is given back when the work fails', async () => {
    const failing = take(one, 60_000, 0, () => Promise.reject(new TypeError('broken')))
    await expect(failing).rejects.toThrow('broken')
    await take(other, 60_000, 0, async () => {})
  })

  test('of a holder whose clock was ahead by years is taken over', async () => {
    const values = ['elsewhere 1 abc', Date.now() + 3e10]
    await one?.run("INSERT INTO lease (name, holder, expiresAt) VALUES ('work', ?, ?)", values)
    let isDone = false
    await take(other, 300, 0, async () => {
      isDone = true
    })
    expect(isDone).toBe(true)
  })

  test('of a holder that fell silent is taken over, and the holder learns of it', {
    tags: 'slow',
  }, async () => {
    if (!one || !other) throw new TypeError('no database')
    const lost = withLease(one, 'work', { ttlMs: 600 }, async (signal) => {
      // As if it had slept past its time.
      await one?.run('UPDATE lease SET expiresAt = 0')
      await take(other, 60_000, 5000, () => setTimeout(700))
      return signal.aborted
    })
    expect(await lost).toBe(true)
  })
})
