import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Conversation } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import type { ByteSource, FormatName } from '@precis/core/formats'
import { beforeEach, describe, expect, test } from 'vitest'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import {
  measureArchive,
  measureMostBytes,
  measureUsedBytes,
  verifyArchive,
} from './check-archive.ts'
import { findCompression, listCompressions } from './compressions.ts'
import { createArchive, openArchive } from './open-archive.ts'
import { concatenate, createOriginal, describeBoth } from './original.suite.ts'
import { createRecordReader, findSpan, listSpans, readOriginal } from './read-original.ts'
import { searchRemoved } from './search-index.ts'
import { type StoredOriginal, storeOriginal } from './store-original.ts'

const QUOTA = 1e9

const data = resolve('../shared/data')
const recorded = existsSync(data) ? listRecorded() : []

function listRecorded(): [string, FormatName][] {
  const wanted = ['claude-code', 'codex', 'gemini-cli', 'pi', 'openai-chat']
  return wanted.flatMap((format) => {
    const files = readdirSync(join(data, format)).sort()
    return files
      .slice(0, 2)
      .map((file): [string, FormatName] => [join(data, format, file), format as FormatName])
  })
}

describeBoth('an archive', (createPlace) => {
  let place: string
  let database: Database
  beforeEach(async () => {
    place = await createPlace()
    database = await createArchive(place)
    return () => database.close()
  })

  const store = (
    text: string | Buffer,
    change: Partial<StoredOriginal> = {},
    format?: FormatName,
  ) => storeOriginal(database, createOriginal(text, change, format).original, QUOTA)
  const restore = async (session = createUuid(2)) =>
    concatenate(readOriginal(database, await findCompression(database, session)))

  describe('what is stored', () => {
    test('is only what was hashed: a file that is written again meanwhile has no entry and spoils no other', async () => {
      const text = createClaudeSession({ sessionId: createUuid(1) })
      const other = Buffer.from(text.replace('Fix the tax', 'Fix all taxes'))
      const { original } = createOriginal(text)
      let reads = 0
      const source: ByteSource = {
        byteLength: original.source.byteLength,
        read: (start, end) =>
          reads++ === 0 ? original.source.read(start, end) : other.subarray(start, end),
      }
      await expect(storeOriginal(database, { ...original, source }, QUOTA)).rejects.toMatchObject({
        code: 'changed',
      })
      expect(await listCompressions(database)).toEqual([])
      await store(text)
      expect((await restore()).toString()).toBe(text)
      expect((await verifyArchive(database)).problems).toEqual([])
    })

    test('comes back byte for byte, whole and span by span', async () => {
      const text = createClaudeSession({ sessionId: createUuid(1) })
      const { hash } = await store(text)
      expect((await restore()).toString()).toBe(text)
      expect(hash).toBe(createHash('sha256').update(text).digest('hex'))
      const read = createRecordReader(database)
      const lines = text.split('\n').map((line) => `${line}\n`)
      const spans = await listSpans(database, await findCompression(database, createUuid(2)))
      const records = await Promise.all(spans.map(({ record }) => read(record)))
      expect(records.map(String)).toEqual(lines.slice(0, spans.length))
      expect(spans.every(({ fate }) => fate === 'removed')).toBe(true)
    })

    test('comes back message by message where one line of Gemini CLI holds all', async () => {
      const asks = ['one', 'two', 'three'].map((id) => ({
        id,
        type: 'user',
        content: [{ text: `asks ${id}` }],
      }))
      const head = { sessionId: 's', projectHash: 'p' }
      const lines = [head, { $set: { messages: asks } }, { $set: { lastUpdated: 1 } }]
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      await store(text, {}, 'gemini-cli')
      expect((await restore()).toString()).toBe(text)
      const read = createRecordReader(database)
      const entry = await findCompression(database, createUuid(2))
      const records = await Promise.all(
        (await listSpans(database, entry)).map(({ record }) => read(record)),
      )
      expect(records.map(String)).toEqual(asks.slice(0, -1).map((ask) => JSON.stringify(ask)))
      const [found, ...others] = await searchRemoved(database, [entry], 'two', 10)
      expect(found).toMatchObject({ span: 2, excerpt: 'asks two' })
      expect(others).toEqual([])
    })

    test('is stored once, however often it is removed', async () => {
      await store(createClaudeSession({ sessionId: createUuid(1) }))
      const { records } = await measureArchive(database)
      await store(createClaudeSession({ sessionId: createUuid(1), turns: 13 }))
      expect((await measureArchive(database)).records - records).toBe(6)
      expect(await listCompressions(database)).toHaveLength(2)
    })

    test('is stored once by many that store it at the same time', { tags: 'slow' }, async () => {
      const text = createClaudeSession({ sessionId: createUuid(1), turns: 60 })
      const others = await Promise.all(Array.from({ length: 4 }, () => createArchive(place)))
      const { original } = createOriginal(text)
      await Promise.all(others.map((other) => storeOriginal(other, original, QUOTA)))
      expect((await measureArchive(database)).records).toBe(text.trimEnd().split('\n').length)
      for (const entry of await listCompressions(database)) {
        expect((await concatenate(readOriginal(database, entry))).toString()).toBe(text)
      }
      expect((await verifyArchive(database)).problems).toEqual([])
      await Promise.all(others.map((other) => other.close()))
    })

    test('every span of one is found by its number and by its hash', async () => {
      await store(createClaudeSession({ sessionId: createUuid(1), turns: 2 }))
      const entry = await findCompression(database, createUuid(2))
      for (const span of await listSpans(database, entry)) {
        expect(await findSpan(database, entry, String(span.span))).toEqual(span)
        expect((await findSpan(database, entry, span.hash.slice(0, 12))).hash).toBe(span.hash)
      }
      await expect(findSpan(database, entry, '0')).rejects.toThrow('give a number from 1 to')
      await expect(findSpan(database, entry, '999')).rejects.toThrow(ArchiveError)
    })

    test.each([
      ['no line break at the end', createClaudeSession({ sessionId: createUuid(1) }).trimEnd()],
      [
        'Windows line breaks',
        createClaudeSession({ sessionId: createUuid(1) }).replaceAll('\n', '\r\n'),
      ],
      ['a byte order mark', `\u{feff}${createClaudeSession({ sessionId: createUuid(1) })}`],
      ['a line cut off', `${createClaudeSession({ sessionId: createUuid(1) })}{"type":"us`],
      ['blank lines', createClaudeSession({ sessionId: createUuid(1) }).replaceAll('\n', '\n\n')],
      [
        'zero bytes in its texts',
        createClaudeSession({ sessionId: createUuid(1) }).replaceAll('tax', 't\\u0000x'),
      ],
    ])('a document with %s comes back as it was', async (_, text) => {
      await store(text)
      expect((await restore()).toString()).toBe(text)
    })

    test('bytes that are no UTF-8 come back as they were', async () => {
      const text = Buffer.from(createClaudeSession({ sessionId: createUuid(1) }))
      text[text.indexOf('tax')] = 0xff
      await store(text)
      expect((await restore()).equals(text)).toBe(true)
    })

    test('names with zero bytes harm nobody', async () => {
      await store(createClaudeSession({ sessionId: createUuid(1) }), {
        newSessionId: 'a\0bc',
        sessionId: 'd\0',
      })
      expect(await listCompressions(database)).toHaveLength(1)
    })

    test('a span of a request body is one element of its list', async () => {
      const messages = Array.from({ length: 6 }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: `word${index} ["]}\\" {`,
      }))
      const text = JSON.stringify(
        { model: 'm', tools: [{ messages: [] }], messages, more: [[1]] },
        undefined,
        1,
      )
      await store(text, {}, 'openai-chat')
      const entry = await findCompression(database, createUuid(2))
      const read = createRecordReader(database)
      const spans = await Promise.all(
        (await listSpans(database, entry)).map(({ record }) => read(record)),
      )
      expect(spans.map((span) => JSON.parse(span.toString()))).toEqual(messages.slice(0, 5))
      expect((await restore()).toString()).toBe(text)
    })

    test('a record of many megabytes comes back, and so do thousands of small ones', {
      tags: 'slow',
    }, async () => {
      const long = {
        role: 'user',
        content: Array.from({ length: 150_000 }, (_, word) => `word${word}`).join(' '),
      }
      const short = Array.from({ length: 5000 }, (_, at) => ({
        role: 'user',
        content: `say ${at % 4000}`,
      }))
      const text = JSON.stringify([long, ...short, { role: 'user', content: 'the end' }])
      await store(text, {}, 'openai-chat')
      expect((await restore()).equals(Buffer.from(text))).toBe(true)
    })
  })

  describe('limits', () => {
    const text = createClaudeSession({ sessionId: createUuid(1) })

    test('over the quota nothing is stored, and nothing that is needed is forgotten', async () => {
      await store(text)
      const bytes = await measureUsedBytes(database)
      const other = createClaudeSession({ sessionId: createUuid(1), workingDirectory: '/other' })
      await expect(storeOriginal(database, createOriginal(other).original, bytes)).rejects.toThrow(
        'the quota is',
      )
      expect(await listCompressions(database)).toHaveLength(1)
      expect((await restore()).toString()).toBe(text)
    })

    test('what is there already needs no room', async () => {
      await store(text)
      const bytes = await measureUsedBytes(database)
      await storeOriginal(database, createOriginal(text).original, bytes)
      expect(await listCompressions(database)).toHaveLength(2)
    })

    test('the quick measure is never below the exact one', async () => {
      await store(text)
      expect(await measureMostBytes(database)).toBeGreaterThanOrEqual(
        await measureUsedBytes(database),
      )
    })

    test('a byte that changed is told, and nothing of that original is given', async () => {
      await store(text)
      await database.run(
        'UPDATE record SET content = ? WHERE id = (SELECT min(id) + 2 FROM record)',
        [Buffer.alloc(1)],
      )
      await expect(restore()).rejects.toThrow('not what was stored')
      expect((await verifyArchive(database)).problems).toHaveLength(2)
    })

    test('there is none before something is kept', async () => {
      const empty = await createPlace()
      expect(await openArchive(empty)).toBeUndefined()
      expect(empty.includes('://') || existsSync(empty)).toBe(empty.includes('://'))
    })

    test('many that open a new one at the same time make one', { tags: 'slow' }, async () => {
      const empty = await createPlace()
      const opened = await Promise.all(Array.from({ length: 8 }, () => createArchive(empty)))
      expect((await listCompressions(opened[0] ?? database)).length).toBe(0)
      await Promise.all(opened.map((each) => each.close()))
    })
  })

  describe.skipIf(recorded.length === 0)(
    'of recorded sessions (in ../shared/data)',
    { tags: 'slow' },
    () => {
      test.each(recorded)(
        '%s comes back byte for byte, and its spans hold the words of its messages',
        async (file, format) => {
          const bytes = readFileSync(file)
          const { original, conversation } = createOriginal(bytes, {}, format)
          await storeOriginal(database, original, QUOTA)
          expect((await restore()).equals(bytes)).toBe(true)
          const read = createRecordReader(database)
          const spans = await listSpans(database, await findCompression(database, createUuid(2)))
          const texts = await Promise.all(
            spans.map(async ({ record }) => readStrings(await read(record))),
          )
          expect(texts.length).toBeGreaterThan(0)
          const all = texts.join('\n')
          expect(listTexts(conversation).filter((each) => !all.includes(each))).toEqual([])
        },
      )
    },
  )
})

/** Words of messages whose records were removed. */
function listTexts({ messages }: Conversation): string[] {
  return messages
    .slice(0, -1)
    .filter(({ origin, records }) => origin === 'user' && records?.length === 1)
    .flatMap(({ parts }) => parts.filter(({ type }) => type === 'text').map(renderPart))
}

function readStrings(bytes: Buffer): string {
  const texts: string[] = []
  JSON.parse(bytes.toString(), (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}
