/** With a module of a test in the threads. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ActThreads, LateError, type RunOptions } from './act-threads.ts'

// `block` occupies its thread until the first byte is no zero. What it writes into the second says
// that it has begun.
const MODULE = `
export const echo = ({ text }) => text
export const restore = echo
export function block({ flags }) {
  Atomics.store(flags, 1, 1)
  Atomics.wait(flags, 0, 0)
  return 'released'
}`
const FOREVER_MS = 600_000

let module: string
beforeAll(() => {
  const path = join(mkdtempSync(join(tmpdir(), 'threads-')), 'work.mjs')
  writeFileSync(path, MODULE)
  module = pathToFileURL(path).href
})

/** One thread for what is decided. */
function open() {
  const notes: string[] = []
  const threads = new ActThreads({ saves: true, module, note: (text) => notes.push(text) })
  onTestFinished(() => threads.close())
  const block = async (options?: RunOptions) => {
    const flags = new Int32Array(new SharedArrayBuffer(8))
    const done = threads.run<string>('block', { flags }, options)
    // Whoever asks later sees how it ends.
    done.catch(() => {})
    await expect.poll(() => Atomics.load(flags, 1)).toBe(1)
    const release = () => {
      Atomics.store(flags, 0, 1)
      Atomics.notify(flags, 0)
    }
    return { done, release }
  }
  const echo = (options?: RunOptions) => threads.run<string>('echo', { text: 'done' }, options)
  return { threads, notes, block, echo }
}

test('a limit ends work after thousands of others and a garbage collection', {
  tags: 'slow',
}, async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { block, echo } = open()
  const client = () => new AbortController().signal
  for (let count = 0; count < 3_000; count++) await echo({ mostMs: 10_000, client: client() })
  const { done } = await block({ mostMs: 300, client: client() })
  collect()
  await expect(done).rejects.toBeInstanceOf(LateError)
})

test('what has to be restored does not wait for the threads at work', async () => {
  const { threads, block } = open()
  const { release } = await block({ mostMs: FOREVER_MS })
  expect(await threads.run('restore', { text: 'done' }, { mostMs: FOREVER_MS })).toBe('done')
  release()
})

describe('work whose client is gone', () => {
  test('ends, and its thread does what waits', async () => {
    const { block, echo } = open()
    const client = new AbortController()
    const { done } = await block({ mostMs: FOREVER_MS, client: client.signal })
    const next = echo({ mostMs: FOREVER_MS })
    client.abort(new Error('gone'))
    await expect(done).rejects.toThrow('gone')
    expect(await next).toBe('done')
  })

  test('leaves the queue without a place', async () => {
    const { block, echo } = open()
    const client = new AbortController()
    const { done, release } = await block()
    const left = echo({ client: client.signal })
    const next = echo()
    client.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    release()
    expect(await done).toBe('released')
    expect(await next).toBe('done')
  })

  test('does not begin, and does not wait for what has to end before', async () => {
    const { echo } = open()
    const client = new AbortController()
    const left = echo({ client: client.signal, after: new Promise(() => {}) })
    client.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(echo({ client: client.signal })).rejects.toThrow('gone')
    expect(await echo()).toBe('done')
  })
})

describe('a limit', () => {
  test('ends what a thread does', { tags: 'slow' }, async () => {
    const { block, echo } = open()
    const { done } = await block({ mostMs: 1_000 })
    await expect(done).rejects.toThrow(new LateError('no act within 1 seconds'))
    expect(await echo()).toBe('done')
  })

  test('ends the wait for a thread', async () => {
    const { block, echo } = open()
    const { done, release } = await block()
    await expect(echo({ mostMs: 100 })).rejects.toThrow(
      new LateError('no thread was free within 0.1 seconds'),
    )
    release()
    expect(await done).toBe('released')
    expect(await echo()).toBe('done')
  })

  test('of the work begins when a thread takes it', { tags: 'slow' }, async () => {
    const { block } = open()
    const { release } = await block()
    // It waits and works for less than its limit, and for more than that together.
    const [mostMs, partMs] = [4_000, 2_500]
    const waiting = block({ mostMs })
    await setTimeout(partMs)
    release()
    const { done, release: releaseNext } = await waiting
    await setTimeout(partMs)
    releaseNext()
    expect(await done).toBe('released')
  })
})

test('what waits when the gateway ends does not begin', async () => {
  const { threads, block, echo } = open()
  const { done } = await block()
  const waiting = echo()
  await threads.close()
  await expect(done).rejects.toThrow()
  await expect(waiting).rejects.toThrow('the gateway has ended')
})
