import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { pi } from '../agents/pi/pi.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { describeSession } from './describe-session.ts'
import { findSessionPath, isFileOf, listSessionFiles } from './find-sessions.ts'

const createId = (number: number) =>
  `${String(number).padStart(8, '0')}-1111-4222-8333-444444444444`

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'precis-find-'))
  vi.stubEnv('HOME', home)
  for (const name of [
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'XDG_DATA_HOME',
    'XDG_CONFIG_HOME',
    'GEMINI_CLI_HOME',
  ]) {
    vi.stubEnv(name, '')
  }
  for (const name of ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR']) vi.stubEnv(name, '')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

function write(...names: string[]): string {
  const path = join(home, ...names)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{}\n')
  return path
}

const listPaths = (agents?: Agent[], environment?: NodeJS.ProcessEnv) =>
  listSessionFiles(agents, environment).map(({ path }) => path)

describe('the sessions of agents', () => {
  test('are found through links, each once, and by the path that is no link', () => {
    const path = write('.claude', 'projects', '-real', `${createId(1)}.jsonl`)
    const other = write('elsewhere', '-moved', `${createId(2)}.jsonl`)
    symlinkSync(
      join(home, '.claude', 'projects', '-real'),
      join(home, '.claude', 'projects', '-also'),
    )
    symlinkSync(join(home, 'elsewhere', '-moved'), join(home, '.claude', 'projects', '-moved'))
    symlinkSync(other, join(home, '.claude', 'projects', '-real', `${createId(2)}.jsonl`))
    const paths = listPaths([claudeCode])
    expect(paths).toHaveLength(2)
    expect(paths).toContain(path)
    expect(findSessionPath('00000001')).toBe(path)
  })

  test('are found where links go in a circle or nowhere', () => {
    const path = write('.claude', 'projects', '-real', `${createId(1)}.jsonl`)
    const projects = join(home, '.claude', 'projects')
    symlinkSync(projects, join(projects, '-circle'))
    symlinkSync(join(projects, '-self'), join(projects, '-self'))
    symlinkSync(join(projects, 'gone'), join(projects, '-real', `${createId(3)}.jsonl`))
    expect(listPaths([claudeCode])).toEqual([path])
  })

  test.skipIf(process.getuid?.() === 0)(
    'are found beside folders that may not be read (skipped for root)',
    () => {
      const path = write('.claude', 'projects', '-open', `${createId(1)}.jsonl`)
      const closed = dirname(write('.claude', 'projects', '-closed', `${createId(2)}.jsonl`))
      chmodSync(closed, 0)
      expect(listPaths([claudeCode])).toEqual([path])
      chmodSync(closed, 0o700)
    },
  )

  test('may be gone or a folder when they are described', () => {
    const path = write('.claude', 'projects', '-work', `${createId(1)}.jsonl`)
    const [file] = listSessionFiles([claudeCode])
    rmSync(path)
    expect(file && describeSession(file)).toMatchObject({
      firstPrompt: undefined,
      contextTokens: undefined,
    })
    mkdirSync(path)
    expect(file && describeSession(file)).toMatchObject({
      firstPrompt: undefined,
      contextTokens: undefined,
    })
    expect(listPaths([claudeCode])).toEqual([])
  })

  test('of pi are found where PI_CODING_AGENT_SESSION_DIR or its settings point, without folders of projects', () => {
    const name = `2026-04-01T10-00-00-000Z_${createId(1)}.jsonl`
    write('.pi', 'agent', 'sessions', '--work--', name)
    const named = write('named', name)
    const set = write('set', name)
    writeFileSync(
      join(home, '.pi', 'agent', 'settings.json'),
      JSON.stringify({ sessionDir: '~/set' }),
    )
    const listPi = (environment: NodeJS.ProcessEnv) => listPaths([pi], environment)
    expect(listPi({})).toEqual([set])
    expect(listPi({ PI_CODING_AGENT_SESSION_DIR: join(home, 'named') })).toEqual([named])
    expect(listPi({ PI_CODING_AGENT_SESSION_DIR: '~/named' })).toEqual([named])
  })

  test('are named by any unique beginning, and a whole id goes before longer ones', () => {
    const one = write('.claude', 'projects', '-work', `${createId(1)}.jsonl`)
    write('.claude', 'projects', '-work', `${createId(2)}.jsonl`)
    expect(findSessionPath('00000001')).toBe(one)
    expect(findSessionPath(createId(1).toUpperCase())).toBe(one)
    expect(() => findSessionPath('0000000')).toThrow(
      /2 sessions start like this, .*:(?:\n {2}[0-9a-f-]{36} {2}claude-code){2}$/,
    )
    const short = write('.local', 'share', 'opencode', 'precis', 'ses_abc.json')
    write('.local', 'share', 'opencode', 'precis', 'ses_abcdef.json')
    expect(findSessionPath('ses_abc')).toBe(short)
  })

  test('of two agents with the same id are both named, with the paths to choose from', () => {
    const paths = [
      write('.claude', 'projects', '-work', `${createId(1)}.jsonl`),
      write(
        '.codex',
        'sessions',
        '2026',
        '04',
        '01',
        `rollout-2026-04-01T10-00-00-${createId(1)}.jsonl`,
      ),
    ]
    for (const path of paths) utimesSync(path, 1000, 1000)
    expect(() => findSessionPath(createId(1))).toThrow(
      '2 sessions have this id. Give the path of one:',
    )
    for (const path of paths) {
      expect(() => findSessionPath(createId(1))).toThrow(path.replace(home, '~'))
      expect(findSessionPath(path)).toBe(path)
    }
  })
})

test('a session in a store is of the file of that store', () => {
  const file = join(home, 'opencode.db')
  writeFileSync(file, '')
  const stored = { path: `${file}#ses_1`, stats: undefined }
  expect(isFileOf(stored, statSync(file))).toBe(true)
  expect(isFileOf({ path: join(home, 'gone.db#ses_1'), stats: undefined }, statSync(file))).toBe(
    false,
  )
  expect(isFileOf({ path: undefined, stats: undefined }, statSync(file))).toBe(false)
})
