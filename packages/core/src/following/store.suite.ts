/** What holds of every store of conversations. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConversationStore } from './store.ts'

export interface OpenedStore {
  readonly store: ConversationStore
  /** The same entries, as another process has them. */
  readonly other: ConversationStore
  close(): Promise<void>
}

export function describeStore(open: () => Promise<OpenedStore>): void {
  let store: ConversationStore
  let other: ConversationStore
  beforeEach(async () => {
    const opened = await open()
    store = opened.store
    other = opened.other
    return () => opened.close()
  })

  const readKeys = async (prefix = '') => (await store.list(prefix)).map(({ key }) => key)

  describe('find', () => {
    test('gives the value of the first key that has one, in the order given', async () => {
      await store.write('a', '1', undefined)
      await store.write('b', '{"text":"ü \\u0000 \u{1f600}"}', undefined)
      expect(await store.find(['c', 'b', 'a'])).toMatchObject({
        key: 'b',
        value: '{"text":"ü \\u0000 \u{1f600}"}',
      })
      expect(await store.find(['a', 'b'])).toMatchObject({ key: 'a', value: '1' })
      expect(await store.find(['A', 'a ', 'c', ''])).toBeUndefined()
      expect(await store.find([])).toBeUndefined()
    })

    test('looks through thousands of keys', async () => {
      const keys = Array.from({ length: 5000 }, (_, index) => `key ${index}`)
      await store.write('key 4999', '1', undefined)
      expect(await store.find(keys)).toMatchObject({ key: 'key 4999' })
      await store.write('key 1234', '2', undefined)
      expect(await store.find(keys)).toMatchObject({ key: 'key 1234' })
      expect(await store.find([...keys].reverse())).toMatchObject({ key: 'key 4999' })
      expect(await store.find([...keys, ...keys])).toMatchObject({ key: 'key 1234' })
    })

    test('gives a long value as it is', async () => {
      const value = JSON.stringify('long '.repeat(400_000))
      await store.write('long', value, undefined)
      expect((await other.find(['long']))?.value === value).toBe(true)
    })
  })

  describe('write', () => {
    test('gives what stands there, with another version each time', async () => {
      const first = await store.write('a', '1', undefined)
      expect(first).toMatchObject({ key: 'a', value: '1' })
      const second = await store.write('a', '2', first?.version)
      expect(second).toMatchObject({ key: 'a', value: '2' })
      expect(second?.version).not.toBe(first?.version)
      expect(await store.find(['a'])).toEqual(second)
      expect(await other.find(['a'])).toEqual(second)
    })

    test('writes nothing over what another wrote meanwhile, and gives that', async () => {
      const first = await store.write('a', '1', undefined)
      const second = await other.write('a', '2', first?.version)
      expect(await store.write('a', '3', first?.version)).toEqual(second)
      expect(await store.write('a', '3', undefined)).toEqual(second)
      expect(await store.find(['a'])).toEqual(second)
    })

    test('writes nothing where all was deleted, and gives nothing', async () => {
      const first = await store.write('a', '1', undefined)
      await other.delete('')
      expect(await store.write('a', '2', first?.version)).toBeUndefined()
      expect(await store.find(['a'])).toBeUndefined()
    })

    test('does not take what was deleted and written again for what was there before', async () => {
      const first = await store.write('a', '1', undefined)
      await other.delete('a')
      const second = await other.write('a', '2', undefined)
      expect(await store.write('a', '3', first?.version)).toEqual(second)
    })

    test('lets one of many win, and all the others see it', async () => {
      const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other))
      const written = await Promise.all(
        stores.map((each, index) => each.write('a', `${index}`, undefined)),
      )
      expect(new Set(written.map((one) => JSON.stringify(one))).size).toBe(1)
      expect(await store.find(['a'])).toEqual(written[0])
    })
  })

  describe('what begins with a text', () => {
    test('is listed, and nothing else', async () => {
      for (const key of ['"b"2', '"a"1', '"a"2', '"ab"1', '"A"1', '"a', '_a"1', '%'])
        await store.write(key, '1', undefined)
      expect(await readKeys('"a"')).toEqual(['"a"1', '"a"2'])
      expect(await readKeys('%')).toEqual(['%'])
      expect(await readKeys('_')).toEqual(['_a"1'])
      expect(await readKeys()).toHaveLength(8)
    })

    test('is deleted, and nothing else', async () => {
      for (const key of ['ü1', 'ü2', 'u1', '\u{1f600}1', '\u{1f600}2'])
        await store.write(key, '1', undefined)
      expect(await store.delete('ü')).toBe(2)
      expect(await store.delete('\u{1f600}')).toBe(2)
      expect(await store.delete('x')).toBe(0)
      expect(await readKeys()).toEqual(['u1'])
    })

    test('is deleted when it was not used since, and stays when it was', async () => {
      const before = Date.now()
      await store.write('a', '1', undefined)
      const [entry] = await store.list('a')
      expect(entry?.usedAt).toBeGreaterThanOrEqual(before - 1)
      expect(entry?.usedAt).toBeLessThanOrEqual(Date.now() + 1)
      expect(await store.delete('a', before - 1000)).toBe(0)
      expect(await store.delete('b', before + 3_600_000)).toBe(0)
      expect(await store.delete('a', before + 3_600_000)).toBe(1)
      expect(await readKeys()).toEqual([])
    })
  })
}
