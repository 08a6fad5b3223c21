import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { cursor } from '../agents/cursor/cursor.ts'
import { quoteForShell } from '../agents/shared/session-files.ts'
import { type NewPlace, placeSession } from './place-session.ts'

const place = (request: NewPlace) => placeSession(request, { CLAUDE_CONFIG_DIR: '/home/x/.claude' })
const request = {
  agent: claudeCode,
  sessionId: 'the-id',
  time: new Date(0),
  originalPath: undefined,
}

describe('place of a new session', () => {
  test('is the folder that Claude Code names after the directory', () => {
    const { path } = place({ ...request, workingDirectory: '/Users/me/My_project.v2' })
    expect(path).toBe('/home/x/.claude/projects/-Users-me-My-project-v2/the-id.jsonl')
  })

  test('has a hash in the name of the folder when that would be longer than 200 characters', () => {
    const { path } = place({ ...request, workingDirectory: `/${'a'.repeat(250)}` })
    expect(path).toMatch(/^\/home\/x\/\.claude\/projects\/-a{199}-[0-9a-z]{1,7}\/the-id\.jsonl$/)
  })

  test('never leaves the home of the agent, whatever the session says', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(fc.string(), (directory) => {
        const { path } = place({ ...request, workingDirectory: `/${directory}` })
        return /^\/home\/x\/\.claude\/projects\/[a-zA-Z0-9-]+\/the-id\.jsonl$/.test(path)
      }),
    )
  })

  test('is resumed where the original began, if the agent has gone to a folder below since', () => {
    const originalPath = '/home/x/.claude/projects/-work-my-app/one.jsonl'
    const moved = { ...request, originalPath, workingDirectory: '/work/my app/src/a' }
    expect(place(moved).resumeCommand).toBe("cd '/work/my app' && claude --resume the-id")
    const other = { ...moved, workingDirectory: '/other' }
    expect(place(other).resumeCommand).toBe('cd /other && claude --resume the-id')
  })

  test('does not go to a directory that is not absolute', () => {
    expect(place({ ...request, workingDirectory: '-rf' }).resumeCommand).toBe(
      'claude --resume the-id',
    )
  })

  test('of an agent whose sessions are only read is refused with the command that continues it', () => {
    const home = mkdtempSync(join(tmpdir(), 'precis-place-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    mkdirSync(join(home, 'sessions'))
    const onlyRead = {
      ...request,
      agent: cursor,
      originalPath: "/x/it's.jsonl",
      workingDirectory: undefined,
    }
    const environment = { CLAUDE_CONFIG_DIR: join(home, 'missing'), CODEX_HOME: home }
    expect(() => placeSession(onlyRead, environment)).toThrow(
      `Continue it in Codex: precis compress '/x/it'\\''s.jsonl' --to codex`,
    )
  })
})

describe('the list of Codex', () => {
  const newSession = {
    sessionId: 'the-id',
    title: 'Fix the tax (compressed)',
    timestamp: '2026-04-01T10:00:00.000Z',
  }
  const named =
    '{"id":"the-id","thread_name":"Fix the tax (compressed)","updated_at":"2026-04-01T10:00:00.000Z"}\n'
  let folder: string
  const readIndex = () => readFileSync(join(folder, 'session_index.jsonl'), 'utf8')
  const list = () =>
    codex.register?.(join(folder, 'sessions/the-id.jsonl'), newSession, { CODEX_HOME: folder })

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'precis-codex-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('gets the title as the name of the thread, and is made where there is none', () => {
    expect(list()).toBeUndefined()
    expect(readIndex()).toBe(named)
  })

  test('keeps every name that is there, also behind a write that never ended', () => {
    for (const before of ['{"id":"a","thread_name":"My own"}\n', '{"id":"a","thread_na']) {
      writeFileSync(join(folder, 'session_index.jsonl'), before)
      expect(list()).toBeUndefined()
      expect(readIndex()).toBe(`${before.trimEnd()}\n${named}`)
    }
  })

  test('is no reason to fail: what is wrong is told', () => {
    mkdirSync(join(folder, 'session_index.jsonl'))
    expect(list()).toMatch(/^Codex lists it without a name: writing ".*" failed, it is a folder$/)
    rmSync(join(folder, 'session_index.jsonl'), { recursive: true })
    execFileSync('mkfifo', [join(folder, 'session_index.jsonl')])
    expect(list()).toMatch(/^Codex lists it without a name: ".*" is no file$/)
  })
})

describe('quoting for a shell', () => {
  test.each([
    "it's",
    'a b',
    '$(rm -rf ~)',
    '`x`',
    'a\nb',
    '\u001b[31m',
    "\u0007'\\",
    'plain/path',
    'ünï',
    '"',
  ])('gives one word that bash reads as %j, without control characters', (text) => {
    const quoted = quoteForShell(text)
    expect(/\p{Cc}/u.test(quoted)).toBe(false)
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } } as const
    expect(execFileSync('bash', ['-c', `printf %s ${quoted}`], options)).toBe(text)
  })
})
