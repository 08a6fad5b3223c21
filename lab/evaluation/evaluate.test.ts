import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  type RunOptions,
  runCommand,
  startNode,
  writeFixture,
} from '../../packages/precis/src/cli/command.suite.ts'
import { createEvaluateProgram } from './evaluate.ts'
import { createRecordedSession } from './history.suite.ts'

let home: string
let recorded: string
let short: string

beforeAll(() => {
  home = createHome()
  recorded = writeFixture(join(home, 'recorded.jsonl'), createRecordedSession())
  short = writeFixture(
    join(home, 'short.jsonl'),
    createClaudeSession({ sessionId: 'cccccccc-1111-4222-8333-444444444444', turns: 3 }),
  )
})

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const evaluate = (words: readonly string[], options?: RunOptions) =>
  runCommand(home, words, createEvaluateProgram, options)

const ONE = ['--strategy', 'middle-out', '--budget', '2000']

describe('evaluate', () => {
  test('shows every measure, what it is, and what it does not show', { tags: 'slow' }, async () => {
    const { code, stdout } = await evaluate([recorded, ...ONE])
    expect(code).toBe(0)
    expect(stdout).toContain('3 cuts of 1 session, budget 2000')
    expect(stdout).toMatch(/middle-out +(?:[\d.]+|–) +/)
    expect(stdout).toMatch(/one line per call \+ newest +/)
    expect(stdout).toMatch(/gcrr +names the agent had to carry over/)
    expect(stdout).toContain('Differences under 0.05 are not findings')
    expect(stdout).toContain('None of this measures the success of an agent')
  })

  test.each([40, 200])(
    'is no wider than a terminal of %i columns',
    { tags: 'slow' },
    async (columns) => {
      const environment = { COLUMNS: String(columns) }
      const { stdout } = await evaluate([recorded, ...ONE], { environment })
      const rows = stdout
        .split('\n')
        .filter((line) => line.startsWith('  ') && !/^ {2}[a-z_]+ {2}/.test(line))
      expect(rows.length).toBeGreaterThan(10)
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns)
    },
  )

  test('prints one JSON object with means, intervals and what was left out', {
    tags: 'slow',
  }, async () => {
    const { code, stdout, stderr } = await evaluate([recorded, short, 'none', '--json', ...ONE])
    expect(code).toBe(0)
    expect(stderr).toContain('Finding session "none"')
    const { sessions, unread, tables, rounds, failures } = JSON.parse(stdout)
    expect(sessions.map(({ points }: { points: number }) => points)).toEqual([3, 0])
    expect(sessions[1].skipped[0].reason).toMatch(/fewer than 15000/)
    expect(unread).toEqual([
      { session: 'none', code: 'no-such-session', message: expect.any(String) },
    ])
    expect(tables[0].methods[0]).toMatchObject({
      method: 'middle-out',
      kind: 'strategy',
      scored: 3,
      refused: 0,
    })
    expect(tables[0].methods[0].measures.gcrr).toMatchObject({
      low: null,
      high: null,
      points: 3,
      sessions: 1,
    })
    expect(rounds.at(-1)).toMatchObject({ summarizer: 'lies', rounds: 8 })
    expect(failures).toEqual([])
  })

  test('reports the damaged lines of a session', async () => {
    const damaged = writeFixture(
      join(home, 'damaged.jsonl'),
      `${readFileSync(short, 'utf8')}{"type":"user","uuid":1\n`,
    )
    const { stdout, stderr } = await evaluate([damaged, '--json', ...ONE])
    expect(stderr).toContain('left out of the conversation.')
    expect(JSON.parse(stdout).damaged).toMatchObject([
      { session: damaged, lines: 1, cutOffBytes: 0 },
    ])
  })

  test('ends with 4 when no session could be read, and with 2 when an option is wrong', async () => {
    expect((await evaluate(['none', 'neither'])).code).toBe(4)
    for (const wrong of [
      ['--budget', '0'],
      ['--strategy', 'best'],
      ['--html', join(home, 'no', 'page.html')],
      ['--html', home],
      [],
    ]) {
      const words = wrong.length > 0 ? [recorded, ...wrong] : []
      expect((await evaluate([...words])).code).toBe(2)
    }
  })

  test('never writes its page over a session', async () => {
    const before = readFileSync(recorded)
    const { code } = await evaluate([recorded, '--html', recorded, ...ONE])
    expect(code).toBe(2)
    expect(readFileSync(recorded).equals(before)).toBe(true)
  })

  test('writes a page that loads nothing and takes names as text', { tags: 'slow' }, async () => {
    const hostile = writeFixture(
      join(home, '<script>alert(1)<', 'img src=x onerror=alert(1)>.jsonl'),
      readFileSync(short),
    )
    const page = join(home, 'page.html')
    const { code, stdout } = await evaluate([recorded, hostile, '--html', page, ...ONE])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${page}\n` })
    const html = readFileSync(page, 'utf8')
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/<script|<img|https?:|\bon[a-z]+=(?!alert)|style="/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;')
  })

  test('ends with 130 when interrupted and leaves no page', { tags: 'slow' }, async () => {
    const page = join(home, 'interrupted.html')
    // A pipe takes more than it holds only from a process that reads, and one that reads answers
    // its signals itself.
    const { code, stdout } = await startNode(
      home,
      ['--import', 'tsx', MAIN, recorded, '-', '--html', page, ...ONE],
      {
        directory: ROOT,
        keepsInputOpen: true,
        onStart: (child) =>
          child.stdin?.write(Buffer.alloc(1 << 20, ' '), () => child.kill('SIGINT')),
      },
    )
    expect(code).toBe(130)
    expect(stdout).toBe('')
    expect(existsSync(page)).toBe(false)
  })
})
