import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createHome, runPrecis, startPrecis } from './command.suite.ts'

let home = ''
let cache = ''
beforeEach(() => {
  home = createHome()
  cache = join(home, '.cache', 'precis', 'session-facts.jsonl')
})

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const at = (second: number) => new Date(Date.UTC(2026, 3, 1, 10, 0, second)).toISOString()

/** A session that was compacted once, or never. */
function writeSession(
  number: number,
  { cwd = '/work/shop', isCompacted = false, words = 'Mend the tax.' } = {},
): string {
  const sessionId = id(number)
  const usage = { input_tokens: 100_000, output_tokens: 10_000 }
  const user = { type: 'user', sessionId, cwd, uuid: 'a', parentUuid: null, timestamp: at(0) }
  const records: object[] = [
    { ...user, message: { role: 'user', content: words } },
    {
      type: 'assistant',
      uuid: 'b',
      parentUuid: 'a',
      timestamp: at(5),
      message: {
        id: `m${number}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'I look at src/tax-rates.ts.' }],
        usage,
      },
    },
  ]
  const metadata = { trigger: 'auto', preTokens: 155_000 }
  if (isCompacted)
    records.push(
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'c',
        parentUuid: null,
        timestamp: at(65),
        compactMetadata: metadata,
      },
      {
        ...user,
        uuid: 'd',
        parentUuid: 'c',
        isCompactSummary: true,
        message: { role: 'user', content: 'All is well.' },
      },
    )
  const path = join(home, '.claude', 'projects', '-work-shop', `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}

const readJson = async (...words: string[]) => {
  const { code, stdout, stderr } = await runPrecis(home, [...words, '--json'])
  expect(code).toBe(0)
  return { ...JSON.parse(stdout), stderr }
}

describe('precis', () => {
  test.each([[[]], [['overview']]])(
    'lists sessions by project and what compactions have cost: %j',
    async (words) => {
      writeSession(1, { isCompacted: true })
      writeSession(2)
      const { code, stdout, stderr } = await runPrecis(home, words)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(
        /2 sessions in 1 project: .*220k tokens billed, \$0\.90 at list prices/,
      )
      expect(stdout).toMatch(/\/work\/shop +claude-code +2 /)
      expect(stdout).toMatch(
        /00000000\S+1 +2026-04-01 .* claude-code +.* agent +~1 min 0 s +155,000 +– +1 of 1 gone +1 of 1 gone +~\$/,
      )
      expect(stdout).toContain(
        '1 compaction: you waited ~1 min 0 s, 1 of your 1 message is gone, cost ~$',
      )
      expect(stdout).toMatch(
        /\nClaude Code compacts most here\. To use precis in it, run:\n {2}claude plugin marketplace add \S+\n {2}claude plugin install precis@precis\nAt a compaction of [^"]+\.\n$/,
      )
    },
  )

  test('names no way to begin once precis is in the agent that compacts most', async () => {
    writeSession(1, { isCompacted: true })
    await runPrecis(home, ['install', 'claude-code'])
    expect((await runPrecis(home, [])).stdout).not.toContain('compacts most')
  })

  test.each([60, 80, 100, 120, 160, 240])('fits on %i columns', async (columns) => {
    writeSession(1, {
      isCompacted: true,
      cwd: `/work/${'deep/'.repeat(30)}shop`,
      words: `Say ${'word '.repeat(60)}`,
    })
    const { stdout } = await runPrecis(home, [], { environment: { COLUMNS: String(columns) } })
    const [, table = ''] = stdout.split('latest last\n')
    const rows = table.split('\n').slice(0, 2)
    expect(rows[1]).toMatch(/^ {2}00000000 +2026-04-01/)
    expect(rows.filter((row) => row.length > columns)).toEqual([])
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([])
  })

  test('names sentences that no request contains, and the command puts them back', async () => {
    const words = 'Mend the tax. Never touch config.json.'
    const path = writeSession(1, { isCompacted: true, words })
    const original = readFileSync(path)
    const { stdout } = await runPrecis(home, [], { environment: { COLUMNS: '60' } })
    expect(stdout).toContain('“Never touch config.json.” (turn 1)')
    const [command = ''] = stdout.match(/precis undo \S+ --words/) ?? []
    const { code, stdout: undone } = await runPrecis(home, [
      ...command.split(' ').slice(1),
      '--json',
    ])
    expect(code).toBe(0)
    const { output, putBack, resumeCommand } = JSON.parse(undone)
    expect(putBack).toBe(1)
    expect(resumeCommand).toContain('claude --resume')
    expect(readFileSync(output, 'utf8')).toContain('Never touch config.json.')
    expect(readFileSync(path)).toEqual(original)
    const again = await runPrecis(home, ['undo', output, '--words'])
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toContain('is gone from its context. Nothing was written.')
    const chat = join(home, 'chat.json')
    writeFileSync(chat, JSON.stringify({ messages: [{ role: 'user', content: words }] }))
    const refused = await runPrecis(home, ['undo', chat, '--words'])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('and no session of an agent. Nothing was written.')
  })

  test('inspect names a session by its file for that command, whatever id is in it', async () => {
    const words = 'Mend the tax. Never touch config.json.'
    const text = readFileSync(writeSession(1, { isCompacted: true, words }), 'utf8')
    const path = join(home, "it's mine.jsonl")
    writeFileSync(path, text.replaceAll(id(1), 'x; touch here #'))
    const { stdout } = await runPrecis(home, ['inspect', path])
    const quoted = `'${path.replace("'", "'\\''")}'`
    expect(stdout).toContain(`\n  put back:\n    precis undo ${quoted} --words\n`)
    // Its tables count turns from the compaction, and "show" from the beginning.
    expect(stdout).toMatch(/^since the compaction: /m)
    expect(stdout).toContain('"precis show" counts them from the beginning of the session.')
    expect(stdout).toContain(`\n  read:\n    precis show ${quoted} 1\n`)
    expect((await runPrecis(home, ['show', path, '1'])).stdout).toContain(words)
    expect((await runPrecis(home, ['undo', path, '--words', '--dry-run'])).code).toBe(0)
    const piped = await runPrecis(home, ['inspect', '-'], { stdin: readFileSync(path, 'utf8') })
    expect(piped.stdout).toContain('“Never touch config.json.”')
    expect(piped.stdout).not.toContain('put back')
  })

  test('names no sentence that was said again', async () => {
    const words = 'Mend the tax. Never touch config.json.'
    const path = writeSession(1, { isCompacted: true, words })
    const said = { role: 'user', content: `Again: ${words}` }
    appendFileSync(
      path,
      `${JSON.stringify({ type: 'user', uuid: 'e', parentUuid: 'd', timestamp: at(70), message: said })}\n`,
    )
    const { compactions } = await readJson()
    expect(compactions[0].lost.words).toMatchObject({ missing: 1, sentences: [] })
    expect((await runPrecis(home, [])).stdout).not.toContain('you said')
  })

  test('counts what a fork holds of another session once, with its compactions', async () => {
    const path = writeSession(1, { isCompacted: true })
    const { totals: alone } = await readJson()
    const fork = path.replace(id(1), id(2))
    const lines = readFileSync(path, 'utf8').replaceAll(id(1), id(2))
    const later = {
      type: 'assistant',
      message: { id: 'new', model: 'claude-sonnet-4-5', usage: { output_tokens: 1 } },
    }
    writeFileSync(fork, `${lines}${JSON.stringify(later)}\n`)
    utimesSync(fork, new Date(), new Date(Date.now() + 60_000))
    const { totals } = await readJson()
    expect(totals).toMatchObject({
      sessions: 2,
      tokens: alone.tokens + 1,
      compactions: 1,
      unpriced: 0,
    })
    // A list says what is in each file, whatever was read before.
    const listed = [expect.closeTo(0.450015, 9), 0.45]
    for (const isCached of [true, false]) {
      if (!isCached) rmSync(join(home, '.cache'), { recursive: true })
      const { sessions } = await readJson('sessions')
      expect(sessions.map(({ dollars }: { dollars: number }) => dollars)).toEqual(listed)
    }
  })

  test('counts an answer of which less is recorded, with a mark, as inspect does', async () => {
    const path = writeSession(1)
    const said = 'I look at src/tax-rates.ts. '.repeat(500)
    const text = readFileSync(path, 'utf8')
      .replace('I look at src/tax-rates.ts.', said)
      .replace('"output_tokens":10000', '"output_tokens":1')
    writeFileSync(path, text)
    const { stdout } = await runPrecis(home, [])
    expect(stdout).toMatch(/, ~10\dk tokens billed, ~\$0\.\d\d at list prices/)
    const { totals } = await readJson()
    const { usage } = await readJson('inspect', path)
    const [session] = (await readJson('sessions')).sessions
    expect(totals).toMatchObject({ dollars: usage.cost, isOutputCounted: true })
    expect(totals.tokens).toBe(100_000 + usage.outputTokens)
    expect(session).toMatchObject({ dollars: usage.cost, dollarsAreEstimated: true })
  })

  test('counts a compaction once that a fork repeats with another time', async () => {
    const path = writeSession(1, { isCompacted: true })
    const text = readFileSync(path, 'utf8').replaceAll(id(1), id(2)).replaceAll(at(65), at(66))
    writeFileSync(path.replace(id(1), id(2)), text)
    expect((await readJson()).compactions).toHaveLength(1)
  })

  test('says the same as data, and takes options without a name', async () => {
    const path = writeSession(1, { isCompacted: true })
    const { totals, projects, compactions, unreadable } = await readJson()
    expect(totals).toMatchObject({
      sessions: 1,
      tokens: 110_000,
      dollars: 0.45,
      unpriced: 0,
      compactions: 1,
    })
    expect(projects).toMatchObject([
      { agents: ['claude-code'], project: '/work/shop', isHere: false, sessions: 1 },
    ])
    expect(compactions).toMatchObject([
      {
        time: at(65),
        sessionId: id(1),
        path,
        title: 'Mend the tax.',
        by: 'agent',
        trigger: 'automatic',
        durationMs: { value: 60_000, isEstimated: true },
        tokensBefore: { value: 155_000, isEstimated: false },
        tokensAfter: null,
        lost: { words: { total: 1, missing: 1 }, facts: { total: 1, lost: 1 } },
      },
    ])
    expect(unreadable).toEqual([])
  })

  test('puts the project of the current folder first', async () => {
    writeSession(1, { cwd: home })
    const other = writeSession(2)
    utimesSync(other, new Date(), new Date(Date.now() + 60_000))
    const { projects } = await readJson()
    expect(projects.map((project: { project: string }) => project.project)).toEqual([
      home,
      '/work/shop',
    ])
    expect(projects[0].isHere).toBe(true)
  })

  test('writes a page', async () => {
    writeSession(1, { isCompacted: true, words: '<img src=x onerror=alert(1)>' })
    const { code, stdout } = await runPrecis(home, ['--html', 'overview.html'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'overview.html\n' })
    const page = readFileSync(join(home, 'overview.html'), 'utf8')
    expect(page).toContain('Compactions that happened')
    expect(page).not.toContain('<img')
  })

  test('shows a page without scrolling sideways on a phone', { tags: ['slow'] }, async () => {
    writeSession(1, {
      isCompacted: true,
      cwd: `/work/${'deep/'.repeat(30)}shop`,
      words: 'word'.repeat(40),
    })
    await runPrecis(home, ['--html', 'overview.html'])
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox'],
    })
    try {
      const page = await browser.newPage({ viewport: { width: 400, height: 800 } })
      await page.goto(`file://${join(home, 'overview.html')}`)
      const excess =
        "[document.body, ...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth)"
      expect(await page.evaluate(excess)).toEqual([0, 0, 0, 0])
    } finally {
      await browser.close()
    }
  })

  test('names a session that was compacted several times by the beginning of its id', async () => {
    const path = writeSession(1, { isCompacted: true })
    const compaction = readFileSync(path, 'utf8').split('\n').slice(2, 4).join('\n')
    appendFileSync(path, `${compaction.replaceAll('"c"', '"e"').replace('"d"', '"f"')}\n`)
    await runPrecis(home, ['--html', 'overview.html'])
    const { stdout } = await runPrecis(home, [], { environment: { COLUMNS: '200' } })
    expect(stdout.match(/^ {2}00000000 /gm)).toHaveLength(2)
    expect(readFileSync(join(home, 'overview.html'), 'utf8')).not.toContain(id(1))
  })

  test('says where it looked when there is nothing', async () => {
    const { code, stdout } = await runPrecis(home, [])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}Claude Code +~\/\.claude\/projects$/m)
    expect(stdout).toMatch(/^ {2}precis compress .*rate-limiter\.jsonl --dry-run$/m)
  })

  test('shows no secret, neither here nor in the cache', async () => {
    const key = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}-AAAAAAAA`
    writeSession(1, { isCompacted: true, words: `Use ${key} for it.` })
    const { stdout } = await runPrecis(home, ['--json'])
    expect(stdout).not.toContain(key)
    expect(readFileSync(cache, 'utf8')).not.toContain(key)
    expect(statSync(cache).mode & 0o77).toBe(0)
  })
})

describe('the cache of precis', () => {
  const poison = () => {
    // The content is trusted, which shows that it was read.
    const text = readFileSync(cache, 'utf8')
    expect(text).toContain('Mend the tax.')
    return text
  }

  test('makes an unchanged session not be read again, and a changed one be read', async () => {
    const path = writeSession(1, { isCompacted: true })
    const { mtime } = statSync(path)
    await readJson()
    poison()
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('Mend the tax.', 'Mend the fox.'))
    utimesSync(path, mtime, mtime)
    expect((await readJson()).compactions[0].title).toBe('Mend the tax.')
    appendFileSync(path, '{}\n')
    expect((await readJson()).compactions[0].title).toBe('Mend the fox.')
  })

  test.each([
    ['damaged', (text: string) => text.replace('Mend', 'Lend')],
    ['cut off', (text: string) => text.slice(0, -20)],
    ['of another version', (text: string) => text.replace('"version":1', '"version":99')],
    ['of somebody else', () => 'hello'],
    ['empty', () => ''],
  ])('that is %s is not believed, and written anew', async (_, damage) => {
    writeSession(1, { isCompacted: true })
    await readJson()
    const whole = poison()
    writeFileSync(cache, damage(whole))
    expect((await readJson()).compactions[0].title).toBe('Mend the tax.')
    expect(readFileSync(cache, 'utf8')).toBe(whole)
  })

  test('that cannot be written is a note, and no failure', async () => {
    writeSession(1)
    mkdirSync(dirname(dirname(cache)), { recursive: true })
    writeFileSync(dirname(cache), 'a file where a folder should be')
    const { totals, stderr } = await readJson()
    expect(totals.sessions).toBe(1)
    expect(stderr).toContain('what was read is not cached')
  })

  test('keeps what was read until an interruption', { tags: ['slow'] }, async () => {
    const padding = 'x'.repeat(300_000)
    for (let number = 1; number <= 600; number++) {
      writeSession(number, { isCompacted: true, words: `Mend ${number}. ${padding}` })
    }
    const { code, stderr } = await startPrecis(home, [], {
      async onStart(child) {
        while (!existsSync(cache) && child.exitCode === null) await setTimeout(20)
        child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    expect(stderr).toContain('Claude Code: 600 sessions')
    const kept = readFileSync(cache, 'utf8').trimEnd().split('\n').length - 1
    expect(kept).toBeGreaterThan(0)
    const { stderr: again } = await startPrecis(home, [])
    if (600 - kept >= 200) expect(again).toContain(`Reading ${600 - kept} new`)
    expect(readFileSync(cache, 'utf8').trimEnd().split('\n')).toHaveLength(601)
  })
})

describe('a session that cannot be read', () => {
  test.skipIf(process.getuid?.() === 0)('is counted by its size, and said', async () => {
    writeSession(1, { isCompacted: true })
    chmodSync(writeSession(2), 0)
    const { totals, compactions, unreadable, stderr } = await readJson()
    expect({ sessions: totals.sessions, compactions: compactions.length }).toEqual({
      sessions: 2,
      compactions: 1,
    })
    expect(unreadable).toHaveLength(1)
    expect(stderr).toContain('1 session could not be read')
  })

  test('spoils nothing', { tags: 'slow' }, async () => {
    writeSession(1, { isCompacted: true })
    const damaged = writeSession(2)
    for (const text of [
      '',
      '\0'.repeat(1000),
      `${'['.repeat(100_000)}`,
      '{"type":"user"}\n{"compact_boundary"',
    ]) {
      writeFileSync(damaged, text)
      const { totals, compactions } = await readJson()
      expect({ sessions: totals.sessions, compactions: compactions.length }).toEqual({
        sessions: 2,
        compactions: 1,
      })
    }
  })
})
