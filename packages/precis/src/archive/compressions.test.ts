import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClaudeSession, createUuid, writeFixture } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import {
  collectGarbage,
  KEPT_DAYS,
  measureArchive,
  shrinkArchive,
  verifyArchive,
} from './check-archive.ts'
import {
  findCompression,
  findNewestEntry,
  forgetCompression,
  listCompressions,
  listGenerations,
  recordResult,
  repeatEntry,
} from './compressions.ts'
import { createArchive } from './open-archive.ts'
import { concatenate, createOriginal, describeBoth } from './original.suite.ts'
import { listSpans, readOriginal } from './read-original.ts'
import { type StoredOriginal, storeOriginal } from './store-original.ts'

const QUOTA = 1e9
const folder = mkdtempSync(join(tmpdir(), 'precis-journal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describeBoth('the journal', (createPlace) => {
  let database: Database
  beforeEach(async () => {
    database = await createArchive(await createPlace())
    return () => database.close()
  })
  const text = createClaudeSession({ sessionId: createUuid(1), turns: 2 })
  const store = (change: Partial<StoredOriginal>, of = text) =>
    storeOriginal(database, createOriginal(of, change).original, QUOTA)

  test('finds by id, beginning, path and entry, the new session before the original', async () => {
    const { name } = await store({
      newSessionId: 'abc11111',
      newPath: '/nowhere/new.jsonl',
      sessionId: 'def22222',
    })
    for (const session of ['abc11111', 'ABC1', '/nowhere/new.jsonl', name, 'def']) {
      expect((await findCompression(database, session)).name).toBe(name)
    }
    const { name: other } = await store({ newSessionId: 'def99999', sessionId: 'abc11111' })
    expect((await findCompression(database, 'def')).name).toBe(other)
  })

  test('finds the newest entry of an original by the beginning of its hash, from twelve digits on', async () => {
    await store({ newSessionId: 'abc11111' })
    const { name, hash } = await store({ newSessionId: 'abc22222' })
    await store(
      { newSessionId: 'abc33333' },
      createClaudeSession({ sessionId: createUuid(1), turns: 3 }),
    )
    for (const digits of [12, 13, 40, 64]) {
      expect((await findCompression(database, hash.slice(0, digits).toUpperCase())).name).toBe(name)
    }
    await expect(findCompression(database, hash.slice(0, 11))).rejects.toThrow(
      'nothing of it is kept',
    )
    await expect(findCompression(database, `${hash.slice(0, 12)}0000`)).rejects.toThrow(
      'nothing of it is kept',
    )
  })

  test('says what is ambiguous and what is not there', async () => {
    await store({ newSessionId: 'abc11111' })
    await store({ newSessionId: 'abc22222' })
    await expect(findCompression(database, 'abc')).rejects.toThrow('2 sessions start like this')
    for (const nothing of ['fff', '', '%', '___']) {
      await expect(findCompression(database, nothing)).rejects.toThrow('nothing of it is kept')
    }
  })

  test('a whole id is not ambiguous, even if another one begins with it', async () => {
    const { name } = await store({ newSessionId: 'abc11111' })
    await store({ newSessionId: 'abc11111.0f0f' })
    expect((await findCompression(database, 'abc11111')).name).toBe(name)
    await expect(findCompression(database, 'abc1')).rejects.toThrow('2 sessions start like this')
  })

  describe('a session that its agent compacted in its place', () => {
    const made = { newSessionId: 'bbb22222', newPath: '/nowhere/b.jsonl' }
    const inPlace = {
      ...made,
      sessionId: 'bbb22222',
      path: '/nowhere/b.jsonl',
      command: 'compact',
    } as const

    test('is found by the entry that made it, by id and path, however often it was compacted', async () => {
      const { name, hash } = await store({
        ...made,
        sessionId: 'aaa11111',
        path: '/nowhere/a.jsonl',
      })
      const other = createClaudeSession({ sessionId: createUuid(1), turns: 3 })
      const compacted = await store(inPlace, other)
      await store(inPlace, other)
      for (const session of ['bbb2', '/nowhere/b.jsonl', name, 'aaa1', '/nowhere/a.jsonl', hash]) {
        expect((await findCompression(database, session)).name).toBe(name)
      }
      expect((await findCompression(database, compacted.name)).name).toBe(compacted.name)
    })

    test('is found by what was taken of it where nothing made it, and by its clone before that', async () => {
      const { name } = await store(inPlace)
      expect((await findCompression(database, 'bbb2')).name).toBe(name)
      const clone = { sessionId: 'bbb22222', path: '/nowhere/b.jsonl', newSessionId: 'ccc33333' }
      const { name: cloned } = await store({ ...clone, command: 'clone' })
      await store(inPlace)
      expect((await findCompression(database, '/nowhere/b.jsonl')).name).toBe(cloned)
    })

    test('is searched through all that was removed from it, and from where it came', async () => {
      const names = [
        await store({ ...made, sessionId: 'aaa11111' }),
        await store(inPlace),
        await store(inPlace),
      ]
      const child = await store({ sessionId: 'bbb22222', newSessionId: 'ccc33333' })
      await store(inPlace)
      for (const session of ['bbb2', '/nowhere/b.jsonl']) {
        const searched = await listGenerations(database, await findNewestEntry(database, session))
        expect(searched).toHaveLength(4)
      }
      const ofChild = await listGenerations(database, await findNewestEntry(database, 'ccc3'))
      expect(ofChild.map(({ name }) => name)).toEqual(
        [child, ...names.toReversed()].map(({ name }) => name),
      )
    })

    test('is searched whole by the reference of an original that a compression has too', async () => {
      const { hash, name } = await store(inPlace)
      await store({ sessionId: 'bbb22222', newSessionId: 'ccc33333' })
      expect((await findNewestEntry(database, hash)).name).toBe(name)
    })
  })

  test('follows originals without an id by their places', async () => {
    const document = { sessionId: undefined, newSessionId: undefined }
    await store({ ...document, path: '/nowhere/1.json', newPath: '/nowhere/2.json' })
    await store({ ...document, path: '/nowhere/2.json', newPath: '/nowhere/3.json' })
    expect(
      await listGenerations(database, await findCompression(database, '/nowhere/3.json')),
    ).toHaveLength(2)
  })

  test('an entry is repeated for another session, with all that was removed', async () => {
    const { name } = await store({ newSessionId: 'abc11111' })
    const entry = await findCompression(database, name)
    const own = { sessionId: 'def22222', path: '/x.jsonl', resultMessages: 7 }
    const repeated = await repeatEntry(database, entry, own)
    const copy = await findCompression(database, 'def2')
    expect(copy).toMatchObject({ ...own, name: repeated, originalId: entry.originalId })
    expect((await concatenate(readOriginal(database, copy))).toString()).toBe(text)
    expect(await listSpans(database, copy)).toEqual(await listSpans(database, entry))
    expect((await verifyArchive(database)).problems).toEqual([])
  })

  test('a circle of origins ends', async () => {
    await store({ newSessionId: 'abc11111', sessionId: 'abc22222' })
    await store({ newSessionId: 'abc22222', sessionId: 'abc11111' })
    expect(await listGenerations(database, await findCompression(database, 'abc2'))).toHaveLength(2)
  })

  test('learns what was written, and forgets what was not', async () => {
    const { name } = await store({})
    expect(await findCompression(database, name)).toMatchObject({
      resultBytes: null,
      resultHash: null,
    })
    const hash = 'ab'.repeat(32)
    await recordResult(database, name, { bytes: 12, hash, messages: 3 })
    const written = { resultBytes: 12, resultHash: hash, resultMessages: 3 }
    expect(await findCompression(database, name)).toMatchObject(written)
    await forgetCompression(database, name)
    expect(await listCompressions(database)).toEqual([])
    expect((await verifyArchive(database)).problems).toEqual([])
  })

  describe('collection', () => {
    const LATER = Date.now() + 7_200_000

    test('forgets what no session needs', async () => {
      await store({ newPath: join(folder, 'gone.jsonl') })
      expect(await collectGarbage(database)).toEqual({ compressions: 0, records: 0 })
      const { records } = await measureArchive(database)
      expect(await collectGarbage(database, LATER)).toEqual({ compressions: 1, records })
      await shrinkArchive(database)
      expect(await measureArchive(database)).toMatchObject({ compressions: 0, records: 0 })
      expect((await verifyArchive(database)).problems).toEqual([])
    })

    test('keeps what a session needs that is there, or a later one that came from it', async () => {
      const there = join(folder, 'there.jsonl')
      writeFileSync(there, '')
      await store({
        newPath: join(folder, 'gone.jsonl'),
        newSessionId: 'middle',
        sessionId: 'first',
      })
      await store({ newPath: there, newSessionId: 'last', sessionId: 'middle' })
      expect((await collectGarbage(database, LATER)).compressions).toBe(0)
    })

    test('keeps what a document without an id needs that is there', async () => {
      const there = join(folder, 'there.json')
      writeFileSync(there, '')
      const document = { sessionId: undefined, newSessionId: undefined }
      const [first, middle] = ['first.json', 'middle.json'].map((name) => join(folder, name))
      await store({ ...document, path: join(folder, 'other.json'), newPath: first })
      await store({ ...document, path: first, newPath: middle })
      await store({ ...document, path: middle, newPath: there })
      expect((await collectGarbage(database, LATER)).compressions).toBe(0)
      rmSync(there)
      expect((await collectGarbage(database, LATER)).compressions).toBe(3)
    })

    test('keeps what a session needs on a drive that is not mounted, and forgets a project that was deleted', async () => {
      vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'))
      writeFixture(join(folder, 'config', 'projects', '-other', 'a.jsonl'), '')
      await store({ newPath: join(folder, 'drive', 'project', 'a.jsonl'), newSessionId: 'away' })
      const deleted = join(folder, 'config', 'projects', '-deleted', 'b.jsonl')
      await store({ newPath: deleted, newSessionId: 'deleted' })
      expect((await collectGarbage(database, LATER)).compressions).toBe(1)
      expect(await listCompressions(database)).toMatchObject([{ sessionId: 'away' }])
      vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'nowhere'))
      await store({ newPath: join(folder, 'nowhere', 'projects', '-a', 'c.jsonl') })
      expect((await collectGarbage(database, LATER)).compressions).toBe(0)
      vi.unstubAllEnvs()
    })

    test('forgets a compaction without a file some time after the last one of its conversation', async () => {
      vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'gateway'))
      const here = createUuid(21)
      writeFixture(join(folder, 'gateway', 'projects', '-work', `${here}.jsonl`), '')
      const owner = '0123456789ab'
      const compact = async (id: string | undefined, days: number) => {
        const ids = { sessionId: id, newSessionId: id }
        const { name } = await store({ ...ids, command: 'compact' })
        const storedAt = new Date(Date.now() - days * 86_400_000).toISOString()
        await database.run('UPDATE compression SET storedAt = ? WHERE name = ?', [storedAt, name])
        return name
      }
      const kept = [
        await compact(`going-on.${owner}`, KEPT_DAYS + 1),
        await compact(`going-on.${owner}`, KEPT_DAYS - 1),
        await compact(`${here}.${owner}`, KEPT_DAYS + 1),
        await compact(undefined, KEPT_DAYS - 1),
      ]
      await compact(`ended.${owner}`, KEPT_DAYS + 1)
      await compact(undefined, KEPT_DAYS + 1)
      expect((await collectGarbage(database)).compressions).toBe(2)
      const left = (await listCompressions(database)).map(({ name }) => name)
      expect(left.toReversed()).toEqual(kept)
      vi.unstubAllEnvs()
    })

    test('keeps what a session needs that was moved, and what Codex put away', async () => {
      for (const home of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME']) vi.stubEnv(home, join(folder, home))
      const [moved, away, gone] = [createUuid(11), createUuid(12), createUuid(13)]
      const codex = `rollout-2026-04-01T10-00-00-${away}.jsonl`
      writeFixture(
        join(folder, 'CLAUDE_CONFIG_DIR', 'projects', '-elsewhere', `${moved}.jsonl`),
        '',
      )
      writeFixture(join(folder, 'CODEX_HOME', 'archived_sessions', codex), '')
      await store({ newPath: join(folder, 'gone', `${moved}.jsonl`), newSessionId: moved })
      await store({
        newPath: join(folder, 'CODEX_HOME', 'sessions', '2026', '04', '01', codex),
        newSessionId: away,
      })
      await store({ newPath: join(folder, `${gone}.jsonl`), newSessionId: gone })
      expect((await collectGarbage(database, LATER)).compressions).toBe(1)
      expect((await listCompressions(database)).map(({ sessionId }) => sessionId)).toEqual([
        away,
        moved,
      ])
      vi.unstubAllEnvs()
    })

    test('keeps what went to standard output', async () => {
      await store({ newPath: undefined })
      expect((await collectGarbage(database, LATER)).compressions).toBe(0)
    })

    test('keeps records that another original has too', async () => {
      await store({ newPath: join(folder, 'gone.jsonl') })
      const { name } = await store({ newPath: undefined, newSessionId: 'stays' })
      await collectGarbage(database, LATER)
      const entry = await findCompression(database, name)
      expect((await concatenate(readOriginal(database, entry))).toString()).toBe(text)
    })

    test('of a server keeps what another machine wrote, for it cannot see the files of that machine', async () => {
      await store({ newPath: join(folder, 'gone.jsonl') })
      await store({ newPath: undefined, newSessionId: 'piped', command: 'compact' })
      await database.run("UPDATE compression SET host = 'elsewhere', storedAt = '2026-01-01'")
      const isFile = database.dialect === 'sqlite'
      expect((await collectGarbage(database, LATER)).compressions).toBe(isFile ? 2 : 0)
    })

    test('keeps a compaction by the gateway as long as a session that was made from it', async () => {
      const left = join(folder, 'left.jsonl')
      writeFixture(left, '')
      await store({ newPath: undefined, newSessionId: 'first.0123456789ab', command: 'compact' })
      await store({ sessionId: 'first', newPath: left, newSessionId: 'second' })
      await database.run("UPDATE compression SET storedAt = '2026-01-01'")
      expect((await collectGarbage(database)).compressions).toBe(0)
    })
  })
})
