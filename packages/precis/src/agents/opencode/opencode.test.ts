import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { formats } from '@precis/core/formats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSession } from '../../sessions/find-sessions.ts'
import { findLineagePath } from '../../sessions/lineage.ts'
import { loadSession } from '../../sessions/load-session.ts'
import { createSessionId, placeSession } from '../../sessions/place-session.ts'
import { opencode } from './opencode.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'precis-opencode-'))
  folder = join(root, 'opencode')
  mkdirSync(folder)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const list = (environment: NodeJS.ProcessEnv = {}) =>
  opencode.list({ XDG_DATA_HOME: root, ...environment })

const ID = 'ses_e00a6c913ffe34PncxDDv3WMTA'
const time = { created: 1_795_285_399_276, updated: 1_795_285_405_382 }
const session = {
  id: ID,
  slug: 's',
  projectID: 'p',
  directory: '/work/project',
  title: 'T',
  version: '1.18.33',
  time,
}
const tokens = { input: 900, output: 20, reasoning: 5, cache: { read: 70, write: 5 } }
const asked = { id: 'msg_1', sessionID: ID, role: 'user', time: { created: 1 }, agent: 'build' }
const answered = {
  id: 'msg_2',
  sessionID: ID,
  role: 'assistant',
  time: { created: 2 },
  modelID: 'gpt-5',
  tokens,
}
const part = (id: string, messageID: string, text: string, extra: object = {}) => ({
  type: 'text',
  text,
  ...extra,
  id,
  sessionID: ID,
  messageID,
})
const parts = [
  part('prt_1', 'msg_1', 'from the host', { synthetic: true }),
  part('prt_2', 'msg_1', 'the question'),
  part('prt_3', 'msg_2', 'the answer'),
]

function write(path: string, value: object): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value))
}

/** As versions before the database stored it. */
function writeFolders(): void {
  write(`storage/session/p/${ID}.json`, session)
  // The order of a listing is not the order of the messages.
  write(`storage/message/${ID}/msg_2.json`, { ...answered, id: 'msg_2' })
  write(`storage/message/${ID}/msg_1.json`, asked)
  for (const one of parts) write(`storage/part/${one.messageID}/${one.id}.json`, one)
}

function writeOldestFolders(): void {
  write(`project/slug/storage/session/info/${ID}.json`, session)
  for (const message of [asked, answered]) {
    write(`project/slug/storage/session/message/${ID}/${message.id}.json`, message)
  }
  for (const one of parts)
    write(`project/slug/storage/session/part/${ID}/${one.messageID}/${one.id}.json`, one)
}

function writeExport(): void {
  const records = [asked, answered].map((info) => ({
    info,
    parts: parts.filter((one) => one.messageID === info.id),
  }))
  write(`precis/${ID}.json`, { info: session, messages: records })
}

const findLibrary = ():
  | (new (
      path: string,
    ) => { exec(sql: string): void; close(): void })
  | undefined => {
  try {
    return createRequire(import.meta.url)('libsql')
  } catch {
    return undefined
  }
}
const Library = findLibrary()

function writeDatabase(name = 'opencode.db'): void {
  if (!Library) return
  const database = new Library(join(folder, name))
  const quote = (value: unknown) =>
    `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`
  database.exec(`
    CREATE TABLE session (id, project_id, workspace_id, parent_id, slug, directory, path, title, version, share_url,
      summary_additions, summary_deletions, summary_files, summary_diffs, metadata, cost, tokens_input, tokens_output,
      tokens_reasoning, tokens_cache_read, tokens_cache_write, revert, permission, agent, model, time_created,
      time_updated, time_compacting, time_archived);
    CREATE TABLE message (id, session_id, time_created, data);
    CREATE TABLE part (id, message_id, session_id, data);
    INSERT INTO session (id, project_id, slug, directory, title, version, cost, time_created, time_updated)
      VALUES (${quote(ID)}, 'p', 's', '/work/project', 'T', '1.18.33', 0, ${time.created}, ${time.updated});
    INSERT INTO session (id, parent_id, time_updated) VALUES ('ses_child', ${quote(ID)}, 5), ('ses_x; touch y', NULL, 6);`)
  for (const { id, sessionID, ...data } of [answered, asked]) {
    database.exec(
      `INSERT INTO message VALUES (${quote(id)}, ${quote(sessionID)}, ${data.time.created}, ${quote(data)})`,
    )
  }
  for (const { id, sessionID, messageID, ...data } of [...parts].reverse()) {
    database.exec(
      `INSERT INTO part VALUES (${quote(id)}, ${quote(messageID)}, ${quote(sessionID)}, ${quote(data)})`,
    )
  }
  database.close()
}

async function readConversation(path: string) {
  const { source } = await openSession(path)
  const { messages, model, workingDirectory } = formats.opencode.parse(source)
  return {
    texts: messages.map(({ parts: own }) =>
      own.map((one) => ('text' in one ? one.text : '')).join(),
    ),
    model,
    workingDirectory,
  }
}

const CONVERSATION = {
  texts: ['from the host', 'the question', 'the answer'],
  model: 'gpt-5',
  workingDirectory: '/work/project',
}

describe('sessions of OpenCode', () => {
  test.each([
    ['folders', writeFolders, join('storage', 'session', 'p', `${ID}.json`)],
    [
      'the oldest folders',
      writeOldestFolders,
      join('project', 'slug', 'storage', 'session', 'info', `${ID}.json`),
    ],
    ['an export that waits', writeExport, join('precis', `${ID}.json`)],
  ])('are found, described and read in %s', async (_, prepare, path) => {
    prepare()
    const found = list()
    expect(found).toMatchObject([{ id: ID, path: join(folder, path) }])
    expect(opencode.store?.describe(join(folder, path))).toEqual({
      sessionId: ID,
      title: 'T',
      workingDirectory: '/work/project',
      firstPrompt: 'the question',
      contextTokens: 1000,
    })
    expect(await readConversation(join(folder, path))).toEqual(CONVERSATION)
  })

  test.skipIf(!Library)(
    'are found and read in a database (skipped without libsql), without those of subagents',
    async () => {
      writeDatabase()
      writeFolders()
      const path = `${join(folder, 'opencode.db')}#${ID}`
      const found = list()
      expect(found).toMatchObject([{ id: ID, path, modified: new Date(time.updated) }])
      expect(found[0]?.bytes).toBeGreaterThan(90)
      expect(opencode.store?.describe(path)).toMatchObject({
        firstPrompt: 'the question',
        contextTokens: 1000,
      })
      expect(await readConversation(path)).toEqual(CONVERSATION)
      await expect(openSession(`${join(folder, 'opencode.db')}#ses_none`)).rejects.toThrow(
        /holds no such session/,
      )
    },
  )

  test.skipIf(!Library)('are looked for where OPENCODE_DB says (skipped without libsql)', () => {
    writeDatabase('mine.sqlite.db')
    expect(list()).toEqual([])
    expect(list({ OPENCODE_DB: 'mine.sqlite.db' })).toHaveLength(1)
    expect(list({ OPENCODE_DB: ':memory:' })).toEqual([])
  })

  test.skipIf(!Library)(
    'are read without rows that are damaged, and these are counted (skipped without libsql)',
    async () => {
      writeDatabase()
      const file = join(folder, 'opencode.db')
      const database = new (Library as NonNullable<typeof Library>)(file)
      database.exec(`
      UPDATE part SET data = CAST(replace(CAST(data AS BLOB), 'the answer', x'ff') AS TEXT) WHERE id = 'prt_3';
      UPDATE part SET data = '{"type":"te' WHERE id = 'prt_1';
      UPDATE session SET title = CAST(x'54ff' AS TEXT) WHERE id = '${ID}'`)
      database.close()
      const path = `${file}#${ID}`
      expect(list()).toMatchObject([{ id: ID, path }])
      expect((await readConversation(path)).texts.filter(Boolean)).toEqual(['the question'])
      expect((await loadSession(path)).damage).toMatchObject({ records: 3 })
      expect(opencode.store?.describe(path)).toMatchObject({
        title: 'T\ufffd',
        firstPrompt: 'the question',
      })
    },
  )

  test.skipIf(!Library)(
    'are listed from a database behind a link, also with a time that is none (skipped without libsql)',
    () => {
      writeDatabase()
      const file = join(folder, 'opencode.db')
      const database = new (Library as NonNullable<typeof Library>)(file)
      database.exec('UPDATE session SET time_updated = 9000000000000000')
      database.close()
      renameSync(file, join(root, 'elsewhere.db'))
      symlinkSync(join(root, 'elsewhere.db'), file)
      expect(list()).toMatchObject([{ id: ID, modified: new Date(0) }])
    },
  )

  test.skipIf(!Library)(
    'are listed when the agent has locked its database for a moment (skipped without libsql)',
    { tags: 'slow' },
    async () => {
      writeDatabase()
      const code = `
        const database = new (require('libsql'))(process.argv[1])
        database.exec('BEGIN EXCLUSIVE')
        console.log('locked')
        setTimeout(() => database.exec('COMMIT'), 200)`
      const agent = spawn(process.execPath, ['-e', code, join(folder, 'opencode.db')], {
        cwd: import.meta.dirname,
      })
      await once(agent.stdout, 'data')
      expect(list()).toHaveLength(1)
      await once(agent, 'exit')
    },
  )

  test('are listed without a database that is none', () => {
    writeFileSync(join(folder, 'opencode.db'), 'no database')
    writeFolders()
    expect(list()).toHaveLength(1)
  })

  test('name no folder by the id of a message', async () => {
    writeFolders()
    write('storage/message/secret.json', part('prt_9', 'msg_9', 'not yours'))
    write(`storage/message/${ID}/msg_3.json`, { ...asked, id: '../message', time: { created: 3 } })
    const path = join(folder, 'storage', 'session', 'p', `${ID}.json`)
    expect((await readConversation(path)).texts).toEqual(CONVERSATION.texts)
  })

  test('tell where they ran, what was asked and what it was billed for', async () => {
    writeExport()
    const { source } = await openSession(join(folder, 'precis', `${ID}.json`))
    expect(opencode.readHead(source)).toEqual({
      sessionId: ID,
      workingDirectory: '/work/project',
      firstPrompt: 'the question',
    })
    expect(opencode.readRequests(source)).toMatchObject([
      {
        model: 'gpt-5',
        record: 1,
        input: 900,
        cachedInput: 70,
        cacheWrite: 5,
        cacheWriteLong: 0,
        output: 25,
      },
    ])
  })
})

describe('a clone of a session of OpenCode', () => {
  test('waits beside the database, and is imported before it is resumed', () => {
    const sessionId = createSessionId(opencode)
    expect(sessionId).toMatch(/^ses_[0-9a-f]{26}$/)
    const given = { time: new Date(0), originalPath: undefined, workingDirectory: '/work/project' }
    const path = `/home/x/my data/opencode/precis/${sessionId}.json`
    expect(
      placeSession({ agent: opencode, sessionId, ...given }, { XDG_DATA_HOME: '/home/x/my data' }),
    ).toEqual({
      path,
      resumeCommand: `cd /work/project && opencode import '${path}' && opencode --session ${sessionId}`,
    })
  })

  test('has its lineage in one place, whether it was imported or not', () => {
    const lineage = `/home/x/opencode/precis/${ID}.precis.json`
    expect(findLineagePath(`/home/x/opencode/precis/${ID}.json`)).toBe(lineage)
    expect(findLineagePath(`/home/x/opencode/opencode.db#${ID}`)).toBe(lineage)
  })
})
