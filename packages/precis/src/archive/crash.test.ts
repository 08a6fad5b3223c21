import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { measureArchive } from './measure-archive.ts'
import { openArchive } from './open-archive.ts'
import { verifyArchive } from './verify-archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-crash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Stores, forgets and shrinks until it is killed: no session is there, and it is always two hours later. */
const WORK = `
const [open, store, collect] = await Promise.all(process.argv.slice(2).map((module) => import(module)))
const database = await open.createArchive(process.argv[1])
for (let round = 0; ; round++) {
  const lines = Array.from({ length: 300 }, (_, line) => JSON.stringify({ text: 'word' + line * (round % 7) + ' of ' + process.pid }) + '\\n')
  const bytes = new TextEncoder().encode(lines.join(''))
  const fates = new Map(lines.map((_, line) => [line, { fate: 'removed', label: 'user' }]))
  const source = { byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) }
  store.storeOriginal(database, { command: 'compress', source, format: 'claude-code', fates, newPath: '/nowhere/' + round, report: {} }, 1e9)
  if (round % 3 === 2) collect.collectGarbage(database, Date.now() + 7_200_000)
  if (round % 9 === 8) collect.shrinkArchive(database)
}`

const modules = ['open-archive', 'store-original', 'collect-garbage'].map(
  (name) => new URL(`../../dist/archive/${name}.js`, import.meta.url).href,
)

function startWork(path: string) {
  return spawn(process.execPath, ['--input-type=module', '-e', WORK, path, ...modules], { stdio: 'ignore' })
}

describe('a process that is killed at any moment', () => {
  test('leaves a whole archive, also one of two that work at once', async () => {
    const path = join(folder, 'archive.db')
    let most = 0
    for (let round = 0; round < 12; round++) {
      const workers = [startWork(path), startWork(path)]
      const ends = workers.map((worker) => once(worker, 'exit'))
      for (const worker of workers) {
        await setTimeout(120 + round * 37)
        worker.kill('SIGKILL')
      }
      // Nobody may have ended before: a worker that failed tests nothing.
      expect((await Promise.all(ends)).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL'])
      const database = await openArchive(path)
      if (!database) continue
      expect(verifyArchive(database).problems).toEqual([])
      most = Math.max(most, measureArchive(database).records)
      database.close()
    }
    expect(most).toBeGreaterThan(0)
  }, 120_000)
})
