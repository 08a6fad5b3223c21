import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { assistant, type ChatMessage, createGate, user, working } from '../context/context.suite.ts'
import { createContext } from '../context/create-context.ts'
import { createFollower } from './follow.ts'
import { FollowedConversation } from './followed-conversation.ts'
import type { FollowerOptions, HostRequest } from './follower.ts'
import { KeptConversation } from './kept-conversation.ts'
import { MessageHashes } from './list-chain.ts'
import { createMemoryStore } from './memory-store.ts'
import type { ConversationStore } from './store.ts'

const MODEL = 'gpt-5'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** A conversation of as many turns, ending with the person. */
function createList(turns: number, name = 'first'): ChatMessage[] {
  const list = Array.from({ length: turns }, (_, index) => [
    user(
      `${name} ${index}: ${`the parser of module ${index} reads line ${index * 7} `.repeat(20)}`,
    ),
    assistant(`${name} answer ${index}`),
  ]).flat()
  return [...list, user(`${name}: go on`)]
}

const goOn = (list: readonly ChatMessage[], text = 'More.') => [
  ...list,
  assistant('Good.'),
  user(text),
]

/** A process with this store. */
function open(store: ConversationStore, options: Partial<FollowerOptions> = {}) {
  const problems: unknown[] = []
  const onProblem = (problem: unknown) => problems.push(problem)
  const given = {
    format: 'openai-chat',
    windowTokens: 2000,
    store,
    hash,
    onProblem,
    ...options,
  } as const
  const follower = createFollower<ChatMessage>(given)
  const compressions: string[] = []
  follower.on('compression-applied', ({ trigger }) => compressions.push(trigger))
  const next = async (
    messages: readonly ChatMessage[],
    more: Partial<HostRequest<ChatMessage>> = {},
  ) => {
    const request = { model: MODEL, messages: structuredClone(messages), ...more }
    return JSON.stringify((await follower.next(request)).messages)
  }
  return { follower, next, problems, compressions }
}

describe('another process', () => {
  test('sends the same bytes for the same list, and for one that goes on, without compressing it', async () => {
    const store = createMemoryStore()
    const list = createList(16)
    const [one, two] = [open(store), open(store)]
    const first = await one.next(list)
    expect(JSON.parse(first).length).toBeLessThan(list.length)
    expect(await two.next(list)).toBe(first)
    const second = await two.next(goOn(list))
    expect(second).toBe(`${first.slice(0, -1)},${JSON.stringify(goOn(list).slice(-2)).slice(1)}`)
    expect(await one.next(goOn(list))).toBe(second)
    expect(one.compressions).toHaveLength(1)
    expect(two.compressions).toEqual([])
    expect([...one.problems, ...two.problems]).toEqual([])
  })

  test('goes on after a snapshot went through a file', async () => {
    const store = createMemoryStore()
    const first = await open(store).next(createList(16))
    const restored = createMemoryStore()
    restored.restore(JSON.parse(JSON.stringify(store.snapshot())))
    expect(await open(restored).next(createList(16))).toBe(first)
  })

  test('sends what the first of two made that compress the same list at a time', async () => {
    const store = createMemoryStore()
    const [slow, fast] = [
      createGate('What the slow one says.'),
      createGate('What the fast one says.'),
    ]
    const [one, two] = [
      open(store, { summarizer: slow.summarizer }),
      open(store, { summarizer: fast.summarizer }),
    ]
    const list = createList(16)
    const waiting = [one.next(list), two.next(list)]
    await Promise.all([slow.asked(), fast.asked()])
    fast.release()
    const sent = await waiting[1]
    expect(sent).toContain('What the fast one says.')
    slow.release()
    expect(await waiting[0]).toBe(sent)
    expect(await one.next(goOn(list))).toBe(await two.next(goOn(list)))
    expect(await one.next(goOn(list))).toContain('What the fast one says.')
  })

  test('is heard by one that has the conversation in memory and did not compress it', async () => {
    const store = createMemoryStore()
    const [one, two] = [open(store), open(store)]
    const list = createList(6)
    expect(await one.next(list)).toBe(JSON.stringify(list))
    const longer = goOn(list, 'A longer one. '.repeat(250))
    const sent = JSON.parse(await two.next(longer))
    expect(sent.length).toBeLessThan(longer.length)
    const newest = goOn(longer)
    expect(JSON.parse(await one.next(newest))).toEqual([...sent, ...newest.slice(-2)])
    expect(one.compressions).toEqual([])
  })

  test('is heard by one that compressed the conversation before', async () => {
    const store = createMemoryStore()
    const [one, two] = [open(store), open(store)]
    const list = createList(16)
    const first = await one.next(list)
    const longer = goOn(list)
    const sent: string[] = []
    await two.follower.send({ model: MODEL, messages: longer }, async ({ messages }) => {
      sent.push(JSON.stringify(messages))
      if (sent.length === 1)
        throw { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } }
    })
    expect(sent[0]?.startsWith(first.slice(0, -1))).toBe(true)
    expect(sent[1]?.startsWith(first.slice(0, -1))).toBe(false)
    const newest = goOn(longer)
    expect(await one.next(newest)).toBe(
      `${sent[1]?.slice(0, -1)},${JSON.stringify(newest.slice(-2)).slice(1)}`,
    )
    expect(one.compressions).toHaveLength(1)
  })

  test('goes on from where it is whatever is marked, and under another system prompt', async () => {
    const store = createMemoryStore()
    const system = (content: string): ChatMessage => ({ role: 'system', content })
    const list = createList(16)
    const first = JSON.parse(await open(store).next([system('It is ten.'), ...list]))
    const blocks = list.map(({ role, content }) => ({
      role,
      content: [{ type: 'text', text: content, cache_control: { type: 'ephemeral' } }],
    }))
    const marked: unknown = [system('It is eleven.'), ...blocks]
    const { next, compressions } = open(store)
    const sent = JSON.parse(await next(marked as ChatMessage[]))
    expect(compressions).toEqual([])
    expect(sent[0]).toEqual(system('It is eleven.'))
    expect(sent).toHaveLength(first.length)
    // What stands for messages of the host is the same; its own are in its newest words.
    const isOwn = ({ content }: ChatMessage) => list.some((message) => message.content === content)
    expect(sent.slice(1)).toEqual(
      first
        .slice(1)
        .map((message: ChatMessage) =>
          isOwn(message)
            ? blocks[list.findIndex(({ content }) => content === message.content)]
            : message,
        ),
    )
  })
})

describe('what stays apart', () => {
  const read = async (
    requests: readonly Partial<HostRequest<ChatMessage>>[],
    options: Partial<FollowerOptions>[] = [],
  ) => {
    const store = createMemoryStore()
    const list = createList(16)
    let compressions = 0
    for (const [index, request] of requests.entries()) {
      const one = open(store, options[index])
      await one.next(list, request)
      compressions += one.compressions.length
    }
    return compressions
  }

  test('conversations of two owners, whatever they have in common', async () => {
    expect(await read([{ key: 'a' }, { key: 'b' }, {}, { key: 'a' }])).toBe(3)
    const store = createMemoryStore()
    const { next, follower } = open(store)
    const lists = [createList(16), createList(16)]
    await next(lists[0] ?? [], { key: 'a' })
    await next(lists[1] ?? [], { key: 'a"' })
    expect(follower.contexts).toHaveLength(2)
    expect(await store.list(JSON.stringify('a'))).toHaveLength(3)
    expect(await store.delete(JSON.stringify('a"'))).toBe(3)
    expect(await store.list('')).toHaveLength(3)
  })

  test('models, formats and pins', async () => {
    const pins = (...pins: string[]) => ({ settings: { pins } })
    expect(
      await read([
        {},
        { model: 'gpt-5-mini' },
        pins('Deploy on Mondays.'),
        pins('Deploy on Fridays.'),
        {},
      ]),
    ).toBe(4)
    expect(await read([{}, {}], [{}, { format: 'anthropic-messages' }])).toBe(2)
  })

  test('a list that was sent as it is, and one that began alike and had to be compressed', async () => {
    const store = createMemoryStore()
    const list = createList(6)
    const { next, compressions } = open(store)
    expect(await next(list)).toBe(JSON.stringify(list))
    const other = goOn(list, 'Something long. '.repeat(250))
    expect(JSON.parse(await next(other)).length).toBeLessThan(other.length)
    const later = goOn(list, 'Short.')
    expect(await next(later)).toBe(JSON.stringify(later))
    expect(await open(store).next(later)).toBe(JSON.stringify(later))
    expect(compressions).toHaveLength(1)
  })

  test('a compressed list, and one that forked off it and was compressed further', async () => {
    const store = createMemoryStore()
    const { next, compressions } = open(store, { summarizer: working })
    const list = goOn(goOn(createList(16)))
    await next(createList(16))
    const sent = await next(list)
    const fork = JSON.parse(await next([...list, assistant('Good.'), ...createList(6, 'fork')]))
    expect(compressions).toHaveLength(2)
    expect(JSON.stringify(fork).startsWith(sent.slice(0, -1))).toBe(false)
    const newest = goOn(list, 'Short.')
    for (const one of [open(store), open(store)]) {
      expect(await one.next(newest)).toBe(
        `${sent.slice(0, -1)},${JSON.stringify(newest.slice(-2)).slice(1)}`,
      )
    }
  })

  test('a list whose end was changed takes the compression that is there when it needs one', async () => {
    const store = createMemoryStore()
    const list = createList(16)
    const first = JSON.parse(await open(store).next(list))
    const changed = [...list.slice(0, -1), user('Something else.')]
    const { next, compressions } = open(store)
    expect(JSON.parse(await next(changed))).toEqual([...first.slice(0, -1), changed.at(-1)])
    expect(compressions).toEqual([])
  })

  test('a conversation that was pinned while it went on, and others that begin alike', async () => {
    const store = createMemoryStore()
    const { next, follower } = open(store)
    const list = createList(16)
    await next(list.slice(0, 1))
    follower.contexts[0]?.pin('Deploy on Mondays.')
    const pinned = await next(list)
    expect(pinned).toContain('Deploy on Mondays.')
    expect(await open(store).next(list)).not.toContain('Deploy')
    expect(await open(store).next(list, { settings: { pins: ['Deploy on Mondays.'] } })).toBe(
      pinned,
    )
  })
})

describe('undo', () => {
  test('is kept too', async () => {
    const store = createMemoryStore()
    const { next, follower } = open(store, { windowTokens: 100_000 })
    const list = createList(40)
    expect(await next(list)).toBe(JSON.stringify(list))
    await follower.contexts[0]?.compress()
    const longer = goOn(list)
    expect(JSON.parse(await next(longer)).length).toBeLessThan(longer.length)
    follower.contexts[0]?.undo()
    const longest = goOn(longer)
    expect(await next(longest)).toBe(JSON.stringify(longest))
    expect(await open(store, { windowTokens: 100_000 }).next(longest)).toBe(JSON.stringify(longest))
  })
})

describe('send', () => {
  const overflow = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } }

  test('keeps what it made of a request that was too long before it is sent again', async () => {
    const store = createMemoryStore()
    const messages = createList(16)
    const sent: string[] = []
    const keys: number[] = []
    await open(store, { windowTokens: 100_000 }).follower.send(
      { model: MODEL, messages },
      async (request) => {
        sent.push(JSON.stringify(request.messages))
        keys.push((await store.list('')).length)
        if (sent.length === 1) throw overflow
      },
    )
    expect(keys).toEqual([0, 3])
    expect(sent[1]?.length).toBeLessThan(sent[0]?.length ?? 0)
    expect(await open(store, { windowTokens: 100_000 }).next(messages)).toBe(sent[1])
  })

  test('tells the compression of the request that it gives out', async () => {
    const { follower } = open(createMemoryStore())
    const outcome = await follower.send(
      { model: MODEL, messages: createList(16) },
      async ({ prepared }) => prepared.compression?.outcome.type,
    )
    expect(outcome).toBe('compressed')
  })
})

describe('a store that fails', () => {
  const broken = () => Promise.reject(new Error('the disk is gone'))
  const failing: ConversationStore = { find: broken, write: broken, list: broken, delete: broken }

  test('is told, and the requests go on from memory', async () => {
    const { next, problems, compressions } = open(failing)
    const list = createList(16)
    const first = await next(list)
    expect(problems.map(String)).toEqual(['Error: the disk is gone', 'Error: the disk is gone'])
    expect(await next(goOn(list))).toBe(
      `${first.slice(0, -1)},${JSON.stringify(goOn(list).slice(-2)).slice(1)}`,
    )
    const changed = [...list.slice(0, -1), user('Something else.')]
    expect(JSON.parse(await next(changed)).slice(0, -1)).toEqual(JSON.parse(first).slice(0, -1))
    expect(compressions).toHaveLength(1)
  })

  test('has everything as soon as it works again', async () => {
    const memory = createMemoryStore()
    let isBroken = true
    const store: ConversationStore = {
      ...memory,
      find: (keys) => (isBroken ? broken() : memory.find(keys)),
      write: (key, value, version) => (isBroken ? broken() : memory.write(key, value, version)),
    }
    const list = createList(16)
    const { next } = open(store)
    await next(list)
    isBroken = false
    expect(await open(store).next(goOn(list))).toBe(await next(goOn(list)))
  })

  test('does not hold a request that is aborted, nor the next one', async () => {
    const store: ConversationStore = { ...createMemoryStore(), find: () => new Promise(() => {}) }
    const { follower } = open(store)
    const controller = new AbortController()
    const messages = createList(1)
    const waiting = follower.next({ model: MODEL, messages }, { signal: controller.signal })
    const second = new AbortController()
    const after = follower.next({ model: MODEL, messages }, { signal: second.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    second.abort(new Error('enough of it'))
    await expect(after).rejects.toThrow('enough of it')
  })

  test.each([
    '{',
    '{}',
    '{"covered":900,"prefix":[]}',
    '{"covered":3,"prefix":[3]}',
    '{"covered":3,"prefix":["a"]}',
    '{"covered":1,"prefix":[{"role":"oracle"}]}',
  ])('is told when it has %s for a conversation, which then begins anew', async (value) => {
    const store = createMemoryStore()
    const list = createList(16)
    await open(store).next(list)
    for (const { key, version } of store.snapshot().entries) await store.write(key, value, version)
    const { next, problems, compressions } = open(store)
    expect(JSON.parse(await next(list)).length).toBeLessThan(list.length)
    expect(problems.length).toBeGreaterThan(0)
    expect(compressions).toHaveLength(1)
  })

  test('is taken only with somewhere to tell it', () => {
    const store = createMemoryStore()
    expect(() => createFollower({ format: 'openai-chat', store, hash })).toThrow('onProblem')
  })
})

test('what was deleted while a conversation goes on is written again with its next compression', async () => {
  const store = createMemoryStore()
  const { next } = open(store, { summarizer: working })
  let list = createList(16)
  const first = await next(list)
  await store.delete('')
  list = goOn(list)
  expect((await next(list)).startsWith(first.slice(0, -1))).toBe(true)
  list = [...list, ...createList(16, 'second')]
  const last = await next(list)
  expect(await open(store).next(list)).toBe(last)
})

/** A conversation on its own, which is told what compressions made of it. */
function keep(store: ConversationStore, messages: readonly object[]) {
  const problems: unknown[] = []
  const keeping = {
    store,
    hashes: new MessageHashes(hash),
    onProblem: (problem: unknown) => problems.push(problem),
  }
  const create = (messages: readonly object[]) => createContext({ model: MODEL, messages })
  const conversation = new FollowedConversation<object>(messages, create)
  const kept = new KeptConversation(conversation, keeping, {
    key: '',
    format: 'openai-chat',
    model: MODEL,
    pins: [],
  })
  return { conversation, kept, problems }
}

test('the longest list is found that was sent, whatever lists of others lie between', async () => {
  const store = createMemoryStore()
  const list = Array.from({ length: 300 }, (_, index) => user(`message ${index}`))
  const fork = (count: number) => [...list.slice(0, count - 3), user('a'), user('b'), user('c')]
  const write = async (messages: readonly object[], text: string) => {
    const { kept } = keep(store, messages)
    kept.adopt({ covered: 1, prefix: [user(text)] })
    await kept.prepare(messages.length)
  }
  const read = async (count: number) => {
    const { conversation, kept } = keep(store, list.slice(0, count))
    await kept.catchUp(count)
    return conversation.checkpoint.prefix
  }
  expect(await read(300)).toEqual([])
  await write(list.slice(0, 41), 'of 41')
  for (const count of [67, 71, 130, 131, 300]) await write(fork(count), 'of a fork')
  expect(await read(40)).toEqual([])
  for (const count of [41, 64, 68, 128, 300]) expect(await read(count)).toEqual([user('of 41')])
  for (const count of [42, 63, 64, 127, 128, 192]) await write(list.slice(0, count), `of ${count}`)
  for (const count of [42, 63, 64, 127, 128, 192])
    expect(await read(count)).toEqual([user(`of ${count}`)])
  expect(await read(62)).toEqual([user('of 42')])
  expect(await read(126)).toEqual([user('of 64')])
  expect(await read(299)).toEqual([user('of 192')])
})

test('a message that a compression made and JSON cannot say is kept in memory alone, and told', async () => {
  const store = createMemoryStore()
  const { kept, problems } = keep(store, createList(2))
  for (const strange of [
    new Uint8Array([1]),
    new URL('https://a.test'),
    () => {},
    1n,
    Number.NaN,
    new Map(),
  ]) {
    kept.adopt({ covered: 1, prefix: [{ ...user('a'), strange }] })
    await kept.prepare(5)
    expect(String(problems.pop())).toContain('JSON cannot say')
    expect(await store.list('')).toEqual([])
  }
  kept.adopt({
    covered: 1,
    prefix: [{ ...user('a'), none: undefined, nothing: null, deep: [{ is: true }] }],
  })
  await kept.prepare(5)
  expect(problems).toEqual([])
  expect(await store.list('')).toHaveLength(3)
})
