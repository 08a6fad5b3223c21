import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { openFactsCache } from './facts-cache.ts'
import type { SessionFile } from './find-sessions.ts'
import { type KnownSession, readSessions } from './overview.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-overview-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function writeSession(number: number): SessionFile {
  const path = join(folder, `${number}.jsonl`)
  const message = { role: 'user', content: `request ${number}` }
  writeFileSync(path, `${JSON.stringify({ type: 'user', sessionId: `${number}`, message })}\n`)
  const { size: bytes, mtime: modified } = statSync(path)
  return { agent: claudeCode, id: `${number}`, path, bytes, modified }
}

test('a first answer has the sessions that were read in time, once, and none if most were', async () => {
  const files = [1, 2, 3, 4].map(writeSession)
  const read = async (firstMs: number) => {
    const first: number[] = []
    const known = await readSessions(files, {
      cache: openFactsCache(join(folder, `${firstMs}`)),
      onProgress: () => {},
      onProblem: () => {},
      firstMs,
      onFirst: (some: readonly KnownSession[]) => void first.push(some.length),
    })
    expect(known).toHaveLength(4)
    return first
  }
  expect(await read(0)).toEqual([1])
  expect(await read(600_000)).toEqual([])
})
