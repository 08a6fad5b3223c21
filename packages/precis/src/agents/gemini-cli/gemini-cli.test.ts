import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { findLineagePath } from '../../sessions/lineage.ts'
import { type NewPlace, placeSession } from '../../sessions/place-session.ts'
import { geminiCli } from './gemini-cli.ts'

let folder: string
let root: string
let environment: NodeJS.ProcessEnv

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-gemini-'))
  root = join(folder, '.gemini', 'tmp')
  mkdirSync(root, { recursive: true })
  environment = { GEMINI_CLI_HOME: folder }
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (request: NewPlace) => placeSession(request, environment)

const ID = '1fe6fa35-1dce-4c75-9e0b-683dc14efcbf'
const HEADER = { sessionId: ID, projectHash: 'x' }
const SURROUNDINGS = {
  id: 's',
  type: 'user',
  content: [{ text: '<session_context>\nx</session_context>' }],
}
const tokens = { input: 1000, cached: 400, output: 10, thoughts: 5, tool: 0, total: 1015 }
const MESSAGES = [
  { id: 'c', type: 'user', content: '/stats' },
  { id: 'u', type: 'user', content: [{ text: ' find the bug ' }] },
  { id: 'g', type: 'gemini', content: 'I', model: 'gemini-2.5-pro' },
]
const ANSWER = {
  id: 'g',
  type: 'gemini',
  content: 'It is in a.ts.',
  model: 'gemini-2.5-pro',
  tokens,
}
const LOG = [HEADER, { $set: { messages: [SURROUNDINGS] } }, ...MESSAGES, ANSWER, ANSWER]
const BODY = JSON.stringify(
  { ...HEADER, messages: [SURROUNDINGS, ...MESSAGES.slice(0, 2), ANSWER] },
  undefined,
  2,
)

const toLog = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const toSource = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return {
    byteLength: bytes.length,
    read: (start: number, end: number) => bytes.subarray(start, end),
  }
}

function write(project: string, name: string, text: string): string {
  const folder = join(root, project, 'chats')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe.each([
  ['a log', toLog(LOG), true],
  ['one object', BODY, false],
])('a chat that is %s', (_, text, expected) => {
  test('is told from the other', () => {
    expect(geminiCli.isLog(toSource(text))).toBe(expected)
  })

  test('tells its id, what was asked first, and what was billed once for each answer', () => {
    expect(geminiCli.readHead(toSource(text))).toMatchObject({
      sessionId: ID,
      firstPrompt: 'find the bug',
    })
    expect(geminiCli.readRequests(toSource(text))).toMatchObject([
      { input: 600, cachedInput: 400, output: 15 },
    ])
  })

  test('is listed with the directory of its project and the size of its context', () => {
    const path = write(
      'app',
      `session-2026-11-21T18-27-1fe6fa35.${expected ? 'jsonl' : 'json'}`,
      text,
    )
    writeFileSync(join(root, 'app', '.project_root'), '/work/app\n')
    const [file] = listSessionFiles([geminiCli], environment)
    expect(file && describeSession(file)).toMatchObject({
      id: ID,
      path,
      workingDirectory: '/work/app',
      firstPrompt: 'find the bug',
      contextTokens: 1015,
    })
  })
})

describe('chats in a folder', () => {
  test('are one for each session: no empty starts, no older form of a log, nothing of sub-agents', () => {
    write('app', 'session-2026-11-20T18-27-1fe6fa35.json', BODY)
    const log = write('app', 'session-2026-11-20T18-27-1fe6fa35.jsonl', toLog(LOG))
    write('app', 'session-2026-11-21T18-27-1fe6fa35.jsonl', toLog([HEADER]))
    const other = write('web', 'session-2026-11-21T18-27-1fe6fa35.jsonl', toLog([HEADER]))
    write('app/chats/x', 'session-2026-11-21T18-27-22222222.jsonl', toLog(LOG))
    write('app', `session-${ID}.jsonl`, toLog(LOG))
    expect(
      listSessionFiles([geminiCli], environment)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([log, other].sort())
  })

  test('keep their lineage where Gemini CLI does not take it for a chat', () => {
    expect(findLineagePath('/a/chats/session-2026-11-21T18-27-1fe6fa35.jsonl')).toBe(
      '/a/chats/.session-2026-11-21T18-27-1fe6fa35.precis.json',
    )
  })
})

describe('place of a new chat', () => {
  const time = new Date('2026-11-21T18:27:44Z')
  const request = () => ({
    agent: geminiCli,
    sessionId: ID,
    time,
    originalPath: undefined,
    workingDirectory: '/work/My App',
  })

  test('is beside the original, in the same form, under the minute before: a resume begins a file under its own', () => {
    const body = write('old', 'session-2026-01-01T00-00-33333333.json', BODY)
    expect(place({ ...request(), originalPath: body })).toEqual({
      path: join(root, 'old', 'chats', 'session-2026-11-21T18-26-1fe6fa35.json'),
      resumeCommand: `cd '/work/My App' && gemini --resume ${ID}`,
    })
    const log = write('old', 'session-2026-01-01T00-00-44444444.jsonl', toLog(LOG))
    expect(place({ ...request(), originalPath: log }).path).toMatch(/\.jsonl$/)
    const long = { id: 'u', type: 'user', content: 'x'.repeat(1 << 20) }
    const begun = toLog([{ ...HEADER, messages: [long] }, ANSWER])
    const resumed = write('old', 'session-2026-01-01T00-00-55555555.jsonl', begun)
    expect(place({ ...request(), originalPath: resumed }).path).toMatch(/\.jsonl$/)
    expect(geminiCli.readRequests(toSource(begun))).toHaveLength(1)
  })

  test('is the folder whose marker names the directory', () => {
    write('my-app', 'x', '')
    writeFileSync(join(root, 'my-app', '.project_root'), '/elsewhere/my-app')
    write('my-app-1', 'x', '')
    writeFileSync(join(root, 'my-app-1', '.project_root'), '/work/My App')
    expect(place(request()).path).toBe(
      join(root, 'my-app-1', 'chats', 'session-2026-11-21T18-26-1fe6fa35.jsonl'),
    )
  })

  test('is the folder that Gemini CLI would name after the directory when it has none yet', () => {
    expect(place(request()).path).toContain(join(root, 'my-app', 'chats'))
    write('my-app', 'x', '')
    expect(place(request()).path).toContain(join(root, 'my-app-1', 'chats'))
    expect(place({ ...request(), workingDirectory: '/..' }).path).toContain(
      join(root, 'project', 'chats'),
    )
  })

  test('a marker that is no path is nobody’s', () => {
    const path = write('app', 'session-2026-11-21T18-27-1fe6fa35.jsonl', toLog(LOG))
    writeFileSync(join(root, 'app', '.project_root'), '-rf')
    const [file] = listSessionFiles([geminiCli], environment)
    expect(file && describeSession(file).workingDirectory).toBe(undefined)
    expect(readFileSync(path, 'utf8')).toBe(toLog(LOG))
  })
})
