import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqlite } from '../../database/sqlite.ts'
import { asObject } from '../../files/lines.ts'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { type NewPlace, placeSession } from '../../sessions/place-session.ts'
import { addToChatIndex } from './chat-index.ts'
import { copilot } from './copilot.ts'

let folder: string
let root: string
let environment: NodeJS.ProcessEnv

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-copilot-'))
  root = join(folder, 'Code')
  environment = { VSCODE_APPDATA: folder }
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (request: NewPlace) => placeSession(request, environment)

const ID = '1fe6fa35-1dce-4c75-9e0b-683dc14efcbf'
const OTHER = '2fe6fa35-1dce-4c75-9e0b-683dc14efcbf'
const answer = { result: { metadata: { promptTokens: 1000, outputTokens: 15 } } }
const request = { requestId: 'r', message: { text: ' find the bug ' }, response: [], ...answer }
const BODY = { version: 3, sessionId: ID, requests: [request] }
const toLog = (entries: readonly object[]) =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
const LOG = toLog([
  { kind: 0, v: { version: 3, sessionId: ID, requests: [] } },
  { kind: 2, k: ['requests'], v: [{ ...request, result: undefined }] },
  { kind: 1, k: ['requests', 0, 'result'], v: answer.result },
])

function write(path: string, text: string): string {
  const file = join(root, 'User', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const writeWorkspace = (folder: string) =>
  write(
    'workspaceStorage/abc/workspace.json',
    JSON.stringify({ folder: pathToFileURL(folder).href }),
  )

describe('chats of VS Code', () => {
  test.each([
    ['a log', 'jsonl', LOG],
    ['one object on a line', 'json', JSON.stringify(BODY)],
    ['one object over many lines', 'json', JSON.stringify(BODY, undefined, 2)],
  ])(
    '%s is listed with its workspace, its first prompt and the size of its context',
    (_, extension, text) => {
      const path = write(`workspaceStorage/abc/chatSessions/${ID}.${extension}`, text)
      writeWorkspace('/work/my app')
      const [file] = listSessionFiles([copilot], environment)
      expect(file && describeSession(file)).toMatchObject({
        agent: copilot,
        id: ID,
        path,
        workingDirectory: '/work/my app',
        firstPrompt: 'find the bug',
        contextTokens: 1015,
      })
    },
  )

  test('are listed once, the log where there are both forms, those of empty windows too, and nothing else', () => {
    const log = write(`workspaceStorage/abc/chatSessions/${ID}.jsonl`, LOG)
    write(`workspaceStorage/abc/chatSessions/${ID}.json`, JSON.stringify(BODY))
    write(`workspaceStorage/abc/chatSessions/${ID}.precis.json`, '{}')
    write(`workspaceStorage/abc/chatEditingSessions/${ID}/state.json`, '{}')
    const empty = write(`globalStorage/emptyWindowChatSessions/${OTHER}.json`, JSON.stringify(BODY))
    const paths = listSessionFiles([copilot], environment).map(({ path }) => path)
    expect(paths.sort()).toEqual([empty, log].sort())
  })

  test('are listed beside folders and files that nobody can open', () => {
    const log = write(`workspaceStorage/abc/chatSessions/${ID}.jsonl`, LOG)
    mkdirSync(join(folder, 'VSCodium'))
    symlinkSync('User', join(folder, 'VSCodium/User'))
    expect(listSessionFiles([copilot], environment).map(({ path }) => path)).toEqual([log])
  })

  test('a workspace on another machine has no directory here', () => {
    write('workspaceStorage/abc/workspace.json', '{"folder":"vscode-remote://ssh/work"}')
    write(`workspaceStorage/abc/chatSessions/${ID}.jsonl`, LOG)
    const [file] = listSessionFiles([copilot], environment)
    expect(file && describeSession(file).workingDirectory).toBeUndefined()
  })

  test('are looked for where VS Code keeps its data', () => {
    expect(copilot.findHome({ VSCODE_PORTABLE: '/p' })).toBe('/p/user-data/User')
    expect(copilot.findHome({ VSCODE_APPDATA: '/d' })).toBe('/d/Code/User')
  })
})

describe('place of a new chat', () => {
  const time = new Date('2026-11-21T18:27:44Z')
  const request = () => ({
    agent: copilot,
    sessionId: OTHER,
    time,
    originalPath: undefined,
    workingDirectory: '/work/my app',
  })

  test('is beside the original, in the same form', () => {
    const original = write(`workspaceStorage/x/chatSessions/${ID}.json`, JSON.stringify(BODY))
    expect(place({ ...request(), originalPath: original })).toEqual({
      path: join(dirname(original), `${OTHER}.json`),
      resumeCommand: `code '/work/my app'`,
    })
  })

  test('is the workspace of the directory, else that of empty windows', () => {
    writeWorkspace('/work/my app')
    expect(place(request()).path).toBe(
      join(root, `User/workspaceStorage/abc/chatSessions/${OTHER}.jsonl`),
    )
    expect(place({ ...request(), workingDirectory: '/elsewhere' }).path).toBe(
      join(root, `User/globalStorage/emptyWindowChatSessions/${OTHER}.jsonl`),
    )
  })
})

describe('the list of chats', () => {
  const newSession = {
    sessionId: OTHER,
    timestamp: '2026-11-21T18:27:44Z',
    title: 'T',
    createId: () => 'x',
  }
  const old = { sessionId: ID, title: 'old', lastMessageDate: 1 }
  const KEY = 'chat.ChatSessionStore.index'

  function createDatabase(index: object | undefined): string {
    const path = write('workspaceStorage/abc/state.vscdb', '')
    const database = openSqlite(path, {})
    database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
    const insert = database.prepare('INSERT INTO ItemTable VALUES (?, ?)')
    if (index) insert.run([KEY, JSON.stringify(index)])
    insert.run(['other', 'kept'])
    database.close()
    return path
  }

  function readRows(path: string): Record<string, unknown> {
    const database = openSqlite(path, { readonly: true })
    const rows = database
      .prepare('SELECT key, value FROM ItemTable')
      .all()
      .map((row) => asObject(row) ?? {})
    database.close()
    return Object.fromEntries(rows.map(({ key, value }) => [String(key), value]))
  }

  const add = () =>
    addToChatIndex(join(root, `User/workspaceStorage/abc/chatSessions/${OTHER}.jsonl`), newSession)

  test('takes one more, keeps the others, and is kept as it was beside it, three times at most', () => {
    const path = createDatabase({ version: 1, entries: { [ID]: old }, future: 1 })
    for (let count = 0; count < 5; count++) expect(add()).toBeUndefined()
    const { [KEY]: index, other } = readRows(path)
    expect(other).toBe('kept')
    const timeMs = Date.parse(newSession.timestamp)
    expect(JSON.parse(String(index))).toMatchObject({
      version: 1,
      future: 1,
      entries: {
        [ID]: old,
        [OTHER]: { sessionId: OTHER, title: 'T', lastMessageDate: timeMs, isEmpty: false },
      },
    })
    const backups = readdirSync(dirname(path)).filter((name) =>
      name.startsWith('state.vscdb.precis-'),
    )
    expect(backups.length).toBeGreaterThan(0)
    expect(backups.length).toBeLessThan(4)
  })

  test('is begun where VS Code has none yet', () => {
    const path = createDatabase(undefined)
    expect(add()).toBeUndefined()
    expect(Object.keys(asObject(JSON.parse(String(readRows(path)[KEY])))?.entries ?? {})).toEqual([
      OTHER,
    ])
  })

  test('of a version that is not known stays as it is', () => {
    const path = createDatabase({ version: 2, entries: {} })
    expect(add()).toMatch(/version/)
    expect(JSON.parse(String(readRows(path)[KEY]))).toEqual({ version: 2, entries: {} })
  })

  test('stays as it is while VS Code runs, or writes', () => {
    const path = createDatabase({ version: 1, entries: {} })
    const before = readFileSync(path)
    writeFileSync(join(root, 'code.lock'), String(process.pid))
    expect(add()).toMatch(/running.*close it\. Then "precis clone/)
    writeFileSync(join(root, 'code.lock'), '999999999')
    const database = openSqlite(path, {})
    database.exec('BEGIN EXCLUSIVE')
    expect(add()).toMatch(/in use/)
    database.exec('ROLLBACK')
    database.close()
    expect(readFileSync(path)).toEqual(before)
  })

  test('without a database there is a reason', () => {
    expect(add()).toMatch(/no ".*state\.vscdb"/)
  })
})
