import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sourceLoader } from '../../../../test/source-loader.ts'
import { measureArchive, verifyArchive } from './check-archive.ts'
import { createArchive, openArchive } from './open-archive.ts'
import { describeBoth } from './original.suite.ts'

/**
 * Stores, forgets and shrinks until it is killed: no session is there, and it is always two hours
 * later.
 */
const WORK = `
const [open, store, collect] = await Promise.all(process.argv.slice(2).map((module) => import(module)))
const database = await open.createArchive(process.argv[1])
process.stdout.write('ready')
for (let round = 0; ; round++) {
  const lines = Array.from({ length: 300 }, (_, line) => JSON.stringify({ text: 'word' + line * (round % 7) + ' of ' + process.pid }) + '\\n')
  const bytes = new TextEncoder().encode(lines.join(''))
  const changes = new Map(lines.map((_, line) => [line, { fate: 'removed', label: 'user' }]))
  const source = { byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) }
  await store.storeOriginal(database, { command: 'compress', source, format: 'claude-code', changes, newPath: '/nowhere-' + round, report: {} }, 1e9)
  if (round % 3 === 2) await collect.collectGarbage(database, Date.now() + 7_200_000)
  if (round % 9 === 8) await collect.shrinkArchive(database)
}`

const modules = ['open-archive', 'store-original', 'check-archive'].map(
  (name) => new URL(`./${name}.ts`, import.meta.url).href,
)

function startWork(place: string) {
  return spawn(
    process.execPath,
    [...sourceLoader, '--input-type=module', '-e', WORK, place, ...modules],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
}

describeBoth('an archive whose processes are killed at any moment', (createPlace) => {
  test('stays whole, also with two that work at once', { tags: 'slow' }, async () => {
    const place = await createPlace()
    await (await createArchive(place)).close()
    let most = 0
    for (let round = 0; round < 6; round++) {
      const workers = [startWork(place), startWork(place)]
      const ends = workers.map((worker) => once(worker, 'exit'))
      // Ready, or ended: then the signals below are others.
      await Promise.all(
        workers.map((worker, index) => Promise.race([once(worker.stdout, 'data'), ends[index]])),
      )
      for (const worker of workers) {
        await setTimeout(20 + round * 41)
        worker.kill('SIGKILL')
      }
      // Nobody may have ended before: a worker that failed tests nothing.
      expect((await Promise.all(ends)).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL'])
      const database = await openArchive(place)
      if (!database) continue
      expect((await verifyArchive(database)).problems).toEqual([])
      most = Math.max(most, (await measureArchive(database)).records)
      // As if the time of who was killed had run out; a file needs no waiting.
      await database.run('UPDATE lease SET expiresAt = 0')
      await database.close()
    }
    expect(most).toBeGreaterThan(0)
  })
})
