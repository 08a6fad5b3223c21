import { describe, expect, test } from 'vitest'
import { createMemoryStore } from './memory-store.ts'
import { describeStore } from './store.suite.ts'

describe('a store in memory', () => {
  describeStore(async () => {
    const store = createMemoryStore()
    return { store, other: store, close: async () => {} }
  })

  test('drops what was not used for the longest time, and tells it', async () => {
    const evicted: string[] = []
    const store = createMemoryStore({ mostBytes: 8, onEvict: ({ key }) => evicted.push(key) })
    await store.write('a', '1', undefined)
    await store.write('b', '2', undefined)
    await store.find(['a'])
    await store.write('c', '3', undefined)
    expect(evicted).toEqual(['b'])
    expect((await store.list('')).map(({ key }) => key)).toEqual(['a', 'c'])
    expect(() => createMemoryStore({ mostBytes: 0 })).toThrow('mostBytes is 0')
  })

  test('refuses keys and values that are no texts, by name', async () => {
    const store = createMemoryStore()
    const no = (value: unknown) => value as string
    await expect(store.find([no(5)])).rejects.toThrow(
      'Finding in a store: keys is a list with 5 at 0. Give a list of texts.',
    )
    await expect(store.write('a', no(null), undefined)).rejects.toThrow('value is null')
    await expect(store.list(no({}))).rejects.toThrow('prefix is an object')
    await expect(store.delete(no(undefined))).rejects.toThrow('prefix is undefined')
    expect(await store.list('')).toEqual([])
  })

  test('is the same after its snapshot went through JSON', async () => {
    let now = 1
    const store = createMemoryStore({ clock: { now: () => now++ } })
    await store.write('gone', '0', undefined)
    const first = await store.write('a', '1', undefined)
    const snapshot: unknown = JSON.parse(JSON.stringify(store.snapshot()))
    const restored = createMemoryStore()
    await restored.write('other', '1', undefined)
    restored.restore(snapshot)
    expect(await restored.list('')).toEqual(await store.list(''))
    expect(await restored.write('a', '2', first?.version)).toMatchObject({ value: '2' })
    expect(await restored.write('a', '3', first?.version)).toMatchObject({ value: '2' })
  })

  test('refuses what is no snapshot, and keeps what it has', async () => {
    const store = createMemoryStore()
    await store.write('a', '1', undefined)
    const { format, entries } = store.snapshot()
    for (const wrong of [
      undefined,
      {},
      { format },
      { format, entries: [{ ...entries[0], version: '1' }] },
      { entries },
    ]) {
      expect(() => store.restore(wrong)).toThrow('snapshot()')
    }
    expect(await store.find(['a'])).toMatchObject({ value: '1' })
  })
})
