import { describe, expect, test } from 'vitest'
import { assistant, type ChatMessage, user } from '../context/context.suite.ts'
import { createFollower } from './follow.ts'
import type { FollowerOptions, HostRequest } from './follower.ts'
import { createMemoryStore, RepeatedCompressionError } from './memory-store.ts'
import type { ConversationStore } from './store.ts'

const MODEL = 'gpt-5'
const KEY = 'user 7'

function createList(turns: number, name: string): ChatMessage[] {
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

function open(options: Partial<FollowerOptions> = {}) {
  const problems: unknown[] = []
  const onProblem = (problem: unknown) => problems.push(problem)
  const follower = createFollower<ChatMessage>({
    format: 'openai-chat',
    windowTokens: 2000,
    onProblem,
    ...options,
  })
  const applied: string[] = []
  follower.on('compression-applied', ({ key }) => applied.push(key))
  const next = async (
    messages: readonly ChatMessage[],
    more: Partial<HostRequest<ChatMessage>> = {},
  ) => {
    const request = { model: MODEL, key: KEY, messages: structuredClone(messages), ...more }
    return JSON.stringify((await follower.next(request)).messages)
  }
  return { follower, conversation: follower.conversation(KEY), next, problems, applied }
}

describe('many conversations of one follower', () => {
  test('are compressed as often as with one follower for each, and send the same bytes', {
    tags: 'slow',
  }, async () => {
    const shared = open({ maxConversations: 3 })
    const lists = Array.from({ length: 20 }, (_, index) => ({
      follower: open(),
      messages: createList(8, `user ${index}`),
    }))
    for (let turn = 0; turn < 6; turn++) {
      for (const { follower, messages } of lists) {
        expect(await shared.next(messages)).toBe(await follower.next(messages))
        messages.push(...goOn([], `${turn} ${'and the next line too '.repeat(60)}`))
      }
    }
    const alone = lists.flatMap(({ follower }) => follower.applied)
    expect(shared.applied).toHaveLength(alone.length)
    expect(alone.length).toBeGreaterThan(20)
    expect(shared.follower.contexts).toHaveLength(3)
    // Each list was also compressed by a follower of its own, which is told.
    const others = shared.problems.filter((each) => !(each instanceof RepeatedCompressionError))
    expect(others).toEqual([])
  })
})

describe('a conversation with a key', () => {
  test('says its state, and the usage of all its requests', async () => {
    const { follower, conversation } = open()
    expect(conversation.state).toBeUndefined()
    expect(conversation.usage).toMatchObject({ requests: 0, inputTokens: 0 })
    const list = createList(4, 'first')
    for (const messages of [list, goOn(list)]) {
      const followed = await follower.next({ model: MODEL, key: KEY, messages })
      // As the events of a stream say it.
      for (const outputTokens of [1, 5, 10])
        followed.recordUsage({ inputTokens: 1000, outputTokens, cachedInputTokens: 500 })
    }
    await follower.next({ model: MODEL, key: 'user 8', messages: list })
    expect(conversation.state).toMatchObject({ model: MODEL, tokens: expect.any(Number) })
    expect(conversation.usage).toEqual({
      requests: 2,
      inputTokens: 2000,
      outputTokens: 20,
      cachedInputTokens: 1000,
      cacheWriteTokens: 0,
    })
    expect(follower.conversation('user 9').state).toBeUndefined()
    expect(() => follower.conversation('')).toThrow('key is ""')
  })

  test('is compressed by hand, and every other process sends the same', async () => {
    const store = createMemoryStore()
    const { conversation, next } = open({ store })
    expect(await conversation.compress()).toBeUndefined()
    const list = createList(6, 'first')
    expect(await next(list)).toBe(JSON.stringify(list))
    expect((await conversation.compress())?.outcome.type).toBe('compressed')
    const fresh = open({ store })
    const sent = await fresh.next(goOn(list))
    expect(JSON.parse(sent).length).toBeLessThan(list.length)
    expect(fresh.applied).toEqual([])
    expect(await next(goOn(list))).toBe(sent)
  })

  test('goes back to before its newest compression, in every process', async () => {
    const store = createMemoryStore()
    const { conversation, next } = open({ store })
    const list = createList(6, 'first')
    await next(list)
    await conversation.compress()
    expect(await conversation.undo()).toBe(true)
    expect(await conversation.undo()).toBe(false)
    expect(await next(goOn(list))).toBe(JSON.stringify(goOn(list)))
    expect(await open({ store }).next(goOn(list))).toBe(JSON.stringify(goOn(list)))
  })

  test('goes back to its whole list where another process compressed it', async () => {
    const store = createMemoryStore()
    const one = open({ store })
    const list = createList(6, 'first')
    await one.next(list)
    await one.conversation.compress()
    const two = open({ store })
    expect(await two.next(list)).not.toBe(JSON.stringify(list))
    expect(await two.conversation.undo()).toBe(true)
    expect(await two.next(goOn(list))).toBe(JSON.stringify(goOn(list)))
  })

  test('has its pins in every process and every list, and no other key has them', {
    tags: 'slow',
  }, async () => {
    const store = createMemoryStore()
    const pin = 'Deploy on Mondays.'
    await open({ store }).conversation.pin(pin)
    const { next } = open({ store })
    expect(await next(createList(16, 'first'))).toContain(pin)
    expect(await next(createList(16, 'second'))).toContain(pin)
    expect(await next(createList(16, 'third'), { key: 'user 8' })).not.toContain(pin)
    const list = createList(16, 'first')
    const again = open({ store })
    expect(await again.next(goOn(list))).toContain(pin)
    expect(again.applied).toEqual([])
    await again.conversation.unpin(pin)
    expect(await open({ store }).next(createList(16, 'fourth'))).not.toContain(pin)
    const later = goOn(goOn(list), 'A longer one. '.repeat(450))
    expect(await next(later)).not.toContain(pin)
  })

  test('keeps all pins that several processes give at once', async () => {
    const store = createMemoryStore()
    const pins = Array.from({ length: 12 }, (_, index) => `Rule ${index} holds.`)
    await Promise.all(pins.map((pin) => open({ store }).conversation.pin(pin)))
    const sent = await open({ store }).next(createList(16, 'first'))
    for (const pin of pins) expect(sent).toContain(pin)
  })

  test('goes on without its pins where the store fails, and that is told', async () => {
    const failing: ConversationStore = {
      ...createMemoryStore(),
      find: () => Promise.reject(new Error('gone')),
    }
    const { conversation, next, problems } = open({ store: failing })
    const list = createList(2, 'first')
    expect(await next(list)).toBe(JSON.stringify(list))
    expect(problems.map(String)).toContain('Error: gone')
    await expect(conversation.pin('a')).rejects.toThrow('gone')
  })

  test('tells its own events, and every event says its key', async () => {
    const { follower, conversation, next, applied } = open()
    const own: string[] = []
    const end = conversation.on('compression-applied', ({ key }) => own.push(key))
    await next(createList(16, 'first'))
    await next(createList(16, 'first'), { key: 'user 8' })
    end()
    await next(createList(16, 'second'))
    expect(own).toEqual([KEY])
    expect(applied).toEqual([KEY, 'user 8', KEY])
    expect(
      follower.find({ model: MODEL, key: KEY, messages: createList(16, 'first') })?.state.model,
    ).toBe(MODEL)
    expect(
      follower.find({ model: MODEL, key: 'user 9', messages: createList(16, 'first') }),
    ).toBeUndefined()
  })
})
