/** Chats of VS Code with every command, used as by a person. */
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../database/sqlite.ts'
import {
  createHome,
  createUuid,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = createUuid(7)
const KEY = 'chat.ChatSessionStore.index'
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const HOSTILE = '<script>alert(1)</script>\u202e\u0000 日本語 🎉 {"kind":0} __proto__'

function line(number: number, file: string): object {
  const text = `export const value${number} = compute(${number}) // of ${file}\n`
  return { type: 1, ctor: 2, children: [{ type: 2, text, lineBreakBefore: true }] }
}

/**
 * What the agent mode stores for one request: two parallel calls, one more call with an edit, and
 * the answer.
 */
function createRequest(number: number): object {
  const files = [`/work/shop/a${number}.ts`, `/work/shop/b${number}.ts`]
  const ids = files.map((_, index) => `call_${number}_${index}`)
  const edit = `call_${number}_edit`
  const read = (file: string) => ({
    $mid: 20,
    content: [
      {
        $mid: 23,
        value: {
          node: {
            type: 1,
            ctor: 2,
            children: Array.from({ length: 40 }, (_, at) => line(at, file)),
          },
        },
      },
    ],
  })
  const tool = (toolCallId: string) => ({
    kind: 'toolInvocationSerialized',
    toolCallId,
    isComplete: true,
  })
  const response = [
    { kind: 'thinking', value: 'both files', metadata: { toolId: ids[0] } },
    { value: 'I look.' },
    ...ids.map(tool),
    tool(edit),
    { kind: 'undoStop', id: 'u' },
    { kind: 'textEditGroup', uri: { $mid: 1, path: files[0] }, edits: [[{ text: 'secret edit' }]] },
    { value: 'Changed.' },
  ]
  const toolCallRounds = [
    {
      response: 'I look.',
      toolCalls: files.map((filePath, at) => ({
        name: 'read_file',
        arguments: JSON.stringify({ filePath }),
        id: `${ids[at]}__vscode-${number}`,
      })),
      toolInputRetry: 0,
      id: `round-${number}-0`,
      thinking: { id: 't', text: 'both files' },
    },
    {
      response: '',
      toolCalls: [
        {
          name: 'replace_string_in_file',
          arguments: JSON.stringify({
            filePath: files[0],
            oldString: 'value0',
            newString: `total${number}`,
          }),
          id: `${edit}__vscode-${number}`,
        },
      ],
      toolInputRetry: 0,
      id: `round-${number}-1`,
    },
    { response: 'Changed.', toolCalls: [], toolInputRetry: 0, id: `round-${number}-2` },
  ]
  const toolCallResults = Object.fromEntries([
    ...files.map((file, at) => [`${ids[at]}__vscode-${number}`, read(file)]),
    [
      `${edit}__vscode-${number}`,
      {
        $mid: 20,
        content: [
          { $mid: 21, value: HOSTILE },
          { mimeType: 'image/png', data: PNG },
        ],
      },
    ],
  ])
  const text = `Change the tax in file ${number}, and never touch the lock file`
  return {
    requestId: `request_${number}`,
    timestamp: 1767323045000 + number,
    message: {
      text,
      parts: [{ range: { start: 0, endExclusive: text.length }, text, kind: 'text' }],
    },
    variableData: {
      variables: [{ kind: 'image', name: 'screen.png', value: { $mid: 1, data: PNG } }],
    },
    response,
    responseId: `response_${number}`,
    result: {
      metadata: { toolCallRounds, toolCallResults, responseId: `r${number}`, sessionId: ID },
    },
    modelId: 'copilot/gpt-5',
    modelState: { value: number === 3 ? 2 : 1, completedAt: 1767323045000 + number },
  }
}

const FACTS = {
  version: 3,
  creationDate: 1767323045000,
  responderUsername: 'GitHub Copilot',
  sessionId: ID,
}

function createChat(isLog: boolean, requests = 10): string {
  const all = Array.from({ length: requests }, (_, number) => createRequest(number))
  if (!isLog) return JSON.stringify({ ...FACTS, requests: all }, undefined, 2)
  const pushes = all.map((request) => ({ kind: 2, k: ['requests'], v: [request] }))
  const entries = [
    { kind: 0, v: { ...FACTS, requests: [] } },
    ...pushes,
    { kind: 1, k: ['customTitle'], v: 'Taxes' },
  ]
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

function prepare(isLog = true) {
  const home = createHome()
  const data = join(home, '.config', 'Code')
  const workspace = join(data, 'User', 'workspaceStorage', 'abc')
  const text = createChat(isLog)
  const path = writeFixture(join(workspace, 'chatSessions', `${ID}.json${isLog ? 'l' : ''}`), text)
  writeFixture(
    join(workspace, 'workspace.json'),
    JSON.stringify({ folder: pathToFileURL('/work/shop').href }),
  )
  const database = openSqlite(join(workspace, 'state.vscdb'), {})
  database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
  const entry = { sessionId: ID, title: 'Taxes', lastMessageDate: 1 }
  database
    .prepare('INSERT INTO ItemTable VALUES (?, ?)')
    .run([KEY, JSON.stringify({ version: 1, entries: { [ID]: entry } })])
  database.close()
  return { home, data, workspace, text, path }
}

interface ListedChats {
  readonly [id: string]: { readonly title: string }
}

function readListed(workspace: string): ListedChats {
  const database = openSqlite(join(workspace, 'state.vscdb'), {})
  const [row] = database.prepare('SELECT value FROM ItemTable WHERE key = ?').all([KEY])
  const [check] = database.prepare('PRAGMA integrity_check').all()
  database.close()
  expect(Object.values(check ?? {})).toEqual(['ok'])
  const index: { entries: ListedChats } = JSON.parse(String(Object.values(row ?? {})[0]))
  return index.entries
}

describe.each([
  ['a log', true],
  ['one object', false],
])('a chat of VS Code that is %s', (_, isLog) => {
  test('is listed, compressed beside itself, and the list of VS Code knows the new one', {
    tags: 'slow',
  }, async () => {
    const { home, workspace, text, path } = prepare(isLog)
    const { stdout: list } = await runPrecis(home, ['sessions'])
    expect(list).toMatch(
      isLog ? /copilot.*\/work\/shop\s+Taxes/ : /copilot.*\/work\/shop\s+Change the tax in file 0/,
    )
    const { code, stdout, stderr } = await runPrecis(home, [
      'compress',
      ID,
      '--budget',
      '40%',
      '--json',
    ])
    expect(code, stderr).toBe(0)
    const output = String(JSON.parse(stdout).output)
    expect(dirname(output)).toBe(dirname(path))
    expect(output).toMatch(isLog ? /\.jsonl$/ : /\.json$/)
    expect(readFileSync(path, 'utf8')).toBe(text)
    const id = basename(output, isLog ? '.jsonl' : '.json')
    const listed = readListed(workspace)
    expect(Object.keys(listed).sort()).toEqual([ID, id].sort())
    expect(listed[id]?.title).toMatch(/^Change the tax .*\(compressed\)$/)
    expect(
      readdirSync(workspace).filter((name) => name.startsWith('state.vscdb.precis-')),
    ).toHaveLength(1)
    expect((await runPrecis(home, ['check', id])).code).toBe(0)
  })

  test('comes back byte for byte, also one record of it; recall and diff know what went', {
    tags: 'slow',
  }, async () => {
    const { home, text } = prepare(isLog)
    const { stdout } = await runPrecis(home, ['compress', ID, '--budget', '30%', '--json'])
    const { output } = JSON.parse(stdout)
    expect((await runPrecis(home, ['restore', output])).stdout).toBe(text)
    const explained = await runJson(home, ['diff', output])
    expect(explained.spans.length).toBeGreaterThan(5)
    const record = (await runPrecis(home, ['restore', output, String(explained.spans[2].span)]))
      .stdout
    expect(text).toContain(record)
    expect(JSON.stringify(JSON.parse(record))).toContain('request_')
    expect((await runPrecis(home, ['recall', output, 'compute', 'a2'])).stdout).toContain('compute')
    expect((await runPrecis(home, ['diff', output])).code).toBe(0)
    expect((await runPrecis(home, ['inspect', output])).stdout).toContain('copilot')
  })

  test('without its tools has no copies of them either', { tags: 'slow' }, async () => {
    const { home } = prepare(isLog)
    const written = readFileSync(
      (await runJson(home, ['clone', ID, '--tools', 'remove:100'])).output,
      'utf8',
    )
    expect(written).not.toMatch(
      /toolCallResults|toolInvocationSerialized|textEditGroup|"both files"|compute\(3\)/,
    )
    expect(written).toContain('never touch the lock file')
  })
})

describe('the list of VS Code', () => {
  test('is left alone while it runs; the session is there, and listed by what the notice says', {
    tags: 'slow',
  }, async () => {
    const { home, data, workspace, path } = prepare()
    writeFileSync(join(data, 'code.lock'), String(process.pid))
    const { code, stdout, stderr } = await runPrecis(home, [
      'compress',
      ID,
      '--budget',
      '40%',
      '--json',
    ])
    expect(code).toBe(0)
    expect(stderr).toMatch(/VS Code does not list it: it is running.*close it\. Then "precis clone/)
    expect(Object.keys(readListed(workspace))).toEqual([ID])
    const output = String(JSON.parse(stdout).output)
    expect(existsSync(output)).toBe(true)
    writeFileSync(join(data, 'code.lock'), '999999999')
    const cloned = await runPrecis(home, ['clone', basename(output, '.jsonl'), '--json'])
    expect(cloned.stderr).not.toMatch(/does not list/)
    const id = basename(String(JSON.parse(cloned.stdout).output), '.jsonl')
    expect(Object.keys(readListed(workspace)).sort()).toEqual([ID, id].sort())
    expect(dirname(output)).toBe(dirname(path))
  })

  test('of another edition is that of its own chats', async () => {
    const { home, workspace } = prepare()
    const insiders = join(
      home,
      '.config',
      'Code - Insiders',
      'User',
      'globalStorage',
      'emptyWindowChatSessions',
    )
    const id = createUuid(8)
    mkdirSync(insiders, { recursive: true })
    writeFileSync(join(insiders, `${id}.jsonl`), createChat(true).replaceAll(ID, id))
    const { stdout, stderr } = await runPrecis(home, ['compress', id, '--budget', '40%'])
    expect(stdout).toContain('Code - Insiders/User/globalStorage/emptyWindowChatSessions/')
    expect(stdout).toContain('code-insiders')
    expect(stderr).toMatch(/globalStorage\/state\.vscdb" beside it; open/)
    expect(Object.keys(readListed(workspace))).toEqual([ID])
  })

  test('names only chats that are whole, whenever precis is killed', { tags: 'slow' }, async () => {
    const { home, workspace, path } = prepare()
    const words = ['compress', ID, '--budget', '40%', '--no-archive']
    const run = async (delayMs?: number) => {
      const onStart = (child: ChildProcess) =>
        void setTimeout(delayMs).then(() => child.kill('SIGKILL'))
      const startedAt = performance.now()
      const { code, signal } = await startPrecis(
        home,
        words,
        delayMs === undefined ? {} : { onStart },
      )
      return { code, isKilled: signal === 'SIGKILL', durationMs: performance.now() - startedAt }
    }
    const whole = await run()
    expect(whole.code).toBe(0)
    let { durationMs } = whole
    let killed = 0
    const rounds = 6
    for (let round = 0; round < rounds || killed === 0; round++) {
      // Mostly near the end, where it writes.
      const ending = await run(durationMs * (0.6 + (0.5 * (round % rounds)) / rounds))
      if (ending.isKilled) killed++
      // The machine has become faster.
      else durationMs = Math.min(durationMs, ending.durationMs)
    }
    for (const id of Object.keys(readListed(workspace))) {
      const text = readFileSync(join(dirname(path), `${id}.jsonl`), 'utf8')
      expect(text.endsWith('\n')).toBe(true)
      expect((await runPrecis(home, ['check', id])).code, id).toBe(0)
    }
  })
})
