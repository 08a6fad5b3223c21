import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
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

  test('is given up when that does not end', async () => {
    const { database, other } = await openBoth()
    await expect(database.run("INSERT INTO word VALUES ('ours')")).rejects.toThrow('does not end')
    other.exec('ROLLBACK')
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
