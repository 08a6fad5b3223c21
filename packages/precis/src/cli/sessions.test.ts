import type { ChildProcess } from 'node:child_process'
import { appendFileSync, existsSync, linkSync, mkdirSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import { findUniquePrefixes } from '../sessions/unique-prefixes.ts'
import {
  BIN,
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const CLAUDE_ID = 'aaaaaaaa-1111-4222-8333-444444444444'
const CODEX_ID = 'aaaaaaab-2222-7222-8333-444444444444'

let home: string

beforeEach(() => {
  home = createHome()
})

function writeBoth(): void {
  const claude = join(home, '.claude', 'projects', '-work-shop', `${CLAUDE_ID}.jsonl`)
  writeFixture(claude, createClaudeSession({ sessionId: CLAUDE_ID }))
  const codex = join(
    home,
    '.codex',
    'sessions',
    '2026',
    '04',
    '01',
    `rollout-2026-04-01T10-00-00-${CODEX_ID}.jsonl`,
  )
  writeFixture(codex, createCodexSession({ sessionId: CODEX_ID }))
  utimesSync(claude, 2000, 2000)
  utimesSync(codex, 1000, 1000)
}

describe('sessions', () => {
  test('lists the sessions of all agents, newest first', async () => {
    writeBoth()
    writeFixture(join(home, '.claude', 'projects', '-work-shop', 'agent-1234.jsonl'), '{}\n')
    const { sessions } = await runJson(home, ['sessions'])
    expect(sessions).toHaveLength(2)
    expect(sessions[0]).toMatchObject({
      agent: 'claude-code',
      sessionId: CLAUDE_ID,
      project: '/work/shop',
      firstPrompt: 'Fix the tax in cart.ts',
      tokens: 1160,
      modified: '1970-01-01T00:33:20.000Z',
    })
    expect(sessions[1]).toMatchObject({ agent: 'codex', sessionId: CODEX_ID, tokens: 5071 })
  })

  test('lists the newest last on a terminal, beside the prompt, and first in a pipe', {
    tags: 'slow',
  }, async () => {
    writeBoth()
    const listIds = (text: string) => text.match(/aaaaaaa[ab]/g)
    const { stdout } = await runPrecis(home, ['sessions'])
    expect(listIds(stdout)).toEqual(['aaaaaaaa', 'aaaaaaab'])
    const environment = { HOME: home }
    const terminal = startOnTerminal([BIN, 'sessions'], { environment, directory: home })
    expect((await terminal.exit).code).toBe(0)
    await terminal.see('aaaaaaaa')
    expect(listIds(terminal.everything().join('\n'))).toEqual(['aaaaaaab', 'aaaaaaaa'])
    const largest = startOnTerminal([BIN, 'sessions', '--sort', 'tokens'], {
      environment,
      directory: home,
    })
    expect((await largest.exit).code).toBe(0)
    await largest.see('aaaaaaaa')
    expect(listIds(largest.everything().join('\n'))).toEqual(['aaaaaaab', 'aaaaaaaa'])
  })

  test('shows 50 and says how many are left, and all as data', { tags: 'slow' }, async () => {
    const folder = join(home, '.claude', 'projects', '-work-shop')
    for (let number = 1; number <= 52; number++) {
      const sessionId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
      writeFixture(join(folder, `${sessionId}.jsonl`), createClaudeSession({ sessionId }))
    }
    const { stdout, stderr } = await runPrecis(home, ['sessions'])
    expect(stdout.match(/claude-code/g)).toHaveLength(50)
    expect(stderr).toContain('… 2 more. --limit 52 shows all')
    const all = await runPrecis(home, ['sessions', '--json'])
    expect(JSON.parse(all.stdout).sessions).toHaveLength(52)
    const found = await runPrecis(home, ['sessions', '--search', 'cart'])
    expect(found.stderr).toContain('… 2 not searched. --limit 52 searches all')
  })

  test('shows the same before and after an overview has read all', async () => {
    writeBoth()
    const { stdout: first } = await runPrecis(home, ['sessions'])
    await runPrecis(home, [])
    expect((await runPrecis(home, ['sessions'])).stdout).toBe(first)
    expect(first).toContain('money')
  })

  test('looks where CLAUDE_CONFIG_DIR and CODEX_HOME point, and nowhere else', async () => {
    writeBoth()
    const claude = join(home, 'elsewhere', 'projects', '-work-shop', `${createUuid(1)}.jsonl`)
    writeFixture(claude, createClaudeSession({ sessionId: createUuid(1) }))
    const codex = join(
      home,
      'codex',
      'sessions',
      '2026',
      '04',
      '01',
      `rollout-2026-04-01T10-00-00-${createUuid(2)}.jsonl`,
    )
    writeFixture(codex, createCodexSession({ sessionId: createUuid(2) }))
    const environment = {
      CLAUDE_CONFIG_DIR: join(home, 'elsewhere'),
      CODEX_HOME: join(home, 'codex'),
    }
    const { stdout } = await runPrecis(home, ['sessions', '--json'], { environment })
    const { sessions } = JSON.parse(stdout)
    expect(sessions.map(({ path }: { path: string }) => path).sort()).toEqual(
      [codex, claude].sort(),
    )
    expect(
      (await runPrecis(home, ['inspect', createUuid(2), '--json'], { environment })).code,
    ).toBe(0)
    expect((await runPrecis(home, ['inspect', CODEX_ID], { environment })).code).not.toBe(0)
  })

  test('shows ids long enough to name one session', async () => {
    writeBoth()
    const { stdout } = await runPrecis(home, ['sessions'])
    expect(stdout).toContain('aaaaaaaa  ')
    expect(stdout).toContain('aaaaaaab  ')
    const ids = ['A0000000-1', 'ffffffff-1', 'a0000000-2', 'A0000000-1', 'fff']
    const prefixes = [
      ['A0000000-1', 'A0000000-1'],
      ['a0000000-2', 'a0000000-2'],
      ['fff', 'fff'],
      ['ffffffff-1', 'ffffffff'],
    ] as const
    expect(findUniquePrefixes(ids)).toEqual(new Map(prefixes))
  })

  test('shows ids long enough where other sessions are not listed', async () => {
    const write = (number: number) => {
      const sessionId = createUuid(number)
      const path = join(home, '.claude', 'projects', '-work-shop', `${sessionId}.jsonl`)
      writeFixture(path, createClaudeSession({ sessionId }))
      utimesSync(path, number, number)
    }
    for (const number of [10, 11, 12]) write(number)
    const { stdout } = await runPrecis(home, ['sessions', '--limit', '1'])
    const [, id = ''] = /^ *([0-9a-f]{8}\S*)/m.exec(stdout) ?? []
    expect(await runPrecis(home, ['show', id, '1'])).toMatchObject({ code: 0 })
  })

  test('says where it looked when there are none', async () => {
    const { code, stdout, stderr } = await runPrecis(home, ['sessions'])
    expect(code).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain('~/.codex/sessions')
  })

  test('names the candidates when the beginning of an id is not enough', async () => {
    writeBoth()
    const { code, stderr } = await runPrecis(home, ['inspect', 'aaaaaaa'])
    expect(code).toBe(2)
    expect(stderr).toContain(CLAUDE_ID)
    expect(stderr).toContain(CODEX_ID)
  })

  test('reads only the ends of the files: 300 sessions of a terabyte', {
    tags: 'slow',
    timeout: 60_000,
  }, async () => {
    const large = createClaudeSession({ sessionId: createUuid(1), turns: 120, linesPerRead: 100 })
    expect(large.length).toBeGreaterThan(900_000)
    const folder = join(home, '.claude', 'projects', '-work-shop')
    const original = writeFixture(join(folder, `${createUuid(1)}.jsonl`), large)
    // A sparse file takes no space, but minutes to read.
    truncateSync(original, 2 ** 40)
    appendFileSync(original, `\n${large}`)
    for (let number = 2; number <= 300; number++) {
      linkSync(original, join(folder, `${createUuid(number)}.jsonl`))
    }
    // In a separate process, which ends with the test.
    const onStart = (child: ChildProcess) => onTestFinished(() => void child.kill('SIGKILL'))
    const { stdout } = await startPrecis(home, ['sessions', '--json'], { onStart })
    const { sessions } = JSON.parse(stdout)
    expect(sessions).toHaveLength(300)
    expect(sessions[0]).toMatchObject({ firstPrompt: 'Fix the tax in cart.ts', tokens: 1160 })
  })

  test('takes words, agents, a project, ages and sizes, and counts those that match', async () => {
    writeBoth()
    const list = async (...words: string[]) => {
      return (await runJson(home, ['sessions', ...words])).sessions.map(
        ({ agent }: { agent: string }) => agent,
      )
    }
    expect(await list('TAX', 'cart')).toEqual(['claude-code'])
    expect(await list('shop tax')).toEqual(['claude-code', 'codex'])
    expect(await list('--agent', 'claude')).toEqual(['claude-code'])
    expect(await list('--agent', 'codex', '--agent', 'gemini')).toEqual(['codex'])
    expect(await list('--project', '/work')).toEqual(['claude-code', 'codex'])
    expect(await list('--project', '/work/sho')).toEqual([])
    expect(await list('--newer-than', '7d')).toEqual([])
    expect(await list('--older-than', '1970-06-01')).toEqual(['claude-code', 'codex'])
    expect(await list('--larger-than', '5k')).toEqual(['codex'])
    expect(await list('--sort', 'tokens')).toEqual(['codex', 'claude-code'])
    expect(await list('--sort', 'size', '--limit', '1')).toEqual(['claude-code'])
  })

  test('takes "." as the folder it runs in, with those below it', async () => {
    const project = join(home, 'shop')
    const [here, below, beside] = [1, 2, 3].map(createUuid) as [string, string, string]
    const folders = {
      [here]: project,
      [below]: join(project, 'api'),
      [beside]: join(home, 'shopping'),
    }
    for (const [sessionId, workingDirectory] of Object.entries(folders)) {
      const path = join(home, '.claude', 'projects', '-p', `${sessionId}.jsonl`)
      writeFixture(path, createClaudeSession({ sessionId, workingDirectory }))
    }
    mkdirSync(project)
    const found = (
      await runJson(home, ['sessions', '--project', '.'], {
        directory: project,
      })
    ).sessions.map(({ sessionId }: { sessionId: string }) => sessionId)
    expect(found.sort()).toEqual([here, below])
  })

  test('searches what was said and shows where, until there are enough', async () => {
    writeBoth()
    const said = 'NOW adds 20 %'
    const { stdout } = await runPrecis(home, ['sessions', '--search', said])
    expect(stdout).toMatch(/aaaaaaaa .+\n +6: Done: cart0\.ts now adds 20 % to price0\.\n/)
    expect(stdout).toContain('… 9 more places')
    expect(stdout).not.toContain('codex')
    const json = await runPrecis(home, ['sessions', '--search', 'cart', '--limit', '1', '--json'])
    const { sessions } = JSON.parse(json.stdout)
    expect(sessions).toHaveLength(1)
    expect(sessions[0].found.count).toBeGreaterThan(12)
    expect(sessions[0].found.places).toHaveLength(3)
    expect((await runPrecis(home, ['sessions', '--search', ' '])).code).toBe(2)
  })

  test('says that nothing matches, and leaves with 0', async () => {
    writeBoth()
    for (const words of [['nonsense'], ['--search', 'nonsense'], ['--newer-than', '1h']]) {
      const { code, stdout, stderr } = await runPrecis(home, ['sessions', ...words])
      expect(code).toBe(0)
      expect(stdout).toBe('')
      expect(stderr).toContain('None of 2 sessions matches')
    }
    expect(await runJson(home, ['sessions', 'nonsense'])).toEqual({ sessions: [] })
  })

  test.each([
    ['--agent', 'windsurf', 'claude-code, codex'],
    ['--newer-than', 'soon', '7d'],
    ['--larger-than', 'much', '50k'],
    ['--limit', '0', '1 to'],
    ['--sort', 'name', 'modified, size, tokens'],
  ])('refuses %s %s and says what it takes', async (option, value, hint) => {
    const { code, stderr } = await runPrecis(home, ['sessions', option, value])
    expect(code).toBe(2)
    expect(stderr).toContain(hint)
  })

  test('marks what precis made with what it was made from, by the archive or the file beside it', {
    tags: 'slow',
  }, async () => {
    writeBoth()
    const listMade = async () => {
      return (await runJson(home, ['sessions'])).sessions.filter(
        ({ madeFrom }: { madeFrom: unknown }) => madeFrom !== null,
      )
    }
    expect(await listMade()).toEqual([])
    expect(existsSync(join(home, '.local', 'share', 'precis'))).toBe(false)
    const options = ['--budget', '60%', '--json']
    const compressed = JSON.parse(
      (await runPrecis(home, ['compress', CLAUDE_ID, ...options])).stdout,
    )
    const clone = ['clone', CLAUDE_ID, '--tools', 'remove:100', '--no-archive', '--json']
    expect((await runPrecis(home, clone)).code).toBe(0)
    const made = await listMade()
    expect(made).toHaveLength(2)
    const origin = {
      sessionId: CLAUDE_ID,
      path: join(home, '.claude', 'projects', '-work-shop', `${CLAUDE_ID}.jsonl`),
    }
    for (const session of made) expect(session.madeFrom).toMatchObject(origin)
    expect(
      made.map(({ madeFrom }: { madeFrom: { command: string } }) => madeFrom.command).sort(),
    ).toEqual(['clone', 'compress'])
    expect(made.map(({ path }: { path: string }) => path)).toContain(compressed.output)
    // Only precis has counted it, and keeps the count in the archive.
    expect(made.find(({ path }: { path: string }) => path === compressed.output)).toMatchObject({
      tokens: compressed.after.tokens + (compressed.notInFileTokens ?? 0),
      tokensAreEstimated: true,
    })
    const { stdout } = await runPrecis(home, ['sessions'])
    expect(stdout).toContain('made from')
    expect(stdout).toMatch(/ ~[\d,]+ .*└ \(compressed\)/)
    // Both are below their original, with a label.
    const lines = stdout.trimEnd().split('\n')
    const place = lines.findIndex((line) => !line.includes('└') && line.includes(' claude-code '))
    expect(
      lines.slice(place + 1, place + 3).filter((line) => /└ \((?:compressed|clone)/.test(line)),
    ).toHaveLength(2)
    expect(stdout).toContain(CLAUDE_ID.slice(0, 13))
  })

  test('lists the sessions when the archive is damaged, and says that marks may be missing', async () => {
    writeBoth()
    writeFixture(join(home, 'damaged.db'), 'no database '.repeat(1000))
    const { code, stdout, stderr } = await runPrecis(home, [
      'sessions',
      '--json',
      '--database',
      join(home, 'damaged.db'),
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).sessions).toHaveLength(2)
    expect(stderr).toContain('may not be marked')
  })

  test('keeps to the width of the terminal', async () => {
    writeBoth()
    for (const columns of [40, 60, 80, 120]) {
      const { stdout } = await runPrecis(home, ['sessions'], {
        environment: { COLUMNS: String(columns) },
      })
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
      expect(stdout).toContain('title')
    }
  })
})
