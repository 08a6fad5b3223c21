import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formats } from '@precis/core/formats'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { collectGarbage } from '../archive/check-archive.ts'
import { findCompression, findNewestEntry, recordResult } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { createOriginal } from '../archive/original.suite.ts'
import { readWholeOriginal } from '../archive/read-original.ts'
import { storeOriginal } from '../archive/store-original.ts'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import { SessionError } from '../files/errors.ts'
import { createWriter } from './destination.ts'
import { type UndoRequest, undoSession } from './undo-session.ts'

const QUOTA = 1e9
const folder = mkdtempSync(join(tmpdir(), 'precis-undo-'))
afterAll(() => rmSync(folder, { recursive: true }))

const text = createClaudeSession({ sessionId: createUuid(1), turns: 2 })
let count = 0
let database: Database
let path: string
beforeEach(async () => {
  const number = ++count
  database = await createArchive(join(folder, `${number}.db`))
  path = join(folder, `${number}.jsonl`)
  return () => database.close()
})

async function undo(
  agents: readonly Agent[],
  request: UndoRequest = {},
  newPath = join(folder, 'gone.jsonl'),
  written?: string,
) {
  const { original } = createOriginal(text, { path, newPath })
  const { name } = await storeOriginal(database, original, QUOTA)
  if (written !== undefined) {
    const hash = createHash('sha256').update(written).digest('hex')
    const { length: messages } = formats['claude-code'].parse(written).messages
    await recordResult(database, name, { bytes: Buffer.byteLength(written), hash, messages })
  }
  return await undoAgain(agents, name, request)
}

async function undoAgain(agents: readonly Agent[], name: string, request: UndoRequest = {}) {
  const entry = await findCompression(database, name)
  const write = createWriter(
    async () => 0,
    () => {},
  )
  return await undoSession(name, entry, request, {
    database,
    quotaBytes: QUOTA,
    agents,
    write,
    onLoaded: () => {},
  })
}

describe('an original that cannot be read', () => {
  const refuse = (code: 'unreadable' | 'changed' | 'no-such-session'): Agent => ({
    ...claudeCode,
    store: {
      locate: () => undefined,
      export: () => {
        throw new SessionError(code, `Reading it: ${code}.`)
      },
      describe: () => ({}) as never,
      readContent: () => [],
    },
  })

  test.each(['unreadable', 'changed'] as const)(
    'is not gone, and stays as it is: %s',
    async (code) => {
      writeFileSync(path, `${text}{"type":"user","more":true}\n`)
      await expect(undo([refuse(code)])).rejects.toThrow(`Reading it: ${code}.`)
      expect(readFileSync(path, 'utf8')).toBe(`${text}{"type":"user","more":true}\n`)
    },
  )

  test('is gone if its store no longer has it, and still no other file is replaced', async () => {
    writeFileSync(path, 'another')
    await expect(undo([refuse('no-such-session')])).rejects.toThrow('it exists already')
    expect(readFileSync(path, 'utf8')).toBe('another')
  })
})

test('an original whose file is missing is put back, byte for byte', async () => {
  expect(await undo([claudeCode], { dryRun: true })).toMatchObject({ state: 'gone' })
  expect(existsSync(path)).toBe(false)
  expect(await undo([claudeCode])).toMatchObject({ action: 'put-back', output: path })
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(await undo([claudeCode])).toMatchObject({ action: 'original', state: 'same' })
})

test('a session that undo made has all that was added to what it was made of, though its agent reads fewer messages than precis wrote', async () => {
  const first = createClaudeSession({ sessionId: createUuid(3), turns: 4 })
  const written = createClaudeSession({ sessionId: createUuid(1), turns: 1 })
  const ids = { sessionId: createUuid(3), newSessionId: createUuid(1), newPath: path }
  const { name } = await storeOriginal(database, createOriginal(first, ids).original, QUOTA)
  const hash = createHash('sha256').update(written).digest('hex')
  await recordResult(database, name, { bytes: Buffer.byteLength(written), hash, messages: 99 })
  writeFileSync(path, 'another file is in the place of the original')
  const { output = '' } = await undo([claudeCode])
  const all = formats['claude-code'].parse(text).messages.length
  const known = formats['claude-code'].parse(written).messages.length
  const again = await undoAgain([claudeCode], output)
  expect(again).toMatchObject({ action: 'joined', addedMessages: all - known })
})

describe('a session that undo made keeps in the archive', () => {
  const collect = async () => (await collectGarbage(database, Date.now() + 7_200_000)).compressions

  test('what was removed before the original was written', async () => {
    const first = createClaudeSession({ sessionId: createUuid(3), turns: 4 })
    const ids = { sessionId: createUuid(3), newSessionId: createUuid(1), newPath: path }
    await storeOriginal(database, createOriginal(first, ids).original, QUOTA)
    writeFileSync(path, 'another file is in the place of the original')
    const { action, output = '' } = await undo([claudeCode])
    expect(action).toBe('put-back')
    rmSync(path)
    expect(await collect()).toBe(2)
    const entry = await findNewestEntry(database, output)
    expect((await readWholeOriginal(database, entry)).toString()).toBe(first)
    rmSync(output)
    expect(await collect()).toBe(1)
  })

  test('the compressed session that was removed, if that had records of its own', async () => {
    const compressed = join(folder, `${count}.compressed.jsonl`)
    const small = createClaudeSession({ sessionId: createUuid(2), turns: 1 })
    const title = JSON.stringify({
      type: 'custom-title',
      customTitle: 'a',
      sessionId: createUuid(2),
    })
    const grown = `${createClaudeSession({ sessionId: createUuid(2), turns: 2 })}${title}\n`
    expect(grown.startsWith(small)).toBe(true)
    writeFileSync(path, text)
    writeFileSync(compressed, grown)
    const {
      output = '',
      keptAs = '',
      ...undone
    } = await undo([claudeCode], { remove: true }, compressed, small)
    expect(undone).toMatchObject({ action: 'joined', removed: true })
    expect(await collect()).toBe(0)
    const entry = await findCompression(database, keptAs)
    expect((await readWholeOriginal(database, entry)).toString()).toBe(grown)
    rmSync(output)
    expect(await collect()).toBe(2)
  })

  test('no session with a line of nothing known, which is therefore not removed', async () => {
    const compressed = join(folder, `${count}.compressed.jsonl`)
    const small = createClaudeSession({ sessionId: createUuid(2), turns: 1 })
    const grown = `${createClaudeSession({ sessionId: createUuid(2), turns: 2 })}{"later":true}\n`
    writeFileSync(path, text)
    writeFileSync(compressed, grown)
    const undone = await undo([claudeCode], { remove: true }, compressed, small)
    expect(undone).toMatchObject({ action: 'joined', removed: false })
    expect(undone.notRemoved).toContain('1 record')
    expect(readFileSync(compressed, 'utf8')).toBe(grown)
  })
})
