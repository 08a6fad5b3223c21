import { beforeEach, expect, test } from 'vitest'
import { createUuid } from '../cli/command.suite.ts'
import type { Database } from '../database/database.ts'
import { createMemorySource } from '../files/read-document.ts'
import { collectGarbage, shrinkArchive } from './check-archive.ts'
import { findCompression, listGenerations } from './compressions.ts'
import { createArchive } from './open-archive.ts'
import { concatenate, createOriginal, describeBoth } from './original.suite.ts'
import { readOriginal } from './read-original.ts'
import { searchRemoved } from './search-index.ts'
import { type StoredOriginal, storeOriginal } from './store-original.ts'

const QUOTA = 1e9

describeBoth('search', (createPlace) => {
  let database: Database
  beforeEach(async () => {
    database = await createArchive(await createPlace())
    return () => database.close()
  })

  const store = (words: string[], change: Partial<StoredOriginal> = {}) => {
    const turns = [...words, 'the end'].map((content) => ({ role: 'user', content }))
    return storeOriginal(
      database,
      createOriginal(JSON.stringify(turns), change, 'openai-chat').original,
      QUOTA,
    )
  }
  const search = async (query: string, limit = 10) => {
    const entry = await findCompression(database, createUuid(2))
    return searchRemoved(database, await listGenerations(database, entry), query, limit)
  }
  const spansOf = async (query: string, limit?: number) =>
    (await search(query, limit)).map(({ span }) => span)

  test('what has all words comes before what has some', async () => {
    await store([
      'the blue whale',
      'blue blue blue',
      'a red whale in a blue sea of many other words',
      'nothing',
    ])
    expect(await spansOf('blue whale')).toEqual([1, 3, 2])
    expect(await spansOf('blue whale', 2)).toEqual([1, 3])
  })

  test("summaries come last, in nobody's name, however many of their words are asked for", async () => {
    const summary =
      '<conversation-summary by="precis" version="1">\nblue whale blue whale blue whale\n</conversation-summary>'
    const output = [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: 'one whale that is blue, in many more words',
      },
    ]
    const messages = [
      { role: 'user', content: summary },
      { role: 'user', content: '<state_snapshot>blue whale</state_snapshot>' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Look', input: {} }] },
      { role: 'user', content: output },
      { role: 'assistant', content: 'a whale' },
      { role: 'user', content: 'the end' },
    ]
    const { original } = createOriginal(JSON.stringify(messages), {}, 'anthropic-messages')
    await storeOriginal(database, original, QUOTA)
    const labels = async (limit?: number) =>
      (await search('blue whale', limit)).map(({ label }) => label)
    expect(await labels()).toEqual(['tool: Look', 'assistant', 'summary', 'summary'])
    expect(await labels(1)).toEqual(['tool: Look'])
  })

  test('a rare word says more than a frequent one', async () => {
    const some = Array.from({ length: 30 }, (_, at) => `blue and ${at}`)
    await store([...some, 'a long text with one whale in it'])
    expect((await spansOf('blue whale', 3))[0]).toBe(31)
  })

  test('what stayed is not found', async () => {
    await store(['the beginning'])
    expect(await search('end')).toEqual([])
  })

  test.each([
    ['read_file', ['call read_file now'], [1]],
    ['file', ['call read_file now'], []],
    ['ERR_MODULE_NOT_FOUND', ['it says err_module_not_found'], [1]],
    ['src/cart.ts', ['edit src/cart.ts', 'src', 'cart'], [1, 3, 2]],
    ['cart.ts:42', ['at cart.ts:42:7', 'at cart.ts:43'], [1, 2]],
    ['cafe', ['the café is shut'], [1]],
    ['CAFÉ', ['the cafe is shut'], [1]],
    ['добрый', ['Добрый день'], [1]],
    ['数据库', ['数据库 连接'], [1]],
    ['1.2.3', ['version 1.2.3 of it'], [1]],
    ['user@example.com', ['mail user@example.com today'], [1]],
    ['co-operate', ['co-operate', 'operate'], [1, 2]],
  ])('%s finds the same words in both databases', async (query, words, spans) => {
    await store(words)
    expect(new Set(await spansOf(query))).toEqual(new Set(spans))
  })

  test('words anywhere in a record of megabytes are found', { tags: 'slow' }, async () => {
    const long = Array.from({ length: 100_000 }, (_, word) => `word${word}`).join(' ')
    await store([`beginning ${long} ending ${'x'.repeat(5000)}`, 'beginning'])
    expect(await spansOf('beginning ending')).toEqual([1, 2])
    expect(await spansOf('word99999')).toEqual([1])
  })

  test('secrets are neither found nor shown, and restored as they were', async () => {
    const key = `sk-${'a1B2'.repeat(8)}`
    await store([`the deploy key is ${key} here`])
    expect(await search(key)).toEqual([])
    expect((await search('deploy'))[0]?.excerpt).toBe(
      'the deploy key is [redacted: precis restore] here',
    )
    const entry = await findCompression(database, createUuid(2))
    expect((await concatenate(readOriginal(database, entry))).toString()).toContain(key)
  })

  test.each([
    '"',
    "'; DROP TABLE record",
    'a AND',
    'NEAR(',
    '*',
    'x"y',
    '-',
    '{}',
    '\u0000',
    '__proto__',
    '& | !',
    ':*',
  ])('the query %j harms nobody', async (query) => {
    await store(['the blue whale'])
    expect(await search(query)).toEqual([])
    expect(await search('whale')).toHaveLength(1)
  })

  test('reaches what earlier compressions of the same work removed, and nothing else', async () => {
    await store(['walrus one'], { sessionId: createUuid(8), newSessionId: createUuid(1) })
    await store(['walrus of somebody else'], {
      sessionId: createUuid(6),
      newSessionId: createUuid(7),
    })
    await store(['walrus two'], { sessionId: createUuid(1), newSessionId: createUuid(2) })
    expect((await search('walrus')).map(({ excerpt }) => excerpt).sort()).toEqual([
      'walrus one',
      'walrus two',
    ])
  })

  test('a record that stayed once and was removed later is found from then on', async () => {
    const [one, two] = ['walrus one', 'walrus two'].map((content) => ({ role: 'user', content }))
    const keep = (messages: unknown[]) =>
      storeOriginal(
        database,
        createOriginal(JSON.stringify(messages), {}, 'openai-chat').original,
        QUOTA,
      )
    await keep([one, two])
    expect(await search('two')).toEqual([])
    await keep([one, two, { role: 'user', content: 'the end' }])
    expect(await spansOf('two')).toEqual([2])
  })

  test('what was stored again under another id is found once', async () => {
    const keep = (id: string, change: Partial<StoredOriginal> = {}) => {
      const words = [
        { uuid: id, role: 'user', content: 'walrus one' },
        { uuid: id, role: 'user', content: 'the end' },
      ]
      return storeOriginal(
        database,
        createOriginal(JSON.stringify(words), change, 'openai-chat').original,
        QUOTA,
      )
    }
    await keep('a', { newSessionId: createUuid(1), sessionId: createUuid(8) })
    await keep('b')
    expect((await search('walrus')).map(({ excerpt }) => excerpt)).toEqual(['walrus one'])
  })

  test('what was collected is not found', async () => {
    await store(['the blue whale'], { newPath: '/nowhere.jsonl' })
    await collectGarbage(database, Date.now() + 7_200_000)
    await shrinkArchive(database)
    const sql =
      database.dialect === 'sqlite'
        ? "SELECT rowid FROM search WHERE search MATCH 'whale'"
        : "SELECT record FROM search WHERE words @@ 'whale'"
    expect(await database.all(sql)).toEqual([])
  })

  test('depth that would end a recursion is read', async () => {
    const deep = `${'['.repeat(100_000)}"walrus"${']'.repeat(100_000)}`
    const text = `[{"role":"user","content":"x","extra":${deep}},{"role":"user","content":"y"}]`
    const changes = new Map([[0, { fate: 'removed', label: 'user' } as const]])
    const source = createMemorySource(Buffer.from(text))
    await storeOriginal(
      database,
      { ...createOriginal('[]', {}, 'openai-chat').original, source, changes },
      QUOTA,
    )
    expect(await search('walrus')).toHaveLength(1)
  })
})
