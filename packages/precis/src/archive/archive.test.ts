import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Conversation, renderPart } from '@precis/core'
import { type FormatName, formats } from '@precis/core/formats'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createClaudeSession, createUuid } from '../cli/command.suite.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { ArchiveError } from './archive-error.ts'
import { collectGarbage, shrinkArchive } from './collect-garbage.ts'
import { findCompression, listCompressions, listGenerations } from './compressions.ts'
import { measureArchive } from './measure-archive.ts'
import { createArchive, openArchive } from './open-archive.ts'
import { createRecordReader, findSpan, listSpans, readOriginal } from './read-original.ts'
import { findRecordFates } from './record-fates.ts'
import { searchRemoved } from './search-removed.ts'
import type { Sqlite } from './sqlite.ts'
import { type Original, storeOriginal } from './store-original.ts'
import { verifyArchive } from './verify-archive.ts'

const QUOTA = 1e9
const folder = mkdtempSync(join(tmpdir(), 'precis-archive-'))
let path: string
let database: Sqlite
let count = 0

beforeEach(async () => {
  path = join(folder, `${++count}`, 'archive.db')
  database = await createArchive(path)
  return () => database.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A compression that leaves the last message alone. */
function createOriginal(text: string | Buffer, change: Partial<Original> = {}, format: FormatName = 'claude-code') {
  const source = createMemorySource(Buffer.from(text))
  const conversation = formats[format].parse(source)
  const after = { messages: conversation.messages.slice(-1) }
  const original: Original = {
    command: 'compress',
    source,
    format,
    sessionId: createUuid(1),
    path: undefined,
    fates: findRecordFates(conversation, after),
    newSessionId: createUuid(2),
    newPath: undefined,
    report: { strategy: 'test' },
    ...change,
  }
  return { original, conversation }
}

const concatenate = (chunks: Iterable<Uint8Array>) => Buffer.concat([...chunks])

describe('what is stored', () => {
  test('comes back byte for byte, whole and span by span', () => {
    const text = createClaudeSession({ sessionId: createUuid(1) })
    storeOriginal(database, createOriginal(text).original, QUOTA)
    const entry = findCompression(database, createUuid(2))
    expect(concatenate(readOriginal(database, entry)).toString()).toBe(text)
    const read = createRecordReader(database)
    const lines = text.split('\n').map((line) => `${line}\n`)
    const spans = listSpans(database, entry)
    expect(spans.map(({ record }) => read(record).toString())).toEqual(lines.slice(0, spans.length))
    expect(spans.every(({ fate }) => fate === 'removed')).toBe(true)
  })

  test('is stored once, however often it is removed', () => {
    const text = createClaudeSession({ sessionId: createUuid(1) })
    storeOriginal(database, createOriginal(text).original, QUOTA)
    const { records } = measureArchive(database)
    const longer = createClaudeSession({ sessionId: createUuid(1), turns: 13 })
    storeOriginal(database, createOriginal(longer).original, QUOTA)
    expect(measureArchive(database).records - records).toBe(6)
    expect(listCompressions(database)).toHaveLength(2)
  })

  test('every span of one is found by its number and by its hash', () => {
    const text = createClaudeSession({ sessionId: createUuid(1), turns: 2 })
    storeOriginal(database, createOriginal(text).original, QUOTA)
    const entry = findCompression(database, createUuid(2))
    for (const span of listSpans(database, entry)) {
      expect(findSpan(database, entry, String(span.span))).toEqual(span)
      expect(findSpan(database, entry, span.hash.slice(0, 12)).hash).toBe(span.hash)
    }
    expect(() => findSpan(database, entry, '0')).toThrow('give a number from 1 to')
    expect(() => findSpan(database, entry, '999')).toThrow(ArchiveError)
  })

  test.each([
    ['no line break at the end', createClaudeSession({ sessionId: createUuid(1) }).trimEnd()],
    ['Windows line breaks', createClaudeSession({ sessionId: createUuid(1) }).replaceAll('\n', '\r\n')],
    ['a byte order mark', `\u{feff}${createClaudeSession({ sessionId: createUuid(1) })}`],
    ['a line cut off', `${createClaudeSession({ sessionId: createUuid(1) })}{"type":"us`],
    ['blank lines', createClaudeSession({ sessionId: createUuid(1) }).replaceAll('\n', '\n\n')],
  ])('a document with %s comes back as it was', (_, text) => {
    storeOriginal(database, createOriginal(text).original, QUOTA)
    expect(concatenate(readOriginal(database, findCompression(database, createUuid(2)))).toString()).toBe(text)
  })

  test('bytes that are no UTF-8 come back as they were', () => {
    const text = Buffer.from(createClaudeSession({ sessionId: createUuid(1) }))
    text[text.indexOf('tax')] = 0xff
    storeOriginal(database, createOriginal(text).original, QUOTA)
    expect(concatenate(readOriginal(database, findCompression(database, createUuid(2)))).equals(text)).toBe(true)
  })

  test('a span of a request body is one element of its list', () => {
    const messages = Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `word${index} ["]}\\" {`,
    }))
    const text = JSON.stringify({ model: 'm', tools: [{ messages: [] }], messages, more: [[1]] }, undefined, 1)
    storeOriginal(database, createOriginal(text, {}, 'openai-chat').original, QUOTA)
    const entry = findCompression(database, createUuid(2))
    const read = createRecordReader(database)
    const spans = listSpans(database, entry).map(({ record }) => JSON.parse(read(record).toString()))
    expect(spans).toEqual(messages.slice(0, 5))
    expect(concatenate(readOriginal(database, entry)).toString()).toBe(text)
  })
})

const data = resolve('../shared/data')
const recorded = existsSync(data) ? listRecorded() : []

function listRecorded(): [string, FormatName][] {
  const wanted = ['claude-code', 'codex', 'gemini-cli', 'pi', 'openai-chat']
  return wanted.flatMap((format) => {
    const files = readdirSync(join(data, format)).sort()
    return files.slice(0, 2).map((file): [string, FormatName] => [join(data, format, file), format as FormatName])
  })
}

describe.skipIf(recorded.length === 0)('of recorded sessions (in ../shared/data)', () => {
  test.each(recorded)('%s comes back byte for byte, and its spans hold the words of its messages', (file, format) => {
    const bytes = readFileSync(file)
    const { original, conversation } = createOriginal(bytes, {}, format)
    storeOriginal(database, original, QUOTA)
    const entry = findCompression(database, createUuid(2))
    expect(concatenate(readOriginal(database, entry)).equals(bytes)).toBe(true)
    const read = createRecordReader(database)
    const texts = listSpans(database, entry).map(({ record }) => readStrings(read(record)))
    expect(texts.length).toBeGreaterThan(0)
    const all = texts.join('\n')
    const missing = listTexts(conversation).filter((text) => !all.includes(text))
    expect(missing).toEqual([])
  })
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

describe('search', () => {
  const turns = (words: string[]) =>
    words.map((word) => ({ role: 'user', content: word })).concat({ role: 'user', content: 'the end' })
  const store = (words: string[], change: Partial<Original> = {}) =>
    storeOriginal(database, createOriginal(JSON.stringify(turns(words)), change, 'openai-chat').original, QUOTA)
  const search = (query: string) => {
    const entry = findCompression(database, createUuid(2))
    return searchRemoved(database, listGenerations(database, entry), query, 10)
  }

  test('what has all words comes before what has some', () => {
    store(['the blue whale', 'blue blue blue', 'a red whale in a blue sea of many other words', 'nothing'])
    expect(search('blue whale').map(({ span }) => span)).toEqual([1, 3, 2])
  })

  test('what stayed is not found', () => {
    store(['the beginning'])
    expect(search('end')).toEqual([])
  })

  test('secrets are neither found nor shown, and restored as they were', () => {
    const key = `sk-${'a1B2'.repeat(8)}`
    store([`the deploy key is ${key} here`])
    expect(search(key)).toEqual([])
    expect(search('deploy')[0]?.excerpt).toBe('the deploy key is [redacted] here')
    const entry = findCompression(database, createUuid(2))
    expect(concatenate(readOriginal(database, entry)).toString()).toContain(key)
    shrinkArchive(database)
    expect(readFileSync(path).includes(Buffer.from('deploy'))).toBe(true)
    expect(readFileSync(path).includes(Buffer.from(key.toLowerCase()))).toBe(false)
  })

  test.each(['"', "'; DROP TABLE record", 'a AND', 'NEAR(', '*', 'x"y', '-', '{}', '\u0000', '__proto__'])(
    'the query %j harms nobody',
    (query) => {
      store(['the blue whale'])
      expect(search(query)).toEqual([])
      expect(search('whale')).toHaveLength(1)
    },
  )

  test('reaches what earlier compressions of the same work removed, and nothing else', () => {
    store(['walrus one'], { sessionId: createUuid(8), newSessionId: createUuid(1) })
    store(['walrus of somebody else'], { sessionId: createUuid(6), newSessionId: createUuid(7) })
    store(['walrus two'], { sessionId: createUuid(1), newSessionId: createUuid(2) })
    expect(
      search('walrus')
        .map(({ excerpt }) => excerpt)
        .sort(),
    ).toEqual(['walrus one', 'walrus two'])
  })

  test('depth that would end a recursion is read', () => {
    const deep = `${'['.repeat(100_000)}"walrus"${']'.repeat(100_000)}`
    const text = `[{"role":"user","content":"x","extra":${deep}},{"role":"user","content":"y"}]`
    const fates = new Map([[0, { fate: 'removed', label: 'user' } as const]])
    const source = createMemorySource(Buffer.from(text))
    storeOriginal(database, { ...createOriginal('[]', {}, 'openai-chat').original, source, fates }, QUOTA)
    expect(search('walrus')).toHaveLength(1)
  })
})

describe('the journal', () => {
  const text = createClaudeSession({ sessionId: createUuid(1), turns: 2 })
  const store = (change: Partial<Original>) => storeOriginal(database, createOriginal(text, change).original, QUOTA)

  test('finds by id, beginning, path and entry, the new session before the original', () => {
    const { name } = store({ newSessionId: 'abc11111', newPath: '/nowhere/new.jsonl', sessionId: 'def22222' })
    for (const session of ['abc11111', 'ABC1', '/nowhere/new.jsonl', name, 'def']) {
      expect(findCompression(database, session).name).toBe(name)
    }
    const { name: other } = store({ newSessionId: 'def99999', sessionId: 'abc11111' })
    expect(findCompression(database, 'def').name).toBe(other)
  })

  test('says what is ambiguous and what is not there', () => {
    store({ newSessionId: 'abc11111' })
    store({ newSessionId: 'abc22222' })
    expect(() => findCompression(database, 'abc')).toThrow('2 sessions start like this')
    expect(() => findCompression(database, 'fff')).toThrow('nothing of it is kept')
    expect(() => findCompression(database, '')).toThrow('nothing of it is kept')
  })

  test('a circle of origins ends', () => {
    store({ newSessionId: 'abc11111', sessionId: 'abc22222' })
    store({ newSessionId: 'abc22222', sessionId: 'abc11111' })
    expect(listGenerations(database, findCompression(database, 'abc2'))).toHaveLength(2)
  })
})

describe('collection', () => {
  const text = createClaudeSession({ sessionId: createUuid(1), turns: 2 })
  const LATER = Date.now() + 7_200_000
  const store = (change: Partial<Original>) => storeOriginal(database, createOriginal(text, change).original, QUOTA)

  test('forgets what no session needs, with its words', () => {
    store({ newPath: join(folder, 'gone.jsonl') })
    expect(collectGarbage(database)).toEqual({ compressions: 0, records: 0 })
    const { records } = measureArchive(database)
    expect(collectGarbage(database, LATER)).toEqual({ compressions: 1, records })
    shrinkArchive(database)
    expect(measureArchive(database)).toMatchObject({ compressions: 0, records: 0 })
    expect(database.prepare("SELECT rowid FROM search WHERE search MATCH 'tax'").all()).toEqual([])
    expect(verifyArchive(database).problems).toEqual([])
  })

  test('keeps what a session needs that is there, or a later one that came from it', () => {
    const there = join(folder, 'there.jsonl')
    writeFileSync(there, '')
    store({ newPath: join(folder, 'gone.jsonl'), newSessionId: 'middle', sessionId: 'first' })
    store({ newPath: there, newSessionId: 'last', sessionId: 'middle' })
    expect(collectGarbage(database, LATER).compressions).toBe(0)
  })

  test('keeps what went to standard output', () => {
    store({ newPath: undefined })
    expect(collectGarbage(database, LATER).compressions).toBe(0)
  })

  test('keeps records that another original has too', () => {
    store({ newPath: join(folder, 'gone.jsonl') })
    const { name } = store({ newPath: undefined, newSessionId: 'stays' })
    collectGarbage(database, LATER)
    expect(concatenate(readOriginal(database, findCompression(database, name))).toString()).toBe(text)
  })
})

describe('limits and damage', () => {
  const text = createClaudeSession({ sessionId: createUuid(1) })

  test('over the quota nothing is stored, and nothing that is needed is forgotten', () => {
    storeOriginal(database, createOriginal(text).original, QUOTA)
    const { bytes } = measureArchive(database)
    const other = createClaudeSession({ sessionId: createUuid(1), workingDirectory: '/other' })
    expect(() => storeOriginal(database, createOriginal(other).original, bytes)).toThrow('the quota is')
    expect(listCompressions(database)).toHaveLength(1)
    expect(concatenate(readOriginal(database, findCompression(database, createUuid(2)))).toString()).toBe(text)
  })

  test('the file is private, and so are those beside it', () => {
    storeOriginal(database, createOriginal(text).original, QUOTA)
    const files = readdirSync(join(path, '..'))
    expect(files).toContain('archive.db')
    for (const file of files) expect(statSync(join(path, '..', file)).mode & 0o077).toBe(0)
  })

  test('a byte that changed is told, and nothing of that original is given', () => {
    storeOriginal(database, createOriginal(text).original, QUOTA)
    database.prepare("UPDATE record SET content = x'00' WHERE id = 3").run()
    expect(() => readOriginal(database, findCompression(database, createUuid(2)))).toThrow('not what was stored')
    expect(verifyArchive(database).problems).toHaveLength(2)
  })

  test('a file that is no database is an error in words', async () => {
    const other = join(folder, 'text.db')
    writeFileSync(other, 'this is no database at all, '.repeat(500))
    await expect(openArchive(other)).rejects.toThrow('Move it away')
  })

  test('a file that lost its end is an error in words', async () => {
    storeOriginal(database, createOriginal(text).original, QUOTA)
    shrinkArchive(database)
    truncateSync(path, 20_000)
    const other = await openArchive(path).catch((error: unknown) => error)
    if (other instanceof Error) expect(other.message).toContain('Move it away')
    else expect(verifyArchive(other as Sqlite).problems).not.toEqual([])
  })

  test('one of a newer precis is left alone', async () => {
    database.exec('PRAGMA user_version = 99')
    await expect(openArchive(path)).rejects.toThrow('Install the newest precis')
  })

  test('there is none before something is kept', async () => {
    expect(await openArchive(join(folder, 'none', 'archive.db'))).toBeUndefined()
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})
