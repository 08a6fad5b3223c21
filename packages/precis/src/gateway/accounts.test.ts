import { type ConversationStore, createMemoryStore } from '@precis/core/following'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { KEPT_DAYS } from '../archive/check-archive.ts'
import { DatabaseError } from '../files/errors.ts'
import { createAccounts, type RecordedRequest } from './accounts.ts'
import type { ActRecord, ActRequest, ActResult, ObservedAnswer } from './gateway.ts'

const START = 1_800_000_000_000
const DAY = 86_400_000
const OWNER = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

function request(more: Partial<ActRequest> = {}): ActRequest {
  return {
    api: 'anthropic-messages',
    purpose: 'generate',
    path: '/v1/messages',
    model: undefined,
    headers: {},
    body: Buffer.from('{}'),
    owner: { id: OWNER, session: 'one', agent: 'claude-code' },
    windowTokens: undefined,
    ...more,
  }
}

function recorded(
  tokens: number,
  result?: ActResult,
  more: Partial<ActRequest> = {},
): RecordedRequest {
  const answer: ObservedAnswer = {
    status: 200,
    usage: {
      inputTokens: tokens,
      outputTokens: 50,
      cachedInputTokens: 1000,
      cacheWriteTokens: 500,
    },
    milliseconds: 3000,
    firstByteMilliseconds: 500,
    model: 'claude-sonnet-4-5',
  }
  return { request: request(more), result, answer }
}

const act: ActRecord = {
  act: 'save',
  time: START,
  milliseconds: 100,
  model: 'claude-sonnet-4-5',
  tokensBefore: 90_000,
  tokensAfter: 30_000,
}

function open(store: ConversationStore, notes: string[] = [], now = () => START) {
  return createAccounts({ store, note: (text) => notes.push(text), now })
}

describe('accounts', () => {
  test('are listed without one that is damaged, which is told', async () => {
    const store = createMemoryStore()
    const notes: string[] = []
    const damaged: ConversationStore = {
      ...store,
      find: async (keys) => {
        if (keys.some((key) => key.endsWith('/broken')))
          throw new DatabaseError('damaged', 'it was damaged')
        return await store.find(keys)
      },
    }
    const before = open(store)
    for (const session of ['one', 'broken', 'two']) {
      before.record(recorded(5000, undefined, { owner: { id: OWNER, session, agent: undefined } }))
    }
    await before.close()
    const accounts = open(damaged, notes)
    expect((await accounts.list(OWNER)).map(({ session }) => session).sort()).toEqual([
      'one',
      'two',
    ])
    expect(notes).toEqual([expect.stringContaining('it was damaged')])
    await accounts.close()
  })

  test('are listed by owner, those used last first', async () => {
    let time = START
    const accounts = open(createMemoryStore(), [], () => time++)
    accounts.record(recorded(5000))
    accounts.record(
      recorded(6000, undefined, { owner: { id: OWNER, session: undefined, agent: undefined } }),
    )
    accounts.record(
      recorded(7000, undefined, { owner: { id: OTHER, session: 'one', agent: 'codex' } }),
    )
    expect(
      (await accounts.list(OWNER)).map(({ session, account }) => [session, account.requests]),
    ).toEqual([
      ['', 1],
      ['one', 1],
    ])
    expect((await accounts.list(OTHER)).map(({ account }) => account.agent)).toEqual(['codex'])
    expect(await accounts.list('a')).toEqual([])
    expect([...(await accounts.listOwners())].sort()).toEqual([OWNER, OTHER])
    await accounts.close()
  })

  test('bill a compaction on the server, which is no part of the prompt', async () => {
    const read = async (answer: RecordedRequest['answer']) => {
      const accounts = open(createMemoryStore())
      accounts.record({ ...recorded(5000), answer })
      const [found] = await accounts.list(OWNER)
      await accounts.close()
      const models = Object.values(found?.account.models ?? {})
      return models[0]
    }
    const { answer } = recorded(5000)
    const compaction = { inputTokens: 100_000, outputTokens: 1000, cachedInputTokens: 90_000 }
    const plain = await read(answer)
    const compacted = await read({
      ...answer,
      usage: { inputTokens: 0, outputTokens: 0, ...answer.usage, compaction },
    })
    expect((compacted?.input ?? 0) - (plain?.input ?? 0)).toBe(10_000)
    expect((compacted?.cachedInput ?? 0) - (plain?.cachedInput ?? 0)).toBe(90_000)
    expect((compacted?.output ?? 0) - (plain?.output ?? 0)).toBe(1000)
    // 10,000 at $3, 90,000 at $0.30 and 1,000 at $15 for a million.
    expect((compacted?.dollars ?? 0) - (plain?.dollars ?? 0)).toBeCloseTo(0.072)
    expect(compacted?.last?.promptTokens).toBe(5000)
    expect(compacted?.timed).toEqual(plain?.timed)
  })

  test('go on after a restart', async () => {
    const store = createMemoryStore()
    const before = open(store)
    before.record(recorded(5000))
    await before.close()
    const after = open(store)
    after.record(recorded(5000))
    expect((await after.list(OWNER))[0]?.account.requests).toBe(2)
    await after.close()
  })

  test('keep nothing of a request but sizes, and no secret of a problem', async () => {
    const store = createMemoryStore()
    const accounts = open(store)
    const problem = 'reading "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789" failed'
    accounts.record(
      recorded(
        5000,
        { type: 'pass', reason: 'failed', problem },
        { body: Buffer.from('{"secret":"words"}') },
      ),
    )
    await accounts.close()
    const kept = JSON.stringify(store.snapshot())
    expect(kept).toContain('"failed\\"')
    expect(kept).not.toContain('words')
    expect(kept).not.toContain('sk-ant-api03')
  })

  test('count a compaction that precis answered as not billed, whatever its answer says it used', async () => {
    const accounts = open(createMemoryStore())
    const record: ActRecord = { ...act, act: 'answer' }
    accounts.record(
      recorded(90_000, { type: 'answer', contentType: '', body: Buffer.alloc(0), record }),
    )
    const [listed] = await accounts.list(OWNER)
    expect(listed?.account).toMatchObject({
      requests: 0,
      models: {},
      compactions: { count: 1, inputTokens: 90_000 },
    })
    await accounts.close()
  })

  test('ask nothing of lists of models', async () => {
    const accounts = open(createMemoryStore())
    accounts.record(recorded(5000, undefined, { purpose: 'other' }))
    accounts.record(recorded(5000, undefined, { purpose: 'count' }))
    expect(await accounts.list(OWNER)).toEqual([])
    await accounts.close()
  })

  test('are kept until the database is there again', async () => {
    const store = createMemoryStore()
    let isBroken = true
    const failing: ConversationStore = {
      ...store,
      find: (keys) => (isBroken ? Promise.reject(new Error('no connection')) : store.find(keys)),
    }
    const notes: string[] = []
    const accounts = open(failing, notes)
    accounts.record(recorded(5000))
    await accounts.list(OWNER).catch(() => {})
    isBroken = false
    expect((await accounts.list(OWNER))[0]?.account.requests).toBe(1)
    expect(notes).toEqual(['what a session cost is not stored yet: no connection'])
    await accounts.close()
  })

  test('are listed as they are stored, and close, where another process holds the database', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const store = createMemoryStore()
    const before = open(store)
    before.record(recorded(5000))
    await before.close()
    const notes: string[] = []
    const accounts = open({ ...store, write: () => new Promise(() => {}) }, notes)
    accounts.record(recorded(6000))
    const listed = accounts.list(OWNER)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await listed).map(({ account }) => account.requests)).toEqual([1])
    const closed = accounts.close()
    await vi.advanceTimersByTimeAsync(10_000)
    await closed
    expect(notes).toEqual([expect.stringContaining('is not stored')])
  })

  test('of a session whose name is anything are under a key that a database keeps', async () => {
    const store = createMemoryStore()
    const accounts = open(store)
    for (const session of ['\ud800/\0', 'x'.repeat(10_000), '../account/', '__proto__']) {
      accounts.record(
        recorded(5000, undefined, { owner: { id: OWNER, session, agent: undefined } }),
      )
    }
    expect(
      (await accounts.list(OWNER))
        .map(({ session }) => session.length)
        .every((length) => length <= 200),
    ).toBe(true)
    expect(await accounts.list(OWNER)).toHaveLength(4)
    await accounts.close()
  })
})

test(`what is kept is deleted after ${KEPT_DAYS} days without a request`, async () => {
  let time = START
  const store = createMemoryStore({ clock: { now: () => time } })
  const first = open(store, [], () => time)
  first.record(recorded(5000))
  await first.close()
  await store.write(`${OWNER}/summary/1`, 'kept', undefined)
  time += (KEPT_DAYS + 1) * DAY
  const second = open(store, [], () => time)
  second.record(
    recorded(5000, undefined, { owner: { id: OTHER, session: 'new', agent: undefined } }),
  )
  await expect
    .poll(async () => (await store.list('')).map(({ key }) => key.slice(64)), { timeout: 5000 })
    .toEqual(['/account/new'])
  await second.close()
})

test('two instances have what one has, however the requests fall to them', async () => {
  const step = fc.record({
    tokens: fc.integer({ min: 2000, max: 150_000 }),
    isSecond: fc.boolean(),
    result: fc.constantFrom<ActResult | undefined>(
      undefined,
      { type: 'replace', body: Buffer.alloc(0), record: act },
      { type: 'replace', body: Buffer.alloc(0), record: { ...act, tokensBefore: 30_000 } },
      { type: 'answer', contentType: '', body: Buffer.alloc(0), record: { ...act, act: 'answer' } },
      { type: 'pass', reason: 'unknown' },
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let time = START
      const [store, alone] = [createMemoryStore(), createMemoryStore()]
      const [one, left, right] = [alone, store, store].map((place) => open(place, [], () => time))
      if (!one || !left || !right) throw new Error('three accounts')
      for (const { tokens, isSecond, result } of steps) {
        time += 20_000
        one.record(recorded(tokens, result))
        const instance = isSecond ? right : left
        instance.record(recorded(tokens, result))
        await instance.list(OWNER)
      }
      expect(await left.list(OWNER)).toEqual(await one.list(OWNER))
      await Promise.all([one.close(), left.close(), right.close()])
    }),
    { numRuns: runs(100) },
  )
})

test('two instances that write at the same moment lose nothing', async () => {
  const store = createMemoryStore()
  const [left, right] = [open(store), open(store)]
  for (let index = 0; index < 20; index++) {
    left.record(recorded(1000 + index))
    right.record(recorded(1000 + index))
    await Promise.all([left.list(OWNER), right.list(OWNER)])
  }
  expect((await left.list(OWNER))[0]?.account).toMatchObject({ requests: 40 })
  await Promise.all([left.close(), right.close()])
})
