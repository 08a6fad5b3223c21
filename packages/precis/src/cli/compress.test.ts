import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { auto, middleOut, oneShot, tailSummary, topDownTruncation } from '@precis/core'
import { neutralizeText } from '@precis/core/text'
import { beforeEach, describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'aaaaaaaa-1111-4222-8333-444444444444'
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

let home: string
let session: string

beforeEach(() => {
  home = createHome()
  session = writeFixture(join(home, 'session.jsonl'), createClaudeSession({ sessionId: ID }))
})

test('counts what its file has, where answers become one without the calls between them', {
  tags: 'slow',
}, async () => {
  const original = writeFixture(
    join(home, `.codex/sessions/2026/04/02/rollout-2026-04-02T10-00-00-${createUuid(70)}.jsonl`),
    createCodexSession({ sessionId: createUuid(70), turns: 1, calls: 6 }),
  )
  const words = ['compress', original, '--drop-tool', 'exec_command', '--budget', '60%']
  const made = await runJson(home, words)
  const file = await runJson(home, ['inspect', made.output])
  expect(made.after).toMatchObject({ messages: file.messages, tokens: file.tokens.total })
  expect(file.messages).toBeLessThan(made.before.messages / 3)
})

describe('compress --out', () => {
  test('writes a smaller session of its own id and leaves the original, its bytes and its time', {
    tags: 'slow',
  }, async () => {
    utimesSync(session, 1000, 1000)
    const before = readFileSync(session)
    const out = join(home, 'small.jsonl')
    const { code, stdout } = await runPrecis(home, [
      'compress',
      session,
      '--budget',
      '50%',
      '--out',
      out,
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('(auto: ')
    expect(readFileSync(session).equals(before)).toBe(true)
    expect(statSync(session).mtimeMs).toBe(1_000_000)
    expect(statSync(out).size).toBeLessThan(before.length)
    expect(readFileSync(out, 'utf8')).not.toContain(`"sessionId":"${ID}"`)
  })

  test('gives exactly the fields of its contract as JSON', async () => {
    const out = join(home, 'small.jsonl')
    const { stdout, stderr } = await runPrecis(home, [
      'compress',
      session,
      '--strategy',
      'middle-out',
      '--out',
      out,
      '--json',
    ])
    const report = JSON.parse(stdout)
    const fields = [
      'input',
      'output',
      'format',
      'strategy',
      'summarizer',
      'problems',
      'names',
      'usage',
      'budgetTokens',
      'budget',
      'before',
      'after',
      'notInFileTokens',
      'billedTokens',
      'rungs',
      'attempts',
      'receipt',
      'cost',
      'durationMs',
      'archive',
    ]
    expect(Object.keys(report)).toEqual(fields)
    expect(report).toMatchObject({
      input: session,
      output: out,
      format: 'claude-code',
      summarizer: 'digest',
    })
    expect(Object.keys(report.before)).toEqual(['tokens', 'messages', 'contextTokens', 'bytes'])
    expect(report.rungs.map(Object.keys)).toEqual([['name', 'tokensBefore', 'tokensAfter']])
    expect(report.attempts[0]).toMatchObject({ name: 'keep', refusal: 'over-limit' })
    expect(report.attempts.filter(({ refusal }: { refusal?: string }) => !refusal)).toHaveLength(1)
    expect(Object.keys(report.receipt)).toEqual(['kinds', 'appended', 'facts', 'gone', 'words'])
    const { total, verbatim } = report.receipt.words
    expect({ total, verbatim }).toEqual({ total: 12, verbatim: 12 })
    expect(Object.keys(report.receipt.kinds.path)).toEqual([
      'total',
      'verbatim',
      'retrievable',
      'missing',
      'stale',
    ])
    expect(Object.keys(report.cost)).toEqual(['before', 'after'])
    expect(report.after.tokens).toBeLessThanOrEqual(report.budgetTokens)
    expect(report.after.bytes).toBe(statSync(out).size)
    expect(stderr).toBe('')
  })

  test.each(
    casesOf(
      [auto, middleOut, oneShot, tailSummary, topDownTruncation].flatMap(({ name }) =>
        [createClaudeSession, createCodexSession].map((create) => ({
          strategy: name,
          create,
          agent: create.name,
        })),
      ),
      2,
    ),
  )(
    '$strategy gives a session of $agent that is valid and as large as reported',
    { tags: 'property' },
    async ({ strategy, create }) => {
      const input = writeFixture(join(home, 'input.jsonl'), create({ sessionId: ID, turns: 30 }))
      const out = join(home, 'small.jsonl')
      const words = [
        'compress',
        input,
        '--strategy',
        strategy,
        '--budget',
        '20%',
        '--out',
        out,
        '--json',
      ]
      const { code, stdout } = await runPrecis(home, words)
      expect(code).toBe(0)
      const report = JSON.parse(stdout)
      expect(report.strategy).toBe(strategy)
      expect(report.budgetTokens).toBe(Math.floor(report.before.tokens * 0.2))
      const [before, budget] = [report.before.tokens, report.budgetTokens].map((tokens) =>
        tokens.toLocaleString('en'),
      )
      expect(report.budget).toBe(`20% of ${before} = ${budget}`)
      expect(report.after.tokens).toBeLessThanOrEqual(report.budgetTokens)
      const inspection = await runJson(home, ['inspect', out])
      expect(inspection.messages).toBe(report.after.messages)
      expect(inspection.tokens.total).toBe(report.after.tokens)
      expect((await runPrecis(home, ['check', out])).code).toBe(0)
    },
  )

  test.each(['the path itself', 'a symbolic link', 'a hard link'])(
    'refuses to write over the original: %s',
    async (kind) => {
      const out = kind === 'the path itself' ? session : join(home, 'other.jsonl')
      if (kind === 'a symbolic link') symlinkSync(session, out)
      if (kind === 'a hard link') linkSync(session, out)
      const before = readFileSync(session)
      const { code, stderr } = await runPrecis(home, ['compress', session, '--out', out])
      expect(code).toBe(2)
      expect(stderr).toContain('it is the session itself')
      expect(readFileSync(session).equals(before)).toBe(true)
    },
  )

  test('replaces an existing file and leaves nothing beside it', async () => {
    const out = writeFixture(join(home, 'out', 'small.jsonl'), 'old')
    const { code } = await runPrecis(home, ['compress', session, '--out', out])
    expect(code).toBe(0)
    expect(readFileSync(out, 'utf8')).toContain('"type":"user"')
    expect(readdirSync(join(home, 'out'))).toEqual(['small.jsonl'])
  })

  test('takes the session id from a file that is named after one', async () => {
    const out = join(home, `${createUuid(77)}.jsonl`)
    await runPrecis(home, ['compress', session, '--out', out])
    expect(readFileSync(out, 'utf8')).toContain(`"sessionId":"${createUuid(77)}"`)
  })

  test('says of a conversation without messages that it holds none', async () => {
    const empty = join(home, 'no-messages.json')
    writeFileSync(empty, '{"messages":[]}')
    const { code, stdout } = await runPrecis(home, [
      'compress',
      empty,
      '--out',
      join(home, 'none.json'),
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing to do: it contains no messages.')
  })

  test('passes a session through that is small enough, byte for byte', async () => {
    const out = join(home, 'same.jsonl')
    const { code, stdout } = await runPrecis(home, [
      'compress',
      session,
      '--budget',
      '900k',
      '--out',
      out,
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing to do')
    expect(readFileSync(out).equals(readFileSync(session))).toBe(true)
  })
})

describe('compress without --out', () => {
  test("places a Claude Code session in the folder of the session's directory and prints how to resume it", async () => {
    const workingDirectory = "/work/it's my shop"
    writeFixture(session, createClaudeSession({ sessionId: ID, workingDirectory }))
    const configuration = join(home, 'claude config')
    const report = await runJson(home, ['compress', session], {
      environment: { CLAUDE_CONFIG_DIR: configuration },
    })
    const folder = join(configuration, 'projects', '-work-it-s-my-shop')
    const [file = ''] = readdirSync(folder)
    expect(report.output).toBe(join(folder, file))
    const id = UUID.exec(file)?.[0] ?? 'no id'
    expect(file).toBe(`${id}.jsonl`)
    expect(id).not.toBe(ID)
    expect(readFileSync(report.output, 'utf8')).toContain(`"sessionId":"${id}"`)
    expect(report.resumeCommand).toBe(`cd '/work/it'\\''s my shop' && claude --resume ${id}`)
  })

  test('places it beside the original when that lies in the home of its agent, found by the beginning of its id', async () => {
    const folder = join(home, '.claude', 'projects', '-some-other-folder')
    writeFixture(join(folder, `${ID}.jsonl`), createClaudeSession({ sessionId: ID }))
    expect((await runJson(home, ['compress', 'aaaaaaaa'])).output.startsWith(`${folder}/`)).toBe(
      true,
    )
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test('places a Codex session under the day of today', async () => {
    const rollout = writeFixture(join(home, 'rollout.jsonl'), createCodexSession({ sessionId: ID }))
    const codexHome = join(home, 'codex')
    const { output, resumeCommand } = await runJson(home, ['compress', rollout], {
      environment: { CODEX_HOME: codexHome, TZ: 'UTC' },
    })
    const path =
      /sessions\/(\d{4})\/(\d\d)\/(\d\d)\/rollout-(\d{4})-(\d\d)-(\d\d)T\d\d-\d\d-\d\d-([0-9a-f-]{36})\.jsonl$/.exec(
        output,
      )
    expect(path?.slice(1, 4)).toEqual(path?.slice(4, 7))
    expect(resumeCommand).toBe(`cd /work/shop && codex resume ${path?.[7]}`)
    expect(readFileSync(output, 'utf8').split('\n')[0]).toContain(`"id":"${path?.[7]}"`)
  })

  test('writes nothing when there is nothing to do, and says so', async () => {
    const { code, stdout } = await runPrecis(home, ['compress', session, '--budget', '900k'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Nothing to do.*Nothing was written/)
    expect(readdirSync(home)).toEqual(['session.jsonl'])
  })

  test('writes nothing in a dry run', async () => {
    const { code, stdout } = await runPrecis(home, ['compress', session, '--dry-run', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).output).toBe(null)
    expect(JSON.parse(stdout).after.bytes).toBeGreaterThan(0)
    expect(readdirSync(home)).toEqual(['session.jsonl'])
  })

  test('keeps the files that were chosen by hand, and says of which something could not stay', {
    tags: 'slow',
  }, async () => {
    const chosen = ['--keep-path', 'src/cart1.ts', '--drop-tool', 'Edit']
    const words = ['compress', session, '--budget', '60%', '--dry-run', ...chosen]
    const { keptFiles, after, budgetTokens } = await runJson(home, [...words])
    expect(keptFiles).toEqual([{ path: 'src/cart1.ts', calls: 8, verbatim: expect.any(Number) }])
    expect(keptFiles[0].verbatim).toBeGreaterThanOrEqual(4)
    expect(after.tokens).toBeLessThanOrEqual(budgetTokens)
    const tight = await runPrecis(home, [...words, '--budget', '10%'])
    expect(tight.stdout).toMatch(
      /kept files:\n +src\/cart1\.ts: \d of 8 calls verbatim, \d did not fit the budget/,
    )
  })

  describe('as a preview', () => {
    const words = ['compress', '-', '--strategy', 'tail-summary', '--budget', '20%', '--preview']

    test('prints the summary that a compression writes, its report beside it, and writes nothing', {
      tags: 'slow',
    }, async () => {
      const stdin = readFileSync(session)
      const { code, stdout, stderr } = await runPrecis(home, words, { stdin })
      expect(code).toBe(0)
      expect(stdout).toMatch(/^<conversation-summary .*\n> \[2\] .*<\/conversation-summary>\n$/s)
      expect(stderr).toContain('Nothing written')
      const { summary, output } = await runJson(home, [...words], { stdin })
      expect([neutralizeText(summary), output]).toEqual([stdout.trimEnd(), null])
      expect(readdirSync(home)).toEqual(['session.jsonl'])
      const written = await runPrecis(home, [...words.slice(0, -1), '--no-archive'], { stdin })
      expect(written.stdout).toContain(JSON.stringify(summary))
    })

    test('steers no terminal and shows no secret of the session', async () => {
      const hostile = JSON.stringify(
        `Look at \u001b[2J\u202e sk-ant-api03-${'k7Qz'.repeat(24)}`,
      ).slice(1, -1)
      const stdin = createClaudeSession({ sessionId: ID }).replace(
        'Now the next one, number 1,',
        hostile,
      )
      const { stdout } = await runPrecis(home, words, { stdin })
      expect(stdout).toContain('> [2] Look at')
      for (const text of ['\u001b', '\u202e', 'k7Qzk7Qz']) expect(stdout).not.toContain(text)
    })

    test('says that there is no summary where nothing has to go', async () => {
      const { stdout } = await runPrecis(home, [
        'compress',
        session,
        '--budget',
        '900k',
        '--preview',
      ])
      expect(stdout).toBe('No summary would be written: nothing has to be removed.\n')
    })

    test.each([['--out', 'x.jsonl'], ['--dry-run'], ['--all']])(
      'is refused beside %s',
      async (...other) => {
        const { code, stderr } = await runPrecis(home, ['compress', session, '--preview', ...other])
        expect([code, stderr]).toEqual([2, expect.stringContaining('--preview')])
      },
    )
  })

  test('gives standard input back on standard output and reports on standard error', async () => {
    const { code, stdout, stderr } = await runPrecis(home, ['compress', '-'], {
      stdin: readFileSync(session),
    })
    expect(code).toBe(0)
    expect(stdout.split('\n').every((line) => line === '' || line.startsWith('{'))).toBe(true)
    expect(stdout.length).toBeLessThan(statSync(session).size)
    expect(stderr).toContain('Wrote')
  })

  test('refuses to put the result and its report on standard output', async () => {
    const { code, stdout } = await runPrecis(home, ['compress', '-', '--json'], {
      stdin: readFileSync(session),
    })
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error.code).toBe('wrong-usage')
  })
})

describe('compress into a window', () => {
  /** The same session with only its first request billed. */
  const writeBilled = (tokens: number) => {
    const records = readFileSync(session, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const first = records.findIndex(({ type }) => type === 'assistant')
    const lines = records.map((record, index) => {
      const usage = {
        input_tokens: index === first ? tokens : 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      }
      return JSON.stringify(
        record.type === 'assistant' ? { ...record, message: { ...record.message, usage } } : record,
      )
    })
    return writeFixture(join(home, 'billed.jsonl'), `${lines.join('\n')}\n`)
  }

  test('leaves room for what is not in the file, and says both', async () => {
    const path = writeBilled(6_000)
    const { stdout, code } = await runPrecis(home, [
      'compress',
      path,
      '--window',
      '9k',
      '--dry-run',
      '--json',
    ])
    expect(code).toBe(0)
    const { before, after, notInFileTokens, budget, budgetTokens } = JSON.parse(stdout)
    expect(notInFileTokens).toBeGreaterThan(5_000)
    expect(budgetTokens).toBe(9_000 - notInFileTokens)
    const [added, room] = [notInFileTokens, budgetTokens].map((tokens) =>
      tokens.toLocaleString('en'),
    )
    expect(budget).toBe(`a window of 9,000 − ${added} not in the file = ${room}`)
    expect(before.contextTokens).toBe(before.tokens + notInFileTokens)
    expect(after.contextTokens).toBeLessThanOrEqual(9_000)
    const words = (await runPrecis(home, ['compress', path, '--window', '9k', '--dry-run'])).stdout
    expect(words).toContain(`(${before.contextTokens.toLocaleString('en')} in total before, `)
  })

  test('refuses one that is filled by what is not in the file, and a clone that does not fit', async () => {
    const path = writeBilled(6_000)
    const filled = await runPrecis(home, [
      'compress',
      path,
      '--window',
      '5000',
      '--out',
      join(home, 'small.jsonl'),
    ])
    expect(filled.code).toBe(3)
    expect(filled.stderr).toContain('a window of 5,000 tokens has no room for it')
    const cloned = await runPrecis(home, [
      'clone',
      path,
      '--reasoning',
      '100',
      '--window',
      '7k',
      '--dry-run',
    ])
    expect(cloned.code).toBe(3)
    expect(cloned.stderr).toMatch(
      /has [\d,]+ tokens, and the room is a window of 7,000 − [\d,]+ not in the file = /,
    )
    const roomy = await runPrecis(home, [
      'clone',
      path,
      '--reasoning',
      '100',
      '--window',
      '90k',
      '--dry-run',
    ])
    expect(roomy.stdout).toMatch(
      /room: a window of 90,000 − [\d,]+ not in the file = [\d,]+ tokens/,
    )
  })
})

describe('compress --unpin', () => {
  const PORT = 'The staging port is 8443.'
  const FREEZE = 'The freeze is in May.'
  const compress = (input: string, output: string, ...words: readonly string[]) =>
    runPrecis(home, ['compress', input, '--out', output, ...words])
  const readPinned = async () => {
    const pinned = join(home, 'pinned.jsonl')
    const { code } = await compress(
      session,
      pinned,
      '--budget',
      '40%',
      '--pin',
      PORT,
      '--pin',
      FREEZE,
    )
    expect(code).toBe(0)
    for (const pin of [PORT, FREEZE]) expect(readFileSync(pinned, 'utf8')).toContain(pin)
    return pinned
  }

  test('ends a pin in the session and in all that are made of it; the others stay', {
    tags: 'slow',
  }, async () => {
    const pinned = await readPinned()
    const [first, second] = [join(home, 'first.jsonl'), join(home, 'second.jsonl')]
    const { code, stderr } = await compress(
      pinned,
      first,
      '--budget',
      '80%',
      '--unpin',
      ` ${PORT} `,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect((await compress(first, second, '--budget', '80%')).code).toBe(0)
    for (const path of [first, second]) {
      expect(readFileSync(path, 'utf8')).not.toContain(PORT)
      expect(readFileSync(path, 'utf8')).toContain(FREEZE)
    }
  })

  test('ends it also where nothing has to be compressed', async () => {
    const pinned = await readPinned()
    const output = join(home, 'unpinned.jsonl')
    const { code, stdout } = await compress(pinned, output, '--budget', '500k', '--unpin', PORT)
    expect(code).toBe(0)
    expect(stdout).toContain('so none was compressed')
    expect(readFileSync(output, 'utf8')).not.toContain(PORT)
    expect(readFileSync(output, 'utf8')).toContain(FREEZE)
    expect(readFileSync(pinned, 'utf8')).toContain(PORT)
  })

  test('of a text that is no pin, or that is to be pinned as well, names the pins and writes nothing', async () => {
    const pinned = await readPinned()
    const output = join(home, 'unpinned.jsonl')
    const { code, stdout } = await compress(pinned, output, '--unpin', 'the port', '--json')
    expect(code).toBe(2)
    const { error } = JSON.parse(stdout)
    expect(error).toMatchObject({ code: 'wrong-usage', pins: [PORT, FREEZE] })
    expect(error.message).toContain(`"the port" is no pin of it. It has "${PORT}", "${FREEZE}".`)
    const both = await compress(pinned, output, '--unpin', PORT, '--pin', PORT)
    expect(both).toMatchObject({ code: 2, stdout: '' })
    expect(both.stderr).toContain('to --pin or to --unpin, not both')
    expect(existsSync(output)).toBe(false)
  })
})

describe('compress that fails', () => {
  test('names a share as the report does, and the share that is enough', async () => {
    const { code, stderr } = await runPrecis(home, ['compress', session, '--budget', '0.1%'])
    expect(code).toBe(3)
    const [, tokens = '', before = ''] =
      /cannot fit ([\d,]+) tokens \(0.1% of ([\d,]+)\)/.exec(stderr) ?? []
    expect(Number(tokens.replaceAll(',', ''))).toBe(
      Math.floor(Number(before.replaceAll(',', '')) / 1000),
    )
    const [, enough = '', share = ''] =
      /Give a --budget of (\d+) \((\d+)%\) or more/.exec(stderr) ?? []
    expect(Number(share)).toBe(
      Math.ceil((Number(enough) / Number(before.replaceAll(',', ''))) * 100),
    )
    expect(
      (await runPrecis(home, ['compress', session, '--budget', `${share}%`, '--dry-run'])).code,
    ).toBe(0)
  })

  test('refuses a budget that nothing fits, names the item and writes nothing', async () => {
    const { code, stdout, stderr } = await runPrecis(home, [
      'compress',
      session,
      '--budget',
      '5',
      '--json',
    ])
    expect(code).toBe(3)
    expect(stderr).toContain('cannot fit 5 tokens')
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'cannot-fit',
      refusal: { budgetTokens: 5 },
    })
    expect(readdirSync(home)).toEqual(['session.jsonl'])
  })

  test.each([
    ['a full disk', '/dev/full', 1, 'the disk is full'],
    ['a folder that is not there', 'no/where.jsonl', 1, 'there is no folder'],
    ['a folder', '.', 2, 'it is a folder'],
    ['a file below a file', 'session.jsonl/out.jsonl', 1, 'part of the path is a file'],
    ['a name that is too long', 'x'.repeat(300), 1, 'the name is too long'],
  ])('says what is wrong with --out: %s', async (_, out, exitCode, words) => {
    const { code, stderr } = await runPrecis(home, ['compress', session, '--out', out])
    expect(code).toBe(exitCode)
    expect(stderr).toContain(words)
    // The archive exists, but has no entry.
    expect(readdirSync(home).filter((name) => name !== '.local')).toEqual(['session.jsonl'])
  })

  test('leaves no folder behind when the home of the agent cannot be written', async () => {
    mkdirSync(join(home, '.claude'))
    writeFixture(join(home, '.claude', 'projects'), 'a file where a folder should be')
    const { code, stderr } = await runPrecis(home, ['compress', session])
    expect(code).toBe(1)
    expect(stderr).toContain('part of the path is a file')
    expect(readdirSync(join(home, '.claude'))).toEqual(['projects'])
  })

  test.each([
    ['an unknown option', ['--bugdet', '5'], '--budget'],
    ['an unknown strategy', ['--strategy', 'magic'], 'middle-out'],
    ['an unknown summarizer', ['--summarizer', 'acme/large'], 'digest'],
    ['a model without its key', ['--summarizer', 'openai/gpt-5'], 'OPENAI_API_KEY'],
    ['a pin without its text', ['--pin'], '--pin'],
    ['a pin that is none', ['--unpin', 'the port'], '"the port" is no pin of it. It has none.'],
    [
      'a pin of all sessions',
      ['--unpin', 'the port', '--all'],
      "'--unpin <text>' cannot be used with option '--all'",
    ],
    ['a budget that is none', ['--budget', 'much'], '8k'],
  ])('answers %s with what would be right', async (_, words, hint) => {
    const { code, stdout, stderr } = await runPrecis(home, ['compress', session, ...words])
    expect(code).toBe(2)
    expect(stderr).toContain(hint)
    expect(stdout).toBe('')
  })
})
