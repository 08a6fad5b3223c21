import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { shrinkArchive, verifyArchive } from './check-archive.ts'
import { listCompressions } from './compressions.ts'
import { createArchive, openArchive } from './open-archive.ts'
import { createOriginal } from './original.suite.ts'
import { readWholeOriginal } from './read-original.ts'
import { storeOriginal } from './store-original.ts'

const QUOTA = 1e9
const folder = mkdtempSync(join(tmpdir(), 'precis-archive-'))
const text = createClaudeSession({ sessionId: createUuid(1) })
let path: string
let database: Database
let count = 0

beforeEach(async () => {
  path = join(folder, `${++count}`, 'archive.db')
  database = await createArchive(path)
  return () => database.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the file of an archive', () => {
  test('is private, and so are those beside it', async () => {
    await storeOriginal(database, createOriginal(text).original, QUOTA)
    const files = readdirSync(join(path, '..'))
    expect(files).toContain('archive.db')
    for (const file of files) expect(statSync(join(path, '..', file)).mode & 0o077).toBe(0)
  })

  test('is private where a link stands for it that led nowhere', async () => {
    const link = join(folder, `link${count}.db`)
    const target = join(folder, `target${count}.db`)
    symlinkSync(target, link)
    await (await createArchive(link)).close()
    expect(statSync(target).mode & 0o077).toBe(0)
  })

  test('holds words of what was removed, and no word of a secret', async () => {
    const key = `sk-${'a1B2'.repeat(8)}`
    const messages = [`the deploy key is ${key} here`, 'the end'].map((content) => ({
      role: 'user',
      content,
    }))
    await storeOriginal(
      database,
      createOriginal(JSON.stringify(messages), {}, 'openai-chat').original,
      QUOTA,
    )
    await shrinkArchive(database)
    expect(readFileSync(path).includes(Buffer.from('deploy'))).toBe(true)
    expect(readFileSync(path).includes(Buffer.from(key.toLowerCase()))).toBe(false)
  })

  test('that is no database is an error in words', async () => {
    const other = join(folder, 'text.db')
    writeFileSync(other, 'this is no database at all, '.repeat(500))
    await expect(openArchive(other)).rejects.toThrow('Move it away')
  })

  test('that cannot be looked at is an error in words, and not a missing one', async () => {
    const place = join(folder, 'a'.repeat(300))
    await expect(openArchive(place)).rejects.toThrow('the name is too long')
  })

  test('that lost its end is an error in words', async () => {
    await storeOriginal(database, createOriginal(text).original, QUOTA)
    await shrinkArchive(database)
    await database.close()
    truncateSync(path, 20_000)
    const other = await openArchive(path).catch((error: unknown) => error)
    if (other instanceof Error) expect(other.message).toContain('Move it away')
    else expect((await verifyArchive(other as Database)).problems).not.toEqual([])
    database = await createArchive(join(folder, `${count}`, 'other.db'))
  })

  test('of a newer precis is left alone', async () => {
    await database.run('PRAGMA user_version = 99')
    await expect(openArchive(path)).rejects.toThrow('Install the newest precis')
  })

  test('of the first version is brought to the newest, with all it had', async () => {
    await storeOriginal(database, createOriginal(text).original, QUOTA)
    await database.close()
    const old = openSqlite(path, {})
    for (const column of ['resultBytes', 'resultHash', 'resultMessages', 'host', 'changesHash']) {
      old.exec(`ALTER TABLE compression DROP COLUMN ${column}`)
    }
    old.exec(
      'DROP TABLE conversation; DROP TABLE lease; DROP INDEX compressionByOriginal; PRAGMA user_version = 1',
    )
    old.close()
    database = await createArchive(path)
    expect(await verifyArchive(database)).toMatchObject({ compressions: 1, problems: [] })
    await storeOriginal(database, createOriginal(text).original, QUOTA)
    expect(existsSync(path)).toBe(true)
  })

  // Root may write everywhere.
  test.skipIf(process.getuid?.() === 0)(
    'of the version before is read as it is where nothing can be written',
    async () => {
      await storeOriginal(database, createOriginal(text).original, QUOTA)
      await shrinkArchive(database)
      await database.close()
      const old = openSqlite(path, {})
      old.exec('ALTER TABLE compression DROP COLUMN changesHash; PRAGMA user_version = 3')
      old.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
      old.close()
      chmodSync(path, 0o400)
      chmodSync(dirname(path), 0o500)
      database = await createArchive(path)
      expect(await verifyArchive(database)).toMatchObject({ compressions: 1, problems: [] })
      const [entry] = await listCompressions(database)
      expect(entry && (await readWholeOriginal(database, entry)).toString()).toBe(text)
      chmodSync(dirname(path), 0o700)
    },
  )
})
