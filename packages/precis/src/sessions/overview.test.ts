import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { openFactsCache } from './facts-cache.ts'
import type { SessionFile } from './find-sessions.ts'
import { type KnownSession, listBrief, readSessions } from './overview.ts'
import type { PastCompaction, SessionFacts } from './session-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-overview-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function writeSession(number: number): SessionFile {
  const path = join(folder, `${number}.jsonl`)
  const message = { role: 'user', content: `request ${number}` }
  writeFileSync(path, `${JSON.stringify({ type: 'user', sessionId: `${number}`, message })}\n`)
  const { size: bytes, mtime: modified } = statSync(path)
  const id = `${number}`
  return { agent: claudeCode, id, shortId: id, path, bytes, modified }
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
      onFirst: async (some: readonly KnownSession[]) => void first.push(some.length),
    })
    expect(known).toHaveLength(4)
    return first
  }
  expect(await read(0)).toEqual([1])
  expect(await read(600_000)).toEqual([])
})

test('a first answer waits until it has a quarter of the sessions, or 50', async () => {
  const files = Array.from({ length: 40 }, (_, number) => writeSession(number + 10))
  const first: number[] = []
  await readSessions(files, {
    cache: openFactsCache(join(folder, 'quarter')),
    onProgress: () => {},
    onProblem: () => {},
    firstMs: 0,
    onFirst: async (some: readonly KnownSession[]) => void first.push(some.length),
  })
  expect(first).toEqual([10])
})

/** A session that was compacted once, with or without what that lost by name. */
function createKnown(number: number, isBrief: boolean, text?: string): KnownSession {
  const sentences = text === undefined ? [] : [{ text, turn: 1, isBinding: true }]
  const words = { total: 1, verbatim: 0, clipped: 0, missing: 1, sentences }
  const compaction: PastCompaction = {
    time: number,
    after: undefined,
    by: 'agent',
    trigger: undefined,
    durationMs: undefined,
    tokensBefore: undefined,
    tokensAfter: undefined,
    lost: { words, facts: undefined },
    cost: undefined,
    model: undefined,
  }
  const facts: SessionFacts = {
    id: `${number}`,
    title: undefined,
    firstPrompt: undefined,
    project: undefined,
    contextTokens: undefined,
    startMs: number,
    keys: [],
    requests: [],
    sums: [],
    total: { tokens: 0, dollars: 0, isOutputCounted: false },
    compactions: [compaction],
    isBrief,
  }
  const modified = new Date(number)
  const id = `${number}`
  const file = { agent: claudeCode, id, shortId: id, path: `/${id}`, bytes: 1, modified }
  return { file, facts }
}

test('losses are named for the compactions that are shown, and until twenty lost a sentence', () => {
  const list = (known: readonly KnownSession[], most: number) =>
    listBrief(known, most).map(({ id }) => Number(id))
  const brief = Array.from({ length: 60 }, (_, index) => createKnown(index, true))
  expect(list(brief, 1)).toEqual(Array.from({ length: 20 }, (_, index) => 59 - index))
  expect(list(brief, 40)).toHaveLength(40)
  // Those that turn out to have lost none do not count, so the ones before them are read too.
  const read = brief.map((one, index) => (index < 40 ? one : createKnown(index, false)))
  expect(list(read, 1)).toEqual(Array.from({ length: 20 }, (_, index) => 39 - index))
  const named = brief.map((one, index) => (index < 40 ? one : createKnown(index, false, 'never')))
  expect(list(named, 20)).toEqual([])
})
