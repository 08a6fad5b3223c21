import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const PROCESSES = 50

describe('precis archive', () => {
  test('says that nothing is kept yet', async () => {
    const home = createHome()
    const { code, stdout } = await runPrecis(home, ['archive'])
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing is kept yet')
    expect(await runJson(home, ['archive', 'gc'])).toMatchObject({
      records: 0,
    })
  })

  test('shows what is kept and compares it', async () => {
    const home = createHome()
    writeFixture(join(home, 'a.jsonl'), createClaudeSession({ sessionId: createUuid(7) }))
    await runPrecis(home, ['compress', 'a.jsonl', '--out', 'b.jsonl'])
    const { stdout } = await runPrecis(home, ['archive', 'verify'])
    expect(stdout).toContain('whole: ')
    expect(stdout).toContain('1 compression')
    const json = await runJson(home, ['archive'])
    expect(json).toMatchObject({
      compressions: 1,
      quotaMegabytes: 2000,
      entries: [{ command: 'compress' }],
    })
  })

  test('collects nothing that was stored within the hour', async () => {
    const home = createHome()
    writeFixture(join(home, 'a.jsonl'), createClaudeSession({ sessionId: createUuid(7) }))
    await runPrecis(home, ['compress', 'a.jsonl', '--out', 'b.jsonl'])
    rmSync(join(home, 'b.jsonl'))
    expect((await runPrecis(home, ['archive', 'gc'])).stdout).toContain(
      'forgotten: 0 compressions, 0 records',
    )
  })

  test('another action is wrong usage', async () => {
    expect((await runPrecis(createHome(), ['archive', 'delete'])).code).toBe(2)
  })

  test(`${PROCESSES} processes at once all keep their originals`, { tags: 'slow' }, async () => {
    const home = createHome()
    const words = Array.from({ length: PROCESSES }, (_, number) => {
      const text = createClaudeSession({
        sessionId: createUuid(number + 100),
        workingDirectory: `/work/${number}`,
      })
      const path = writeFixture(join(home, `${number}.jsonl`), text)
      return { path, text, out: join(home, `${number}.small.jsonl`) }
    })
    const results = await Promise.all(
      words.map(({ path, out }) => startPrecis(home, ['compress', path, '--out', out, '--json'])),
    )
    const problems = results.flatMap(({ code, stderr }) =>
      code === 0 && stderr === '' ? [] : [stderr],
    )
    expect(problems).toEqual([])
    const verified = await runJson(home, ['archive', 'verify'])
    expect(verified).toMatchObject({ compressions: PROCESSES, verified: { problems: [] } })
    for (const { out, text } of words.slice(0, 3))
      expect((await runPrecis(home, ['restore', out])).stdout).toBe(text)
  })
})
