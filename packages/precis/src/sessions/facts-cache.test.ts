import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { openFactsCache } from './facts-cache.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (day: number) => ({
  agent: claudeCode,
  id: `${day}`,
  path: `/${day}`,
  bytes: 1,
  modified: new Date(Date.UTC(2026, 3, day)),
})
const facts = (id: string) => ({
  id,
  title: 'x'.repeat(200),
  project: undefined,
  contextTokens: undefined,
  compactions: [],
  sums: [],
  requests: [],
})

test('the facts of the oldest sessions are left out when there is no room for all', async () => {
  const days = [2, 4, 1, 3]
  const cache = openFactsCache(folder, 700)
  for (const day of days) cache.add(file(day), facts(`${day}`))
  expect(await cache.save()).toBeUndefined()
  const again = openFactsCache(folder, 700)
  expect(days.filter((day) => again.find(file(day)))).toEqual([4, 3])
})
