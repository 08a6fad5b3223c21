import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres, type TestServer } from '../database/postgres.suite.ts'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const text = createClaudeSession({ sessionId: createUuid(7) })
let home: string

beforeEach(() => {
  home = createHome()
  writeFixture(join(home, 'a.jsonl'), text)
})

describe('--database', () => {
  test('names a file, before the environment and the configuration', { tags: 'slow' }, async () => {
    const environment = { PRECIS_DATABASE: join(home, 'env.db') }
    writeFixture(
      join(home, '.config/precis/config.json'),
      JSON.stringify({ archive: { database: 'conf.db' } }),
    )
    const words = ['compress', 'a.jsonl', '--out']
    await runPrecis(home, [...words, 'b.jsonl', '--database', 'flag.db'], { environment })
    await runPrecis(home, [...words, 'c.jsonl'], { environment })
    await runPrecis(home, [...words, 'd.jsonl'])
    for (const [database, result] of [
      ['flag.db', 'b.jsonl'],
      ['env.db', 'c.jsonl'],
      ['.config/precis/conf.db', 'd.jsonl'],
    ] as const) {
      expect(
        (await runPrecis(home, ['restore', result, '--database', join(home, database)])).stdout,
      ).toBe(text)
      const { stdout } = await runPrecis(home, ['archive', '--database', join(home, database)])
      expect(stdout).toContain('1 compression')
    }
    expect(existsSync(join(home, '.local/share/precis/archive.db'))).toBe(false)
  })

  test.each([
    ['postgres://me:hunter2@127.0.0.1:1/precis', 'no server answers there'],
    ['postgres://me:hunter2#x@127.0.0.1:1/precis', 'the address cannot be read'],
    ['postgres://me:hunter2/x@127.0.0.1:1/precis', 'the address cannot be read'],
    ['postgres://me:1/hunter2@127.0.0.1:1/precis', 'the address cannot be read'],
    ['mysql://me:hunter2@127.0.0.1/precis', '"mysql://…" is not known'],
    ['jdbc:postgresql://me:hunter2@127.0.0.1/precis', '"jdbc:postgresql://…" is not known'],
    [' postgres:/me:hunter2@127.0.0.1/precis', '"postgres:/…" is not known'],
    ['me:hunter2@127.0.0.1:5432/precis', '"…" is not known'],
  ])('%s is refused in words that have no password', async (address, words) => {
    for (const command of [
      ['archive', '--json'],
      ['restore', 'a.jsonl', '--out', 'b.jsonl', '--json'],
      ['compress', 'a.jsonl', '--out', 'c.jsonl', '--json'],
    ]) {
      const { stdout, stderr } = await runPrecis(home, [...command, '--database', address])
      expect(stderr).toContain(words)
      expect(stderr + stdout).not.toContain('hunter2')
    }
    // A compression that cannot be kept is still valid.
    expect(existsSync(join(home, 'c.jsonl'))).toBe(true)
  })
})

const needs = hasPostgres
  ? ''
  : ' (skipped: no initdb in PATH, and PRECIS_TEST_POSTGRES is not set)'
describe.skipIf(!hasPostgres)(`an archive in PostgreSQL${needs}`, { tags: 'slow' }, () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startPostgres()
    return () => server.stop()
  }, 60_000)

  const run = (address: string, ...words: readonly string[]) =>
    runPrecis(home, words, { environment: { PRECIS_DATABASE: address } })

  test('is made by the first compression, and every command reads it', async () => {
    const address = await server.createDatabase()
    expect((await run(address, 'archive')).stdout).toContain('Nothing is kept yet')
    expect((await run(address, 'recall', 'a.jsonl', 'tax')).stderr).toContain(
      'there is no archive yet',
    )
    const { stderr, stdout } = await run(
      address,
      'compress',
      'a.jsonl',
      '--out',
      'b.jsonl',
      '--json',
    )
    expect(stderr).toBe('')
    expect(stdout).not.toContain(new URL(address).password)
    expect((await run(address, 'restore', 'b.jsonl')).stdout).toBe(text)
    expect((await run(address, 'recall', 'b.jsonl', 'shipping')).stdout).toContain('precis restore')
    expect((await run(address, 'diff', 'b.jsonl')).stdout).toContain('removed')
    const { stdout: verified } = await run(address, 'archive', 'verify', '--json')
    expect(JSON.parse(verified)).toMatchObject({ compressions: 1, verified: { problems: [] } })
    expect(verified).not.toContain(server.password)
    expect((await run(address, 'archive', 'gc')).stdout).toContain('forgotten: 0 compressions')
    expect(existsSync(join(home, '.local'))).toBe(false)
    expect(readFileSync(join(home, 'a.jsonl'), 'utf8')).toBe(text)
  })

  test('says what is wrong: password, database, permission, version', async () => {
    const address = await server.createDatabase()
    const other = (change: (url: URL) => void) => {
      const url = new URL(address)
      change(url)
      return url.href
    }
    await server.query(address, "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'r'")
    const cases: [string, string][] = [
      [other((url) => Object.assign(url, { password: 'wrong' })), 'the password is wrong'],
      [other((url) => Object.assign(url, { password: '' })), 'wants a password'],
      [other((url) => Object.assign(url, { pathname: '/nothing' })), 'there is no such database'],
      [
        other((url) => Object.assign(url, { username: 'reader', password: 'r' })),
        'this user lacks a permission',
      ],
    ]
    for (const [place, words] of cases) {
      const { code, stderr } = await run(place, 'compress', 'a.jsonl', '--out', 'b.jsonl')
      expect(code).toBe(0)
      expect(stderr).toContain(words)
      expect(stderr).not.toContain(server.password)
    }
    await run(address, 'compress', 'a.jsonl', '--out', 'b.jsonl')
    await server.query(address, 'UPDATE precis.version SET number = 99')
    expect((await run(address, 'restore', 'b.jsonl')).stderr).toContain('Install the newest precis')
  })

  test('keeps the originals of many processes at once', async () => {
    const address = await server.createDatabase()
    const PROCESSES = 24
    const numbers = Array.from({ length: PROCESSES }, (_, number) => number)
    const sessionOf = (number: number) =>
      createClaudeSession({
        sessionId: createUuid(number + 100),
        workingDirectory: `/work/${number % 5}`,
      })
    for (const number of numbers) writeFixture(join(home, `${number}.jsonl`), sessionOf(number))
    const results = await Promise.all(
      numbers.map((number) =>
        startPrecis(home, ['compress', `${number}.jsonl`, '--out', `${number}.small.jsonl`], {
          environment: { PRECIS_DATABASE: address },
        }),
      ),
    )
    expect(results.map(({ stderr }) => stderr).filter((stderr) => stderr !== '')).toEqual([])
    const { stdout } = await run(address, 'archive', 'verify', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      compressions: PROCESSES,
      verified: { problems: [] },
    })
    expect((await run(address, 'restore', '17.small.jsonl')).stdout).toBe(sessionOf(17))
  }, 240_000)
})
