import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenDocument, openDocument } from '../files/read-document.ts'
import {
  type CloneGeneration,
  describeOriginal,
  findLineagePath,
  readLineage,
  writeLineage,
} from './lineage.ts'

let folder: string
let session: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-lineage-'))
  session = join(folder, 'a.jsonl')
  writeFileSync(session, '{"type":"user"}\n')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const generation = (sessionId: string): CloneGeneration => ({
  sessionId,
  original: {
    sessionId: 'older',
    path: '/sessions/older.jsonl',
    sha256: 'ab'.repeat(32),
    bytes: 12,
  },
  clonedAt: '2026-11-21T10:00:00.000Z',
  settings: { reasoning: 100 },
  statistics: { before: { tokens: 10 } },
})

async function withDocument<T>(path: string, read: (document: OpenDocument) => T): Promise<T> {
  const document = await openDocument(path)
  try {
    return read(document)
  } finally {
    document.close()
  }
}

describe('lineage', () => {
  test('lies beside the session under a name that no agent looks for', () => {
    expect(findLineagePath('/a/b/3f2a.jsonl')).toBe('/a/b/3f2a.precis.json')
    expect(findLineagePath('/a/rollout-2026.JSONL')).toBe('/a/rollout-2026.precis.json')
    expect(findLineagePath('/a/request.json')).toBe('/a/request.precis.json')
    expect(findLineagePath('/a/b.jsonl/c')).toBe('/a/b.jsonl/c.precis.json')
  })

  test('reads back what was written, and is private', async () => {
    await writeLineage(session, [generation('new'), generation('old')])
    expect(statSync(findLineagePath(session)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'a.precis.json'])
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toEqual([
      generation('new'),
      generation('old'),
    ])
  })

  test('tells nothing about a session of another id', async () => {
    await writeLineage(session, [generation('other')])
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toEqual([])
  })

  test.each([
    ['no JSON', 'oops'],
    ['another version', '{"version":2,"generations":[]}'],
    ['no list', '{"version":1,"generations":{}}'],
    ['a list of something else', '{"version":1,"generations":[null,7,{"sessionId":"new"}]}'],
    ['a prototype', '{"version":1,"__proto__":{"generations":[]}}'],
  ])('is empty when the file holds %s', async (_, text) => {
    writeFileSync(findLineagePath(session), text)
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toEqual([])
  })

  test('is empty without a file', async () => {
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toEqual([])
  })

  test('ends at a generation that is not whole, and is bounded', async () => {
    const many = Array.from({ length: 300 }, () => generation('new'))
    await writeLineage(session, many)
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toHaveLength(
      100,
    )
    const broken = [generation('new'), { sessionId: 'x' }, generation('old')]
    writeFileSync(findLineagePath(session), JSON.stringify({ version: 1, generations: broken }))
    expect(await withDocument(session, (document) => readLineage(document, 'new'))).toEqual([
      generation('new'),
    ])
  })

  test('names the original by the hash of its bytes, however large', async () => {
    const bytes = Buffer.alloc(3_000_000, 'abc\n')
    writeFileSync(session, bytes)
    const original = await withDocument(session, (document) => describeOriginal(document, 'id'))
    const sha256 = createHash('sha256').update(readFileSync(session)).digest('hex')
    expect(original).toEqual({ sessionId: 'id', path: session, sha256, bytes: bytes.length })
  })
})
