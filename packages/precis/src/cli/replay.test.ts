import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AdviceTrial } from '../replay/advice.ts'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'
import { exitCodes } from './failure.ts'

const home = createHome()
const session = writeFixture(
  join(home, 'session.jsonl'),
  createClaudeSession({ sessionId: createUuid(1), turns: 26, linesPerRead: 60 }),
)

describe('precis replay', () => {
  test('says when it would have compressed and what that would have cost', async () => {
    const { code, stdout, stderr } = await runPrecis(home, ['replay', session, '--window', '20k'])
    expect({ code, stderr }).toEqual({ code: exitCodes.done, stderr: '' })
    expect(stdout).toContain('Window of 20,000 tokens')
    expect(stdout).toContain('Doing nothing was not possible: request ')
    expect(stdout).toMatch(/Compressed [1-9]\d* times?\n/)
    expect(stdout).toMatch(/cache of 5 minutes +\$\d+\.\d+ +\$\d+\.\d+ +−\d+ %/)
    expect(stdout).toMatch(/cache of 1 hour/)
    expect(stdout).not.toContain('Request by request')
    const [, ...words] = stdout.trimEnd().split('\n').at(-1)?.trim().split(' ') ?? []
    expect(words.slice(0, 2)).toEqual(['compress', session])
    const { before, after } = await runJson(home, [...words, '--dry-run'])
    expect(after.tokens).toBeLessThan(before.tokens)
  })

  test('prints one object whose parts add up', { tags: 'slow' }, async () => {
    const { code, stdout } = await runPrecis(home, [
      'replay',
      session,
      '--window',
      '20000',
      '--json',
    ])
    expect(code).toBe(exitCodes.done)
    const replay = JSON.parse(stdout)
    expect(replay).toMatchObject({
      format: 'claude-code',
      unit: 'dollars',
      windowTokens: 20_000,
      strategy: 'auto',
      summarizer: 'digest',
    })
    expect(replay.doingNothing.possible).toBe(false)
    expect(
      replay.runs.map((run: { cacheLifetimeSeconds: number }) => run.cacheLifetimeSeconds),
    ).toEqual([300, 3600])
    for (const run of replay.runs) {
      const sum = (field: string) =>
        run.requests.reduce(
          (total: number, request: Record<string, number>) => total + (request[field] ?? 0),
          0,
        )
      expect(sum('money') + run.with.summaryMoney).toBeCloseTo(run.with.money, 9)
      expect(sum('moneyWithout')).toBeCloseTo(run.without.money, 9)
      expect(sum('tokens')).toBe(run.with.promptTokens)
      expect(run.saved.money).toBeCloseTo(run.without.money - run.with.money, 9)
      expect(run.with.money).toBeLessThan(run.without.money)
    }
  })

  test('saves where it is asked to, and says so', { tags: 'slow' }, async () => {
    const { code, stdout } = await runPrecis(home, ['replay', session, '--save'])
    expect(code).toBe(exitCodes.done)
    expect(stdout).toContain('and below it if that is expected to save money.')
    const { stdout: json } = await runPrecis(home, ['replay', session, '--save', '--json'])
    expect(JSON.parse(json)).toMatchObject({ saves: true, doingNothing: { possible: true } })
  })

  test('refuses a reserve that leaves no room for the prompt', async () => {
    const { code, stderr } = await runPrecis(home, [
      'replay',
      session,
      '--window',
      '1k',
      '--reserve',
      '1k',
    ])
    expect(code).toBe(exitCodes.wrongUsage)
    expect(stderr).toContain('leaves no space for the prompt')
  })

  test('prints every request when asked', { tags: 'slow' }, async () => {
    const { stdout } = await runPrecis(home, ['replay', session, '--window', '20k', '--all'])
    const [, rows = ''] = stdout.split('Request by request\n')
    expect(rows.split('\n').filter((line) => /^ +\d+ +\d+ +[\d,]+ /.test(line))).toHaveLength(78)
  })

  test('costs the same where the window is large enough', async () => {
    const replay = await runJson(home, ['replay', session, '--window', '200k'])
    expect(replay.doingNothing).toEqual({ possible: true, firstTooLarge: null })
    expect(replay.runs[0].with.money).toBe(replay.runs[0].without.money)
    expect(replay.runs[0].compressions).toEqual([])
  })

  test('replays a session of Codex', { tags: 'slow' }, async () => {
    const path = writeFixture(
      join(home, 'rollout.jsonl'),
      createCodexSession({ sessionId: createUuid(2), turns: 20 }),
    )
    const { code, stdout } = await runPrecis(home, ['replay', path, '--window', '10k', '--json'])
    expect(code).toBe(exitCodes.done)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'codex', model: 'gpt-5' })
  })

  test('counts input tokens where the model has no prices', { tags: 'slow' }, async () => {
    const { stdout } = await runPrecis(home, [
      'replay',
      session,
      '--window',
      '20k',
      '--model',
      'home-made-3b',
    ])
    expect(stdout).toContain('The catalog has no prices for home-made-3b')
    expect(stdout).not.toContain('$')
  })

  test('writes a page that needs nothing else, and prints its path alone', {
    tags: 'slow',
  }, async () => {
    const page = join(home, 'replay.html')
    const { code, stdout, stderr } = await runPrecis(home, [
      'replay',
      session,
      '--window',
      '20k',
      '--html',
      page,
    ])
    expect({ code, stdout, stderr }).toEqual({
      code: exitCodes.done,
      stdout: `${page}\n`,
      stderr: '',
    })
    const html = readFileSync(page, 'utf8')
    expect(html.match(/<svg /g)).toHaveLength(2)
    expect(html).not.toMatch(/<script|https?:|url\(/i)
  })

  test.each([
    ['a window that is no number', ['--window', 'huge'], exitCodes.wrongUsage, 'Give tokens'],
    ['a share as window', ['--window', '50%'], exitCodes.wrongUsage, 'as 50000 or 50k'],
    [
      'a threshold above the window',
      ['--threshold', '120%'],
      exitCodes.wrongUsage,
      'Give a share of the window',
    ],
    ['a strategy that is not there', ['--strategy', 'magic'], exitCodes.wrongUsage, 'magic'],
    [
      'a page in no folder',
      ['--html', '/nowhere/at/all.html'],
      exitCodes.wrongUsage,
      'there is no such folder',
    ],
    [
      'a page over the session',
      ['--html', session],
      exitCodes.wrongUsage,
      'it is one of the sessions',
    ],
  ])('refuses %s', async (_, words, expected, message) => {
    const { code, stderr } = await runPrecis(home, ['replay', session, ...words])
    expect(code).toBe(expected)
    expect(stderr).toContain(message)
  })

  test('says so when there is no answer to replay', async () => {
    const path = writeFixture(
      join(home, 'question.json'),
      JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello?' }] }),
    )
    const { code, stderr } = await runPrecis(home, ['replay', path])
    expect(code).toBe(exitCodes.invalidInput)
    expect(stderr).toContain('it has no answer of a model')
  })
})

describe('precis replay --advise', () => {
  test('recommends in one sentence with its numbers', { tags: 'slow' }, async () => {
    const { code, stdout, stderr } = await runPrecis(home, [
      'replay',
      session,
      '--advise',
      '--strategy',
      'auto',
      '--threshold',
      '20k',
    ])
    expect({ code, stderr }).toEqual({ code: exitCodes.done, stderr: '' })
    expect(stdout).toMatch(
      /\n(?:Use auto at 20,000 tokens: it would have cost \$|Leave it alone|This session is too short for advice)/,
    )
    expect(stdout).toContain('not how well the agent would have worked')
  })

  test('ends in a command that does what it recommends', { tags: 'slow' }, async () => {
    const words = ['replay', session, '--advise', '--strategy', 'auto', '--threshold', '20k']
    const { stdout } = await runPrecis(home, words)
    expect(stdout).toContain('Use auto at 20,000')
    const [, command = ''] = /\n {2}precis (compress .*)\n$/.exec(stdout) ?? []
    expect(command).toBe(`compress ${session} --strategy auto --budget 10000`)
    const compressed = await runPrecis(home, [...command.split(' '), '--dry-run', '--json'])
    expect(JSON.parse(compressed.stdout).after.tokens).toBeLessThanOrEqual(10_000)
    const piped = await runPrecis(home, ['replay', '-', ...words.slice(2)], {
      stdin: readFileSync(session),
    })
    expect(piped.stdout).not.toContain('precis compress')
  })

  test('prints one object', { tags: 'slow' }, async () => {
    const advice = await runJson(home, [
      'replay',
      session,
      '--advise',
      '--strategy',
      'auto',
      '--threshold',
      '20k',
    ])
    expect(advice).toMatchObject({
      unit: 'dollars',
      requests: 78,
      trials: [{ strategy: 'auto', thresholdTokens: 20_000 }],
    })
    expect(advice.recommendation).toMatch(/\.$/)
  })

  test('is honest about a session that is too short', async () => {
    const path = writeFixture(
      join(home, 'short.jsonl'),
      createClaudeSession({ sessionId: createUuid(3), turns: 2 }),
    )
    const { code, stdout } = await runPrecis(home, ['replay', path, '--advise'])
    expect(code).toBe(exitCodes.done)
    expect(stdout).toContain(
      'This session is too short for advice: it has 6 requests, fewer than 10.',
    )
  })

  test('refuses a strategy that is not there', async () => {
    const { code, stderr } = await runPrecis(home, ['replay', session, '--strategy', 'magic'])
    expect(code).toBe(exitCodes.wrongUsage)
    expect(stderr).toContain('Allowed are auto')
  })

  test('compares where several thresholds are given, as shares or as tokens', {
    tags: 'slow',
  }, async () => {
    const words = ['replay', session, '--window', '50k', '--threshold', '20k', '--threshold', '60%']
    const { stdout } = await runPrecis(home, [...words, '--json'])
    const { trials } = JSON.parse(stdout)
    const tried = new Set(trials.map((trial: AdviceTrial) => trial.thresholdTokens))
    for (const tokens of tried) expect([20_000, 30_000]).toContain(tokens)
    expect(tried).toContain(30_000)
    const { code, stderr } = await runPrecis(home, [...words, '--html', 'page.html'])
    expect(code).toBe(exitCodes.wrongUsage)
    expect(stderr).toContain('it does not support --html')
  })

  test.each([[], ['--save', '--reserve', '8k']])(
    'says of a threshold what one replay says of it, with %j',
    { tags: 'slow' },
    async (...given) => {
      const words = ['replay', session, '--window', '50k', '--threshold', '40%', '--json', ...given]
      const [replayed, advised] = await Promise.all(
        [[], ['--advise']].map((more) => runPrecis(home, [...words, ...more])),
      )
      const { runs, thresholdTokens, saves } = JSON.parse(replayed?.stdout ?? '')
      const { trials, ...advice } = JSON.parse(advised?.stdout ?? '')
      const { money, readAgainMoney } = runs[0].with
      expect(trials).toMatchObject([{ thresholdTokens, money, readAgainMoney }])
      expect(trials[0].compressions).toBeGreaterThan(0)
      expect(advice.saves).toBe(saves)
    },
  )

  test('is what "advise" does, which says so', async () => {
    const path = writeFixture(
      join(home, 'brief.jsonl'),
      createClaudeSession({ sessionId: createUuid(4), turns: 2 }),
    )
    const { code, stdout, stderr } = await runPrecis(home, ['advise', path])
    expect(code).toBe(exitCodes.done)
    expect(stdout).toContain('This session is too short for advice')
    expect(stderr).toContain('"precis advise" is "precis replay --advise" now')
  })

  test('takes a threshold in tokens for one replay', { tags: 'slow' }, async () => {
    const words = ['replay', session, '--window', '50k', '--json', '--threshold']
    const [share, tokens] = await Promise.all(
      ['40%', '20k'].map((given) => runPrecis(home, [...words, given])),
    )
    expect(JSON.parse(tokens?.stdout ?? '')).toEqual(JSON.parse(share?.stdout ?? ''))
    const { code, stderr } = await runPrecis(home, [...words, '60k'])
    expect(code).toBe(exitCodes.wrongUsage)
    expect(stderr).toContain('above the window of 50000 tokens')
    const advised = await runPrecis(home, [...words, '60k', '--advise'])
    expect([advised.code, advised.stdout]).toEqual([code, expect.stringContaining('50000 tokens')])
  })
})
