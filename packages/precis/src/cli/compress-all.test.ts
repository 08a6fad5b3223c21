import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { describeFiles, listFiles, writeSessions } from '../compression/home.suite.ts'
import { createHome, startPrecis, writeFixture } from './command.suite.ts'

const AGENTS = ['claude-code', 'codex', 'gemini-cli', 'pi', 'opencode']
const ALL = ['compress', '--all', '--larger-than', '1000', '--jobs', '2']

let home: string
let paths: string[]

beforeEach(() => {
  home = createHome()
  paths = writeSessions(home, 1)
})

interface Told {
  readonly agent: string
  readonly input: string
  readonly output?: string
  readonly outcome: string
  readonly reason?: string
  readonly problems?: readonly string[]
}

async function compressAll(words: readonly string[] = []) {
  const result = await startPrecis(home, [...ALL, '--json', ...words])
  const report: { sessions: Told[]; compressed: number; skipped: number; failed: number } =
    JSON.parse(result.stdout)
  return { ...result, report }
}

describe('compress --all', () => {
  test('makes a smaller session of every one of five agents and touches no original', {
    tags: 'slow',
  }, async () => {
    const before = describeFiles(paths)
    const { code, report, stderr } = await compressAll()
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(report).toMatchObject({ compressed: 5, skipped: 0, failed: 0 })
    expect(report.sessions.flatMap(({ problems }) => problems)).toEqual([])
    expect(new Set(report.sessions.map(({ agent }) => agent))).toEqual(new Set(AGENTS))
    expect(describeFiles(paths)).toEqual(before)
    const checked = report.sessions.map(({ output = '' }) => startPrecis(home, ['check', output]))
    expect((await Promise.all(checked)).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    const listed = JSON.parse((await startPrecis(home, ['sessions', '--json'])).stdout)
    expect(listed.sessions).toHaveLength(10)
  })

  test('finds everything done when it runs again, and does again what was deleted or has changed', {
    tags: 'slow',
  }, async () => {
    const { report: first } = await compressAll()
    const { code, report: second } = await compressAll()
    expect(code).toBe(0)
    expect(second).toMatchObject({ compressed: 0, skipped: 10 })
    expect(new Set(second.sessions.map(({ reason }) => reason))).toEqual(
      new Set(['done-already', 'written-by-precis']),
    )
    const deleted = first.sessions.find(({ agent }) => agent === 'codex')
    rmSync(deleted?.output ?? '')
    const claude = paths[0] ?? ''
    appendFileSync(claude, readFileSync(claude, 'utf8').split('\n').slice(-3).join('\n'))
    utimesSync(claude, 1000, 1000)
    const { report: third } = await compressAll()
    const inputs = third.sessions
      .filter(({ outcome }) => outcome === 'compressed')
      .map(({ input }) => input)
    expect(new Set(inputs)).toEqual(new Set([deleted?.input, claude]))
  })

  test('makes a smaller session of a fork of Codex that refers to its thread, which undo finds again', {
    tags: 'slow',
  }, async () => {
    const thread = paths.find((path) => path.includes('.codex')) ?? ''
    const [head = '', ...lines] = readFileSync(thread, 'utf8').trimEnd().split('\n')
    const { payload, ...meta } = JSON.parse(head)
    const id = payload.id.replace(/^.{8}/, 'f0f0f0f0')
    const base = [head, ...lines.slice(0, -4)].map((line) => `${line}\n`).join('')
    const named = { thread_id: payload.id, end_byte_offset: Buffer.byteLength(base) }
    const own = { ...meta, payload: { ...payload, id, history_base: named } }
    const fork = thread.replace(payload.id, id)
    expect(fork).not.toBe(thread)
    writeFileSync(fork, `${[JSON.stringify(own), ...lines.slice(-4)].join('\n')}\n`)
    utimesSync(fork, 1000, 1000)
    const { report } = await compressAll(['--agent', 'codex'])
    const made = report.sessions.find(({ input }) => input === fork)
    expect(made).toMatchObject({ outcome: 'compressed' })
    const undone = await startPrecis(home, ['undo', made?.output ?? '', '--json'])
    expect(JSON.parse(undone.stdout)).toMatchObject({ action: 'original', output: fork })
    rmSync(thread)
    const alone = await startPrecis(home, ['undo', made?.output ?? '', '--json'])
    expect(JSON.parse(alone.stdout)).toMatchObject({ action: 'put-back', originalMessages: 48 })
  })

  test.each([
    ['without an archive', ['--no-archive']],
    ['with an archive elsewhere', ['--database', 'other.db']],
  ])('knows its own results %s', { tags: 'slow' }, async (_, words) => {
    await compressAll(words)
    const { report } = await compressAll(words)
    expect(report).toMatchObject({ compressed: 0, skipped: 10 })
    const { report: other } = await compressAll([...words, '--budget', '30%'])
    expect(other).toMatchObject({ compressed: 5, skipped: 5 })
  })

  test('compresses a result again once somebody went on with it', { tags: 'slow' }, async () => {
    const { report } = await compressAll(['--agent', 'claude-code'])
    const { output = '' } = report.sessions[0] ?? {}
    const lines = readFileSync(output, 'utf8')
    appendFileSync(output, lines.slice(lines.indexOf('\n') + 1))
    const { report: again } = await compressAll([
      '--agent',
      'claude-code',
      '--older-than',
      '2100-01-01',
    ])
    expect(again.sessions.find(({ input }) => input === output)?.outcome).toBe('compressed')
  })

  test('takes one that was compressed alone with the same settings for done', {
    tags: 'slow',
  }, async () => {
    await startPrecis(home, ['compress', paths[0] ?? ''])
    const { report } = await compressAll(['--agent', 'claude-code'])
    expect(report.sessions.find(({ input }) => input === paths[0])).toMatchObject({
      reason: 'done-already',
    })
  })

  test('leaves alone what is small, in use, of another agent or of another folder', {
    tags: 'slow',
  }, async () => {
    const now = new Date()
    utimesSync(paths[0] ?? '', now, now)
    const { report } = await compressAll(['--agent', 'claude-code', '--agent', 'codex'])
    expect(report).toMatchObject({ compressed: 1, skipped: 1 })
    expect(report.sessions.find(({ input }) => input === paths[0])?.reason).toBe('in-use')
    expect(
      (await compressAll(['--larger-than', '900k'])).report.sessions.map(({ reason }) => reason),
    ).not.toContain(undefined)
    expect((await compressAll(['--project', '/elsewhere'])).report.sessions).toEqual([])
  })

  test('goes on when one session cannot be read or cannot fit, and says which', {
    tags: 'slow',
  }, async () => {
    const broken = paths[0] ?? ''
    const text = readFileSync(broken, 'utf8')
    rmSync(broken)
    writeFixture(broken, text.replaceAll('"type"', '"kind"'))
    utimesSync(broken, 1000, 1000)
    const { code, report } = await compressAll()
    expect(code).toBe(1)
    expect(report).toMatchObject({ compressed: 4, failed: 1 })
    expect(report.sessions.find(({ outcome }) => outcome === 'failed')?.input).toBe(broken)
    const small = await compressAll(['--budget', '5'])
    expect(small.code).toBe(1)
    expect(small.report.compressed).toBe(0)
  })

  test('writes nothing in a dry run, and tells of every session', { tags: 'slow' }, async () => {
    const before = listFiles(home)
    const { stdout, code } = await startPrecis(home, [...ALL, '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('Dry run: nothing was written.')
    expect(stdout.match(/^ {2}compressed/gm)).toHaveLength(5)
    expect(listFiles(home)).toEqual(before)
  })

  test('is the same in two processes at once: nothing is done twice', {
    tags: 'slow',
  }, async () => {
    const results = await Promise.all([compressAll(), compressAll()])
    const outputs = results.flatMap(({ report }) =>
      report.sessions.flatMap(({ output }) => output ?? []),
    )
    expect(outputs).toHaveLength(5)
    expect(new Set(outputs).size).toBe(5)
    expect(readdirSync(join(home, '.local', 'share', 'precis', 'locks'))).toEqual([])
  })

  test.each([
    ['a session beside it', ['compress', 'abc', '--all'], 'not both'],
    ['--out', ['compress', '--all', '--out', 'x'], '--out'],
    ['a filter without it', ['compress', 'abc', '--agent', 'pi'], '--all'],
    ['an agent that is none', ['compress', '--all', '--agent', 'cobol'], 'claude-code'],
    ['an age that is none', ['compress', '--all', '--older-than', 'old'], '7d'],
    ['no jobs', ['compress', '--all', '--jobs', '0'], 'whole number'],
    ['a queue without its database', ['compress', '--all', '--queue'], '--database postgres://'],
  ])('refuses %s', async (_, words, hint) => {
    const { code, stderr } = await startPrecis(home, words)
    expect(code).toBe(2)
    expect(stderr).toContain(hint)
  })
})
