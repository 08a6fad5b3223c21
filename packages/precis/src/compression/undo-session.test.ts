import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { findCompression } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { createOriginal } from '../archive/original.suite.ts'
import { storeOriginal } from '../archive/store-original.ts'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import { SessionError } from '../files/errors.ts'
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

async function undo(agents: readonly Agent[], request: UndoRequest = {}) {
  const { original } = createOriginal(text, { path, newPath: join(folder, 'gone.jsonl') })
  const { name } = await storeOriginal(database, original, QUOTA)
  const entry = await findCompression(database, name)
  const write = async () => 0
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
