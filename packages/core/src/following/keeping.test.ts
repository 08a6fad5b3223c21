import { expect, test, vi } from 'vitest'
import { createKeeping } from './memory-store.ts'

test('a memory that is full is told once, with how long ago it was used and what to do', async () => {
  let now = 0
  const problems: unknown[] = []
  const onProblem = (problem: unknown) => problems.push(problem)
  const { store } = createKeeping({ format: 'openai-chat', onProblem, clock: { now: () => now } })
  const value = 'a'.repeat(15 * 1024 * 1024)
  for (const key of ['a', 'b', 'c', 'd']) {
    await store.write(key, value, undefined)
    now += 10_000
  }
  expect(await store.list('')).toMatchObject([{ key: 'c' }, { key: 'd' }])
  expect(problems.map(String)).toEqual([expect.stringContaining('MemoryFullError')])
  expect(String(problems[0])).toContain('unused for 20 s')
  expect(String(problems[0])).toContain('createMemoryStore({ mostBytes })')
})

test('a memory that is full is told on the console where the host gave nothing to tell', async () => {
  // Once for each process: other tests may have heard it.
  vi.resetModules()
  const fresh = await import('./memory-store.ts')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const { store } = fresh.createKeeping({ format: 'openai-chat' })
  const value = 'a'.repeat(20 * 1024 * 1024)
  for (const key of ['a', 'b', 'c', 'd']) await store.write(key, value, undefined)
  expect(warn.mock.calls).toEqual([[expect.stringContaining('MemoryFullError')]])
  warn.mockRestore()
})
