import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest } from '@precis/core'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyArchive } from '../archive/check-archive.ts'
import { listCompressions } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import { loadSession } from '../sessions/load-session.ts'
import { compressSession } from './compress-session.ts'
import { createWriter } from './destination.ts'
import { writeKept } from './keep-original.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-keep-'))
afterAll(() => rmSync(folder, { recursive: true }))

const text = createClaudeSession({ sessionId: createUuid(1) })
let number = 0
let path: string
let out: string
let database: string
beforeEach(() => {
  const name = join(folder, `${++number}`)
  path = `${name}.jsonl`
  out = `${name}.out.jsonl`
  database = `${name}.db`
  writeFileSync(path, text)
})

const write = createWriter(
  async () => 0,
  () => {},
)

/** Compresses the session, which changes while its summary is made. */
async function compressDuring(change: () => void, hasArchive = true) {
  const source = await loadSession(path)
  const made = digest()
  try {
    return await compressSession(
      source,
      {
        settings: {
          strategy: 'tail-summary',
          summarizer: { type: 'digest' } as never,
          budget: { type: 'share', fraction: 0.3 },
        },
        destination: { out },
      },
      {
        archive: hasArchive ? { database, quotaBytes: 1e9 } : undefined,
        summarizer: {
          name: 'slow',
          summarize: async (request) => {
            change()
            return await made.summarize(request)
          },
        },
        write,
        note: () => {},
        progress: () => {},
      },
    )
  } finally {
    source.document.close()
  }
}

async function listKept() {
  const archive = await openArchive(database)
  if (!archive) return []
  try {
    expect((await verifyArchive(archive)).problems).toEqual([])
    return await listCompressions(archive)
  } finally {
    await archive.close()
  }
}

describe('a session that changes while its summary is made', () => {
  const again = text.replace('Fix the tax', 'Fix the tax and the shipping')

  test.each([true, false])(
    'is refused if it was written again in its place, with an archive: %s',
    async (hasArchive) => {
      await expect(
        compressDuring(() => writeFileSync(path, again), hasArchive),
      ).rejects.toMatchObject({ code: 'changed' })
      expect(existsSync(out)).toBe(false)
      expect(await listKept()).toEqual([])
    },
  )

  test('is compressed as it was if its agent only added lines', async () => {
    await compressDuring(() => appendFileSync(path, '{"type":"summary"}\n'))
    expect(existsSync(out)).toBe(true)
    expect(await listKept()).toMatchObject([{ originalBytes: Buffer.byteLength(text) }])
  })
})

test('an original whose result cannot be serialized has no entry', async () => {
  const { session, conversation, newSession, destination, report, kept } = await compressDuring(
    () => {},
  ).then((done) => {
    if (done.type === 'refused') throw new TypeError(done.why.type)
    return done
  })
  expect(await listKept()).toHaveLength(1)
  const serialize = () => {
    throw new RangeError('not serialized')
  }
  const format = { ...session.format, serialize }
  const made = { conversation, newSession, destination, report }
  const result = { session: { ...session, format }, ...made }
  await expect(
    writeKept(kept, result, { archive: { database, quotaBytes: 1e9 }, write }),
  ).rejects.toThrow('not serialized')
  expect(await listKept()).toEqual([])
})
