import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KnownSession } from '../sessions/overview.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { readMachine } from './read-machine.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'precis-machine-'))
  vi.stubEnv('HOME', home)
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'))
  vi.stubEnv('XDG_CACHE_HOME', join(home, '.cache'))
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'))
  vi.stubEnv('XDG_DATA_HOME', join(home, '.data'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

/** A session that was compacted once. */
function writeSession(number = 1): string {
  const user = { type: 'user', sessionId: 's', cwd: '/work/shop' }
  const timestamp = `2026-04-01T10:00:0${number}Z`
  const records = [
    {
      ...user,
      uuid: 'a',
      parentUuid: null,
      timestamp,
      message: { role: 'user', content: 'Mend.' },
    },
    { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null, timestamp },
    {
      ...user,
      uuid: 'c',
      parentUuid: 'b',
      timestamp,
      isCompactSummary: true,
      message: { role: 'user', content: 'All is well.' },
    },
  ]
  const folder = join(home, '.claude', 'projects', '-work-shop')
  const path = join(folder, `00000000-0000-4000-8000-00000000000${number}.jsonl`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}

test('a session that goes away before its losses are named keeps what was read of it', async () => {
  const path = writeSession()
  const terminal = createTerminal({})
  const removeAtTheEnd = (_: string, fraction: number) => {
    if (fraction === 1) rmSync(path, { force: true })
  }
  const progress = { ...terminal.progress, show: removeAtTheEnd }
  const known = await readMachine({ ...terminal, progress }, { named: 10 })
  expect(known).toMatchObject([
    { file: { path }, facts: { isBrief: true, compactions: [{ lost: { words: { total: 1 } } }] } },
  ])
})

test('what the first answer names, the whole answer names too', async () => {
  for (const number of [1, 2, 3, 4]) writeSession(number)
  const terminal = createTerminal({})
  const first: KnownSession[] = []
  const known = await readMachine(
    { ...terminal, note: () => {} },
    { named: 10, firstMs: 0, onFirst: (some) => void first.push(...some) },
  )
  expect(first).toHaveLength(1)
  expect([...first, ...known].map(({ facts }) => facts?.isBrief)).toEqual(Array(5).fill(false))
})
