import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

async function compressTwice() {
  const home = createHome()
  const text = createClaudeSession({ sessionId: createUuid(7), turns: 30 })
  const original = writeFixture(join(home, 'a.jsonl'), text)
  const [middle, last] = [join(home, 'b.jsonl'), join(home, 'c.jsonl')]
  await runPrecis(home, ['compress', original, '--out', middle, '--budget', '30%'])
  const { code, stderr } = await runPrecis(home, [
    'compress',
    middle,
    '--out',
    last,
    '--budget',
    '30%',
  ])
  expect(code, stderr).toBe(0)
  return { home, middle, last }
}

describe('precis recall', () => {
  test('finds words that were removed, and the span it names has them', async () => {
    const { home, middle } = await compressTwice()
    const { stdout } = await runPrecis(home, [
      'recall',
      middle,
      'price1_3',
      '--json',
      '--limit',
      '1',
    ])
    const { found } = JSON.parse(stdout)
    expect(found).toHaveLength(1)
    expect(found[0].excerpt).toContain('price1_3')
    const restored = await runPrecis(home, ['restore', found[0].compression, String(found[0].span)])
    expect(restored.stdout).toContain('price1_3')
    const shown = await runPrecis(home, ['recall', middle, 'price1_3', '--limit', '1'])
    expect(shown.stdout).toContain(`precis restore ${found[0].compression} ${found[0].span}`)
  })

  test('reaches what an earlier compression removed', { tags: 'slow' }, async () => {
    const { home, middle, last } = await compressTwice()
    const search = async (session: string) =>
      (await runJson(home, ['recall', session, 'price1_3'])).found
    expect((await search(middle)).length).toBeGreaterThan(0)
    const entries = new Set(
      (await search(last)).map(({ compression }: { compression: string }) => compression),
    )
    expect(entries).toContain((await search(middle))[0].compression)
  })

  test('without a session searches everything that is archived, and names the sessions', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const ids = [1, 2].map(createUuid)
    for (const sessionId of ids) {
      const text = createClaudeSession({ sessionId, turns: 30 })
      // A record that two sessions share is found once.
      const own = text.replaceAll('price1_3', `price1_3 of ${sessionId.slice(-1)}`)
      const original = writeFixture(join(home, `${sessionId}.jsonl`), own)
      const out = join(home, `${sessionId}-out.jsonl`)
      const { code } = await runPrecis(home, [
        'compress',
        original,
        '--out',
        out,
        '--budget',
        '30%',
      ])
      expect(code).toBe(0)
    }
    const run = ['recall', 'price1_3', 'price1_2']
    const { found, query } = await runJson(home, [...run])
    expect(query).toBe('price1_3 price1_2')
    const sessions = new Set(found.map(({ sessionId }: { sessionId: string }) => sessionId))
    expect(sessions).toEqual(new Set(ids))
    const shown = (await runPrecis(home, run)).stdout
    for (const id of ids) expect(shown).toContain(`in ${id.slice(0, 13)} (claude-code`)
    const missing = await runPrecis(home, ['recall', 'nowhereword'])
    expect(missing).toMatchObject({ code: 0, stdout: '' })
    expect(missing.stderr).toContain('No removed text matches')
    const known = 'price1_3'
    for (const unknown of [['deadbeef', known], ['3f2a', known], ['./nowhere.json']]) {
      const { code, stdout } = await runPrecis(home, ['recall', ...unknown])
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    }
  })

  test('says when nothing has the words, and what is wrong with the question', {
    tags: 'slow',
  }, async () => {
    const { home, middle } = await compressTwice()
    const { code, stdout, stderr } = await runPrecis(home, ['recall', middle, 'hippopotamus'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('No removed text matches')
    expect((await runPrecis(home, ['recall', middle])).code).toBe(2)
    expect((await runPrecis(home, ['recall', middle, 'x', '--limit', '0'])).code).toBe(2)
  })

  test('lets nothing act on the terminal', { tags: 'slow' }, async () => {
    const home = createHome()
    const words = JSON.stringify('walrus \u{1b}]0;owned\u{7}\u{1b}[2J and \u{202e}more')
    const text = createClaudeSession({ sessionId: createUuid(7), turns: 30 })
    writeFixture(
      join(home, 'a.jsonl'),
      text.replace('"Now the next one, number 3, please."', words),
    )
    await runPrecis(home, ['compress', 'a.jsonl', '--strategy', 'tail-summary', '--out', 'c.jsonl'])
    const recalled = await runPrecis(home, ['recall', 'c.jsonl', 'walrus'])
    const explained = await runPrecis(home, ['diff', 'c.jsonl', '--full'])
    for (const { stdout } of [recalled, explained]) expect(stdout).toContain('walrus')
    for (const character of ['\u{1b}', '\u{7}', '\u{202e}']) {
      expect(recalled.stdout + explained.stdout).not.toContain(character)
    }
  })
})

describe('precis diff', () => {
  test('says what was done, by what, at what price, and to which record', {
    tags: 'slow',
  }, async () => {
    const { home, middle } = await compressTwice()
    const { stdout } = await runPrecis(home, ['diff', middle, '--json'])
    const { command, report, spans } = JSON.parse(stdout)
    expect(command).toBe('compress')
    expect(report.rungs.length).toBeGreaterThan(0)
    expect(report.cost.after).toBeLessThan(report.cost.before)
    expect(report.receipt.kinds.identifier.total).toBeGreaterThan(0)
    expect(report.receipt.kinds.identifier.retrievable).toBeGreaterThan(0)
    const { total, verbatim, clipped, retrievable, missing } = report.receipt.words
    expect(total).toBe(verbatim + clipped + retrievable + missing)
    expect(spans[0]).toMatchObject({
      span: 1,
      preview: expect.any(String),
      fate: expect.any(String),
    })
    const shown = (await runPrecis(home, ['diff', middle, '--full'])).stdout
    for (const word of [
      'original:',
      `your words: ${total} messages, `,
      'tokens before',
      'facts removed',
      'retrievable',
      'fate',
      'none was called',
    ]) {
      expect(shown).toContain(word)
    }
  })
})
