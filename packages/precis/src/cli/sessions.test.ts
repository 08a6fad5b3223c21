import { linkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'
import { findUniquePrefixes } from './sessions.ts'

const CLAUDE_ID = 'aaaaaaaa-1111-4222-8333-444444444444'
const CODEX_ID = 'aaaaaaab-2222-7222-8333-444444444444'

let home: string

beforeEach(() => {
  home = createHome()
})

function writeBoth(): void {
  const claude = join(home, '.claude', 'projects', '-work-shop', `${CLAUDE_ID}.jsonl`)
  writeFixture(claude, createClaudeSession({ sessionId: CLAUDE_ID }))
  const codex = join(home, '.codex', 'sessions', '2026', '04', '01', `rollout-2026-04-01T10-00-00-${CODEX_ID}.jsonl`)
  writeFixture(codex, createCodexSession({ sessionId: CODEX_ID }))
  utimesSync(claude, 2000, 2000)
  utimesSync(codex, 1000, 1000)
}

describe('sessions', () => {
  test('lists the sessions of all agents, newest first', async () => {
    writeBoth()
    writeFixture(join(home, '.claude', 'projects', '-work-shop', 'agent-1234.jsonl'), '{}\n')
    const { code, stdout } = await runPrecis(home, ['sessions', '--json'])
    expect(code).toBe(0)
    const { sessions } = JSON.parse(stdout)
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
    const environment = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere'), CODEX_HOME: join(home, 'codex') }
    const { stdout } = await runPrecis(home, ['sessions', '--json'], { environment })
    const { sessions } = JSON.parse(stdout)
    expect(sessions.map(({ path }: { path: string }) => path).sort()).toEqual([codex, claude].sort())
    expect((await runPrecis(home, ['inspect', createUuid(2), '--json'], { environment })).code).toBe(0)
    expect((await runPrecis(home, ['inspect', CODEX_ID], { environment })).code).not.toBe(0)
  })

  test('shows ids long enough to name one session', async () => {
    writeBoth()
    const { stdout } = await runPrecis(home, ['sessions'])
    expect(stdout).toContain('aaaaaaaa  ')
    expect(stdout).toContain('aaaaaaab  ')
    expect([...findUniquePrefixes(['00000000-1', '00000000-2', 'ffffffff-1']).values()]).toEqual([
      '00000000-1',
      '00000000-2',
      'ffffffff',
    ])
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

  test('reads only the ends of the files: 300 sessions of 1 MB in less than 3 s', async () => {
    const large = createClaudeSession({ sessionId: createUuid(1), turns: 120, linesPerRead: 100 })
    expect(large.length).toBeGreaterThan(900_000)
    const folder = join(home, '.claude', 'projects', '-work-shop')
    const original = writeFixture(join(folder, `${createUuid(1)}.jsonl`), large)
    for (let number = 2; number <= 300; number++) {
      linkSync(original, join(folder, `${createUuid(number)}.jsonl`))
    }
    const started = performance.now()
    const { stdout } = await runPrecis(home, ['sessions', '--json'])
    expect(performance.now() - started).toBeLessThan(3000)
    expect(JSON.parse(stdout).sessions).toHaveLength(300)
  })
})
