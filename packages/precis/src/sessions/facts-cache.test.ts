import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { openFactsCache } from './facts-cache.ts'
import { packFacts } from './pack-facts.ts'
import type { SessionFacts } from './session-facts.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (day: number) => ({
  agent: claudeCode,
  id: `${day}`,
  shortId: `${day}`,
  path: `/${day}`,
  bytes: 1,
  modified: new Date(Date.UTC(2026, 3, day)),
})
const facts = (id: string): SessionFacts => ({
  id,
  title: 'x'.repeat(200),
  firstPrompt: undefined,
  project: undefined,
  contextTokens: undefined,
  startMs: undefined,
  compactions: [],
  isBrief: false,
  sums: [],
  requests: [],
  keys: [],
  total: { tokens: 0, dollars: 0, isOutputCounted: false },
})

test('the facts of the oldest sessions are left out when there is no room for all', async () => {
  const days = [2, 4, 1, 3]
  const cache = openFactsCache(folder, 900)
  for (const day of days) cache.add(file(day), packFacts(facts(`${day}`)))
  expect(await cache.save(true)).toBeUndefined()
  const again = openFactsCache(folder, 900)
  expect(days.filter((day) => again.find(file(day)))).toEqual([4, 3])
})

test('a cache that is damaged or of another version is empty, says so, and is written again', async () => {
  const path = join(folder, 'session-facts.jsonl')
  const cache = openFactsCache(folder)
  expect(cache.problem).toBeUndefined()
  cache.add(file(1), packFacts(facts('1')))
  await cache.save(true)
  const written = readFileSync(path, 'utf8')
  for (const [content, problem] of [
    [written.slice(0, -20), 'damaged'],
    [written.replace('xx', 'xy'), 'damaged'],
    [written.replace('"version":', '"version":1'), 'of another version'],
  ] as const) {
    writeFileSync(path, content)
    const again = openFactsCache(folder)
    expect(again.problem).toContain(`is ${problem}`)
    expect(again.find(file(1))).toBeUndefined()
    again.add(file(1), packFacts(facts('1')))
    await again.save(true)
    expect(readFileSync(path, 'utf8')).toBe(written)
  }
})

test('facts are the same after they were stored', async () => {
  const request = {
    key: 'abc',
    model: 'm',
    timeMs: undefined,
    input: 1,
    cacheWrite: 2,
    cacheRead: 3,
    output: 4,
    tokens: 10,
    dollars: undefined,
  }
  const whole: SessionFacts = {
    ...facts('1'),
    firstPrompt: 'a tab\t and a\nline',
    requests: [request, { ...request, key: undefined, dollars: 0.5, isOutputCounted: true }],
    keys: ['abc', undefined],
  }
  const cache = openFactsCache(folder)
  cache.add(file(1), packFacts(whole))
  await cache.save(true)
  const found = openFactsCache(folder).find(file(1))
  expect(found).toMatchObject(whole)
})

test('facts of sessions that were not asked for stay, unless all were asked for', async () => {
  const cache = openFactsCache(folder)
  for (const day of [1, 2]) cache.add(file(day), packFacts(facts(`${day}`)))
  await cache.save(false)
  for (const [areAll, isKept] of [
    [false, true],
    [true, false],
  ] as const) {
    const again = openFactsCache(folder)
    expect(again.find(file(1))).toBeDefined()
    await again.save(areAll)
    expect(openFactsCache(folder).find(file(2)) !== undefined).toBe(isKept)
  }
})
