import { linkSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import {
  BIN,
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'
import { assertOther } from './restore.ts'

const ID = createUuid(7)

async function compressed(
  words: readonly string[] = ['compress'],
  text = createClaudeSession({ sessionId: ID }),
) {
  const home = createHome()
  const folder = join(home, '.claude/projects/-work-shop')
  const original = writeFixture(join(folder, `${ID}.jsonl`), text)
  const { code, stderr, stdout } = await runPrecis(home, [...words, ID, '--json'])
  expect(code, stderr).toBe(0)
  const { output, archive } = JSON.parse(stdout)
  return { home, original, text, output: String(output), archive }
}

describe('precis restore', () => {
  test('gives back the original byte for byte, also when the file is gone', async () => {
    const { home, original, text, output } = await compressed()
    rmSync(original)
    expect((await runPrecis(home, ['restore', output])).stdout).toBe(text)
    const out = join(home, 'back.jsonl')
    expect(await runJson(home, ['restore', output, '--out', out])).toMatchObject({
      output: out,
      span: null,
      bytes: text.length,
    })
    expect(readFileSync(out, 'utf8')).toBe(text)
    expect(statSync(out).mode & 0o077).toBe(0)
  })

  test('gives one record by its number', async () => {
    const { home, text, output, archive } = await compressed()
    const { spans } = await runJson(home, ['diff', output])
    expect(spans).toHaveLength(archive.spans)
    const lines = text.split('\n').map((line) => `${line}\n`)
    for (const { span, hash } of [spans[0], spans.at(-1)]) {
      const { stdout } = await runPrecis(home, ['restore', output, String(span)])
      expect(lines).toContain(stdout)
      expect((await runPrecis(home, ['restore', output, hash.slice(0, 16)])).stdout).toBe(stdout)
    }
  })

  test('finds the session by the id of the new one, of the original, of the entry, and in a file that was moved', async () => {
    const { home, text, output, archive } = await compressed()
    const moved = writeFixture(join(home, 'moved.jsonl'), readFileSync(output))
    for (const name of [output.slice(-42, -6), ID.slice(0, 10), archive.name, moved]) {
      expect((await runPrecis(home, ['restore', name])).stdout, name).toBe(text)
    }
  })

  test('writes over no session, and puts back an original that is gone', async () => {
    const { home, original, text, output } = await compressed()
    for (const out of [original, output]) {
      const { code, stderr } = await runPrecis(home, ['restore', output, '--out', out])
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('precis never changes a session'),
      })
    }
    rmSync(original)
    expect((await runPrecis(home, ['restore', output, '--out', original])).code).toBe(0)
    expect(readFileSync(original, 'utf8')).toBe(text)
  })

  test('writes over no store of the original, and over no session by another name', () => {
    const file = writeFixture(join(createHome(), 'opencode.db'), 'all sessions')
    const other = join(file, '..', 'linked')
    linkSync(file, other)
    const entry = { damaged: undefined, path: '/no/such.json' }
    for (const originalPath of [`${file}#ses_1`, file])
      for (const out of [file, other])
        expect(() => assertOther(out, { ...entry, originalPath })).toThrow(
          'precis never changes a session',
        )
    assertOther(file, { ...entry, originalPath: `${file}/below#ses_1` })
  })

  test('asks for a file on a terminal, with the command to type', async () => {
    const { home, original, output } = await compressed()
    const place = { environment: { HOME: home }, directory: home, columns: 400 }
    const refused = startOnTerminal([BIN, 'restore', output], place)
    expect((await refused.exit).code).toBe(2)
    await refused.see(`precis restore ${output} --out original.jsonl`)
    const forced = startOnTerminal([BIN, 'restore', output, '--out', '-'], place)
    expect((await forced.exit).code).toBe(0)
    // A pseudo-terminal may drop the end of a large output when its program exits.
    expect(forced.output()).toContain(readFileSync(original, 'utf8').slice(0, 80))
  })

  test('works on clones', async () => {
    const { home, text, output, archive } = await compressed(['clone', '--tools', 'remove:75'])
    expect(archive.spans).toBeGreaterThan(10)
    expect((await runPrecis(home, ['restore', output])).stdout).toBe(text)
  })

  test('works on what came from standard input', async () => {
    const home = createHome()
    const text = createCodexSession({ sessionId: ID })
    const out = join(home, 'small.jsonl')
    await runPrecis(home, ['compress', '-', '--out', out], { stdin: text })
    expect((await runPrecis(home, ['restore', out])).stdout).toBe(text)
  })

  test('says what is not kept', { tags: 'slow' }, async () => {
    const { home, original, output } = await compressed(['compress', '--no-archive'])
    const { code, stderr } = await runPrecis(home, ['restore', output])
    expect(code).toBe(4)
    expect(stderr).toContain('there is no archive yet')
    await runPrecis(home, ['compress', original])
    expect((await runPrecis(home, ['restore', output])).stderr).toContain('nothing of it is kept')
    expect((await runPrecis(home, ['restore', ID, '4000'])).code).toBe(2)
  })
})

describe('compress', () => {
  test('goes on when the archive cannot be used, and says so', async () => {
    const home = createHome()
    const original = writeFixture(join(home, 'a.jsonl'), createClaudeSession({ sessionId: ID }))
    writeFixture(join(home, '.local/share/precis/archive.db'), 'no database, '.repeat(1000))
    const out = join(home, 'small.jsonl')
    const { code, stdout, stderr } = await runPrecis(home, [
      'compress',
      original,
      '--out',
      out,
      '--json',
    ])
    expect(code).toBe(0)
    expect(stderr).toContain('the original is not in the archive. Its file stays as it is.')
    expect(JSON.parse(stdout).archive.problem).toContain('it is damaged')
    expect(statSync(out).size).toBeGreaterThan(0)
  })

  test.each([
    ['a dry run', ['--dry-run'], {}],
    ['the flag', ['--no-archive', '--out', 'small.jsonl'], {}],
    ['the configuration', ['--out', 'small.jsonl'], { archive: false }],
  ])('keeps nothing with %s', async (_, words, configuration) => {
    const home = createHome()
    writeFixture(join(home, 'a.jsonl'), createClaudeSession({ sessionId: ID }))
    writeFixture(join(home, '.config/precis/config.json'), JSON.stringify(configuration))
    expect((await runJson(home, ['compress', 'a.jsonl', ...words])).archive).toBeNull()
    expect(readdirSync(home)).not.toContain('.local')
  })

  test('that cannot write its result keeps no entry for it', async () => {
    const home = createHome()
    writeFixture(join(home, 'a.jsonl'), createClaudeSession({ sessionId: ID }))
    expect((await runPrecis(home, ['compress', 'a.jsonl', '--out', '/dev/full'])).code).toBe(1)
    expect((await runJson(home, ['archive'])).compressions).toBe(0)
  })

  test('over the quota says what to do', { tags: 'slow' }, async () => {
    const home = createHome()
    const text = createClaudeSession({ sessionId: ID, turns: 200, linesPerRead: 400 })
    writeFixture(join(home, 'a.jsonl'), text)
    writeFixture(
      join(home, '.config/precis/config.json'),
      JSON.stringify({ archive: { quotaMegabytes: 1 } }),
    )
    const { code, stderr } = await runPrecis(home, ['compress', 'a.jsonl', '--out', 'small.jsonl'])
    expect(code).toBe(0)
    expect(stderr).toContain('raise "archive.quotaMegabytes"')
  })
})
