import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { type Database, ignore } from './database.ts'
import { openSqlite } from './sqlite.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

async function openBoth() {
  const path = join(folder, `${++count}.db`)
  const database = await openSqliteDatabase(path, { busyMs: 300 })
  await database.run('CREATE TABLE word (text TEXT)')
  const other = openSqlite(path, {})
  other.exec("BEGIN IMMEDIATE; INSERT INTO word VALUES ('theirs')")
  return { path, database, other }
}

describe('a file that another connection writes', () => {
  test('is waited for as long as that gets on', { tags: 'slow' }, async () => {
    const { database, other } = await openBoth()
    const written = database.run("INSERT INTO word VALUES ('ours')")
    let isWritten = false
    written.then(
      () => (isWritten = true),
      () => (isWritten = true),
    )
    const until = performance.now() + 2500
    while (performance.now() < until) {
      // It is free between two of them, and nobody is quick enough.
      other.exec("COMMIT; BEGIN IMMEDIATE; INSERT INTO word VALUES ('theirs')")
      await setTimeout(5)
    }
    expect(isWritten).toBe(false)
    other.exec('COMMIT')
    await expect(written).resolves.toEqual({ changes: 1 })
    await database.close()
  })

  test('is given up when that does not end', { tags: 'slow' }, async () => {
    const { database, other } = await openBoth()
    await expect(database.run("INSERT INTO word VALUES ('ours')")).rejects.toThrow('does not end')
    other.exec('ROLLBACK')
    await database.close()
  })

  test('is waited for by all calls at once, though they have their turns', {
    tags: 'slow',
  }, async () => {
    const { path, database, other } = await openBoth()
    const patient = await openSqliteDatabase(path, { busyMs: 1500 })
    const ended: string[] = []
    const write = async (name: string, by: Database) => {
      await by.run("INSERT INTO word VALUES ('ours')").then(ignore, ignore)
      ended.push(name)
    }
    const last = write('patient', patient)
    await Promise.all(['1', '2', '3', '4', '5', '6'].map((name) => write(name, database)))
    expect(ended).toEqual(['1', '2', '3', '4', '5', '6'])
    other.exec('ROLLBACK')
    await last
    await Promise.all([database.close(), patient.close()])
  })

  test('is not waited for longer when it is opened, and this thread is never held', async () => {
    const path = join(folder, `${++count}.db`)
    const other = openSqlite(path, {})
    other.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE word (text TEXT)')
    await expect(openSqliteDatabase(path, { busyMs: 10 })).rejects.toThrow('does not end')
    other.close()
    const database = await openSqliteDatabase(path, { busyMs: 10 })
    expect(await database.all('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }])
    await database.close()
  })

  test('is opened and read at once', async () => {
    const { path, database, other } = await openBoth()
    const reader = await openSqliteDatabase(path, { busyMs: 0 })
    expect(await reader.all('SELECT text FROM word')).toEqual([])
    other.exec('ROLLBACK')
    await reader.close()
    await database.close()
  })
})

test('a name that the library takes for something else is a file', async () => {
  const directory = process.cwd()
  process.chdir(folder)
  try {
    const database = await openSqliteDatabase(':memory:')
    await database.run('CREATE TABLE word (text TEXT)')
    await database.close()
    const again = await openSqliteDatabase(join(folder, ':memory:'))
    expect(await again.all('SELECT text FROM word')).toEqual([])
    await again.close()
  } finally {
    process.chdir(directory)
  }
})

describe('a query', () => {
  const NOT_UTF8 = "CAST(x'61ff62' AS TEXT)"
  const open = () => openSqlite(join(folder, `${++count}.db`), {})

  test('gives text that is not UTF-8 as its bytes, and everything else as it is', () => {
    const sqlite = open()
    const values = `${NOT_UTF8} AS broken, 'ü\u{1f600}' AS "a ""name", x'00ff' AS bytes, 7 AS number, NULL AS missing`
    expect(sqlite.prepare(`SELECT ${values}`).all()).toEqual([
      {
        broken: Buffer.from('61ff62', 'hex'),
        'a "name': 'ü\u{1f600}',
        bytes: Buffer.from('00ff', 'hex'),
        number: 7,
        missing: null,
      },
    ])
    sqlite.close()
  })

  test('keeps the order of its rows, and takes values', () => {
    const sqlite = open()
    sqlite.exec("CREATE TABLE word (text TEXT); INSERT INTO word VALUES ('b'), ('c'), ('a'), ('d')")
    const query = sqlite.prepare(
      'WITH few AS (SELECT text FROM word WHERE text < ?) SELECT text FROM few ORDER BY text',
    )
    expect(query.all(['d'])).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    expect(query.all(['c'])).toEqual([{ text: 'a' }, { text: 'b' }])
    sqlite.close()
  })

  test('reads a file of UTF-16', () => {
    const sqlite = open()
    sqlite.exec(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE word (text TEXT); INSERT INTO word VALUES ('é')",
    )
    sqlite.exec("INSERT INTO word VALUES (CAST(x'00d8' AS TEXT))")
    const rows = sqlite.prepare('SELECT text FROM word').all()
    expect(rows).toEqual([{ text: 'é' }, { text: Buffer.from('00d8', 'hex') }])
    sqlite.close()
  })

  test('needs no type of a column, which may be damaged too', () => {
    const path = join(folder, `${++count}.db`)
    const sqlite = openSqlite(path, {})
    sqlite.exec("CREATE TABLE word (text VARTEXT); INSERT INTO word VALUES ('a')")
    sqlite.close()
    const bytes = readFileSync(path)
    bytes[bytes.indexOf('VARTEXT') + 3] = 0xff
    const damaged = join(folder, `${++count}.db`)
    writeFileSync(damaged, bytes)
    const again = openSqlite(damaged, {})
    expect(again.prepare('SELECT text FROM word').all()).toEqual([{ text: 'a' }])
    again.close()
  })
})
