import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import type { DescribedSession } from './describe-session.ts'
import { filterSessions, type SessionFilter } from './filter-sessions.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'precis-filter-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function createSession(id: string, more: Partial<DescribedSession> = {}): DescribedSession {
  return {
    agent: claudeCode,
    id,
    shortId: id,
    path: `/sessions/${id}.jsonl`,
    bytes: 100,
    modified: new Date(2026, 10, 10),
    workingDirectory: '/work/shop',
    firstPrompt: 'Fix the tax in cart.ts',
    title: undefined,
    contextTokens: 1000,
    ...more,
  }
}

const SESSIONS = [
  createSession('a1'),
  createSession('b2', { agent: codex, modified: new Date(2026, 10, 20), title: 'Der Große Umbau' }),
  createSession('c3', { workingDirectory: '/work/shop/api', contextTokens: undefined }),
  createSession('d4', { workingDirectory: '/work/shopping', contextTokens: 200_000 }),
  createSession('e5', { workingDirectory: undefined, firstPrompt: undefined }),
]

const filterIds = (filter: SessionFilter) => filterSessions(SESSIONS, filter).map(({ id }) => id)

describe('a filter of sessions', () => {
  test.each<[string, SessionFilter, string[]]>([
    ['nothing takes all, in their order', {}, ['a1', 'b2', 'c3', 'd4', 'e5']],
    ['agents', { agents: [codex] }, ['b2']],
    ['no agent takes none', { agents: [] }, []],
    ['newer', { newerThan: new Date(2026, 10, 15) }, ['b2']],
    ['older', { olderThan: new Date(2026, 10, 15) }, ['a1', 'c3', 'd4', 'e5']],
    [
      'a project with its folders, and not its neighbour',
      { project: '/work/shop' },
      ['a1', 'b2', 'c3'],
    ],
    ['a project with a slash at its end', { project: '/work/shop/' }, ['a1', 'b2', 'c3']],
    ['the root has all that tell their folder', { project: '/' }, ['a1', 'b2', 'c3', 'd4']],
    [
      'larger, which what was not counted is not',
      { largerThanTokens: 999 },
      ['a1', 'b2', 'd4', 'e5'],
    ],
    ['words in any order and case', { words: ['TAX', 'fix'] }, ['a1', 'b2', 'c3', 'd4']],
    ['words of the title', { words: ['große'] }, ['b2']],
    ['words of id, agent and project', { words: ['d4', 'claude', 'shopping'] }, ['d4']],
    ['several words in one', { words: ['fix umbau'] }, ['b2']],
    [
      'everything at once',
      { agents: [codex], project: '/work', words: ['cart'], largerThanTokens: 1 },
      ['b2'],
    ],
  ])('by %s', (_, filter, ids) => {
    expect(filterIds(filter)).toEqual(ids)
  })

  test('knows a project by each of its names', () => {
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    const sessions = ['real', 'link'].map((name) =>
      createSession(name, { workingDirectory: join(folder, name, 'src') }),
    )
    expect(filterSessions(sessions, { project: join(folder, 'link') }).map(({ id }) => id)).toEqual(
      ['real', 'link'],
    )
    expect(filterSessions(sessions, { project: join(folder, 'gone') })).toEqual([])
  })

  test('opens no file for what the folder tells', () => {
    const files = [
      { agent: codex, id: 'x', shortId: 'x', path: '/nowhere', bytes: 1, modified: new Date(0) },
    ] as const
    expect(filterSessions(files, { agents: [codex] })).toEqual(files)
    expect(filterSessions(files, { words: ['x'] })).toEqual(files)
    expect(filterSessions(files, { project: '/' })).toEqual([])
  })
})
