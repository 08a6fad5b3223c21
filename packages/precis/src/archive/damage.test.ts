import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import { openSqlite } from '../database/sqlite.ts'
import { ArchiveError, DatabaseError } from '../files/errors.ts'
import { collectGarbage, verifyArchive } from './check-archive.ts'
import { findCompression, listCompressions, listGenerations, readReport } from './compressions.ts'
import { createConversationStore } from './conversation-store.ts'
import { locateFacts } from './locate-facts.ts'
import { createArchive, openArchive } from './open-archive.ts'
import { concatenate, createOriginal } from './original.suite.ts'
import { listSpans, readOriginal } from './read-original.ts'
import { searchRemoved } from './search-index.ts'
import { storeOriginal } from './store-original.ts'

const QUOTA = 1e9
const FACT = {
  kind: 'path',
  text: 'src/cart2.ts',
  state: 'retrievable',
  writer: 'user',
  count: 1,
  message: 0,
  turn: 0,
} as const
const HOUR_MS = 3_600_000
const ENTRIES = 3
const folder = mkdtempSync(join(tmpdir(), 'precis-damage-'))
let path = join(folder, 'archive.db')
let count = 0
const texts = Array.from({ length: ENTRIES }, (_, number) =>
  createClaudeSession({ sessionId: createUuid(number + 10), workingDirectory: `/work/${number}` }),
)
let whole: Buffer

beforeAll(async () => {
  const database = await createArchive(path)
  for (const [number, text] of texts.entries()) {
    const ids = { sessionId: createUuid(number + 10), newSessionId: createUuid(number + 20) }
    const paths = { path: join(folder, 'a.jsonl'), newPath: join(folder, `${number}.jsonl`) }
    await storeOriginal(database, createOriginal(text, { ...ids, ...paths }).original, QUOTA)
    writeFileSync(paths.newPath, 'so that it is needed')
  }
  const store = createConversationStore(database)
  await store.write('library/first', '{"summary":"é"}', undefined)
  await store.write('library/second', '{}', undefined)
  await database.run(
    "INSERT INTO lease (name, holder, expiresAt) VALUES ('collection', 'elsewhere 1 a', 0)",
  )
  await database.all('PRAGMA wal_checkpoint(TRUNCATE)')
  await database.close()
  whole = readFileSync(path)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Another file each time: the library may hold the one before until its statements are collected.
 */
function putBack(bytes: Uint8Array): void {
  path = join(folder, `${++count}.db`)
  writeFileSync(path, bytes)
}

/** Everything that commands do with an archive, on its own: only errors in words come out of it. */
async function useAll(): Promise<{
  readonly problems: readonly string[]
  readonly originals: readonly number[]
}> {
  const attempt = async <T>(step: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof ArchiveError || error instanceof DatabaseError)) throw error
      return undefined
    }
  }
  const database = await attempt(() => openArchive(path))
  if (!database) return { problems: [], originals: [] }
  try {
    const { problems } = await verifyArchive(database)
    await attempt(() => collectGarbage(database, Date.now() + 2 * HOUR_MS))
    const originals: number[] = []
    for (const entry of (await attempt(() => listCompressions(database))) ?? []) {
      const bytes = await attempt(() => concatenate(readOriginal(database, entry)))
      if (bytes) originals.push(texts.indexOf(bytes.toString()))
      await attempt(() => readReport(database, entry))
      await attempt(() => listSpans(database, entry))
      const generations = (await attempt(() => listGenerations(database, entry))) ?? []
      await attempt(() => searchRemoved(database, generations, 'cart2', 5))
      await attempt(() => locateFacts(database, entry, [FACT]))
    }
    for (const number of texts.keys())
      await attempt(() => findCompression(database, createUuid(number + 20)))
    const store = createConversationStore(database)
    await attempt(() => store.list('library/'))
    for (const key of ['library/first', 'library/second']) {
      await attempt(() => store.find([key]))
      await attempt(() => store.write(key, '{}', undefined))
    }
    const text = createClaudeSession({ sessionId: createUuid(99) })
    await attempt(() => storeOriginal(database, createOriginal(text).original, QUOTA))
    return { problems, originals }
  } finally {
    await database.close()
  }
}

const CELLS: readonly (readonly [string, readonly string[]])[] = [
  [
    'compression',
    [
      'name',
      'command',
      'storedAt',
      'format',
      'sessionId',
      'path',
      'originalId',
      'originalPath',
      'host',
      'report',
    ],
  ],
  ['piece', ['fate', 'label']],
  ['conversation', ['key', 'value']],
  ['lease', ['name', 'holder']],
]

describe('an archive with text that is not UTF-8', { tags: 'slow' }, () => {
  const cells = CELLS.flatMap(([table, columns]) =>
    columns.map((column) => [table, column] as const),
  )
  test.each(cells)('in %s.%s is told, and all originals are there', async (table, column) => {
    putBack(whole)
    const damaging = openSqlite(path, {})
    const which =
      table === 'piece'
        ? 'compression = 2 AND span = 1'
        : `rowid = (SELECT min(rowid) FROM ${table})`
    const { changes } = damaging
      .prepare(`UPDATE ${table} SET ${column} = CAST(x'61ff62' AS TEXT) WHERE ${which}`)
      .run()
    damaging.close()
    expect(changes).toBe(1)
    const { problems, originals } = await useAll()
    const told =
      table === 'conversation' ? /^conversation ".+" is damaged/ : new RegExp(`damaged: ${column}$`)
    // A lease says only who collects.
    expect(problems).toEqual(table === 'lease' ? [] : [expect.stringMatching(told)])
    expect(originals).toEqual([2, 1, 0])
  })
})

describe('a span', () => {
  test.each([
    ['fate', "fate = 'semoved'"],
    ['label', "label = 'uses'"],
    ['number', 'span = 9'],
  ])('with a flipped %s is told with its entry, and all originals are there', async (_, change) => {
    putBack(whole)
    const damaging = openSqlite(path, {})
    const { changes } = damaging
      .prepare(`UPDATE piece SET ${change} WHERE compression = 2 AND span = 1`)
      .run()
    damaging.close()
    expect(changes).toBe(1)
    const { problems, originals } = await useAll()
    expect(problems).toEqual([
      expect.stringMatching(/^entry \w{10} \(number 2\) .+ label of a span$/),
    ])
    expect(originals).toEqual([2, 1, 0])
  })
})

describe('a conversation that is damaged', () => {
  test('is told once, and can be written again', async () => {
    putBack(whole)
    const damaging = openSqlite(path, {})
    damaging.exec("UPDATE conversation SET value = CAST(x'ff' AS TEXT) WHERE key = 'library/first'")
    damaging.close()
    const database = await createArchive(path)
    const store = createConversationStore(database)
    await expect(store.find(['library/first'])).rejects.toThrow('begins anew')
    expect(await store.find(['library/first'])).toBeUndefined()
    const written = await store.write('library/first', '{"b":1}', undefined)
    expect(await store.find(['library/first'])).toEqual(written)
    await database.close()
  })
})

describe('a collection', () => {
  test('forgets nothing that an unreadable entry may have come from', async () => {
    putBack(whole)
    const damaging = openSqlite(path, {})
    damaging.exec("UPDATE compression SET originalId = CAST(x'ff' AS TEXT) WHERE id = 2")
    damaging.close()
    const database = await createArchive(path)
    for (const number of texts.keys()) rmSync(join(folder, `${number}.jsonl`), { force: true })
    expect((await collectGarbage(database, Date.now() + 2 * HOUR_MS)).compressions).toBe(1)
    expect((await listCompressions(database)).map(({ id }) => id)).toEqual([2, 1])
    await database.close()
  })
})

test('bits that flip anywhere in an archive end in words', {
  tags: ['slow', 'property'],
}, async () => {
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat(7)), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(flips, async (places) => {
      const bytes = Buffer.from(whole)
      for (const [place, bit] of places)
        bytes[place % bytes.length] = (bytes[place % bytes.length] ?? 0) ^ (1 << bit)
      putBack(bytes)
      const { originals } = await useAll()
      expect(originals).not.toContain(-1)
    }),
    { numRuns: runs(60) },
  )
})
