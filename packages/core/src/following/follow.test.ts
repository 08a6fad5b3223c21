import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import type { CompressionEnd } from '../context/compressions.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { formats } from '../formats/index.ts'
import { createFollower } from './follow.ts'
import type { FollowerOptions, HostRequest } from './follower.ts'
import { createMemoryStore } from './memory-store.ts'

interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly object[]
}

const MODEL = 'gpt-5'
const say = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content })
const words = (index: number) =>
  `Turn ${index}: ${`the parser of module ${index} reads line ${index * 7} `.repeat(20)}`

/** A conversation of as many turns, ending with the person. */
function createList(turns: number, name = 'first'): ChatMessage[] {
  const list = Array.from({ length: turns }, (_, index) => [
    say('user', `${name} ${words(index)}`),
    say('assistant', `${name} answer ${index}`),
  ]).flat()
  return [...list, say('user', `${name}: go on`)]
}

function follow(options: Partial<FollowerOptions> = {}) {
  const follower = createFollower<ChatMessage>({
    format: 'openai-chat',
    windowTokens: 4000,
    ...options,
  })
  const applied: CompressionEnd[] = []
  follower.on('compression-applied', (event) => applied.push(event))
  const next = async (
    messages: readonly ChatMessage[],
    more: Partial<HostRequest<ChatMessage>> = {},
  ) => (await follower.next({ model: MODEL, messages, ...more })).messages
  return { follower, next, applied }
}

const copy = (messages: readonly ChatMessage[]): ChatMessage[] => structuredClone([...messages])
const hasSummary = (sent: readonly ChatMessage[], given: readonly ChatMessage[]) =>
  sent.length < given.length

describe('a list that goes on', () => {
  test('is the very list of the host as long as nothing was compressed', async () => {
    const { next } = follow()
    const short = createList(1)
    expect(await next(short)).toBe(short)
    const longer = [...short, say('assistant', 'Good.'), say('user', 'More.')]
    expect(await next(longer)).toBe(longer)
  })

  test('has the same beginning after a compression until the next one', async () => {
    const { next, follower } = follow()
    const list = createList(40)
    const first = await next(list)
    expect(hasSummary(first, list)).toBe(true)
    list.push(say('assistant', 'Good.'), say('user', 'More.'))
    const second = await next(list)
    expect(second.slice(0, first.length)).toEqual(first)
    expect(second.slice(first.length)).toEqual(list.slice(-2))
    expect(follower.contexts).toHaveLength(1)
  })

  test('is known by its content when every message is a new object, and sent in the newest ones', async () => {
    const { next, follower } = follow()
    const list = createList(40)
    await next(list)
    const again = copy([...list, say('assistant', 'Good.'), say('user', 'More.')])
    const sent = await next(again)
    expect(follower.contexts).toHaveLength(1)
    expect(hasSummary(sent, again)).toBe(true)
    expect(sent.slice(-3)).toEqual(again.slice(-3))
    expect(again.slice(-3).every((message) => sent.includes(message))).toBe(true)
  })

  test('is the same whatever is marked to be cached, and keeps the marks of the newest list alone', async () => {
    const { next, follower } = follow({ format: 'anthropic-messages' })
    const mark = (list: readonly ChatMessage[], at: number) =>
      list.map((message, index) =>
        index !== list.length - at
          ? message
          : {
              ...message,
              content: [
                { type: 'text', text: message.content, cache_control: { type: 'ephemeral' } },
              ],
            },
      )
    const list = createList(40)
    await next(mark(list, 1))
    const later = [...list, say('assistant', 'Good.'), say('user', 'More.')]
    await next(mark(later, 1))
    const sent = await next(mark(later, 3))
    expect(hasSummary(sent, later)).toBe(true)
    expect(JSON.stringify(sent).split('cache_control')).toHaveLength(2)
    expect(follower.contexts).toHaveLength(1)
  })
})

describe('a list that was cut or changed', () => {
  test('goes on from the compression when only its end changed', async () => {
    const { next, applied } = follow()
    const list = createList(40)
    const first = await next(list)
    const retried = [...list.slice(0, -1), say('user', 'Something else instead.')]
    const second = await next(retried)
    expect(second.slice(0, -1)).toEqual(first.slice(0, -1))
    expect(second.at(-1)).toBe(retried.at(-1))
    expect(applied).toHaveLength(1)
  })

  test('goes on from an older compression when the newest one stands for what is gone', {
    tags: 'slow',
  }, async () => {
    const { next } = follow()
    const list = createList(40)
    const first = await next(list)
    const cut = [...list]
    for (let turn = 0; turn < 40; turn++) {
      list.push(say('assistant', words(turn)), say('user', `and ${turn}?`))
      await next(list)
    }
    cut.push(say('user', 'Back to here.'))
    const sent = await next(cut)
    expect(sent.slice(0, first.length)).toEqual(first)
    expect(sent.at(-1)).toBe(cut.at(-1))
  })

  test('begins anew when its beginning is another one', async () => {
    const { next } = follow()
    const list = createList(40)
    await next(list)
    const short = [say('user', 'Another beginning.'), ...list.slice(1, 4)]
    expect(await next(short)).toBe(short)
  })

  test('is read again when the host writes into a message that was sent', async () => {
    const { next, follower } = follow({ windowTokens: 100_000 })
    const list = [...createList(1), say('user', 'Never touch a.md.')]
    await next(list)
    const before = follower.contexts[0]?.state.tokens ?? 0
    Object.assign(list.at(-1) ?? {}, { content: words(1).repeat(10) })
    expect(await next(list)).toBe(list)
    expect(follower.contexts[0]?.state.tokens).toBeGreaterThan(2 * before)
  })

  test('is sent as it was asked when the host changes it while it is compressed', async () => {
    const list = createList(40)
    const last = list.at(-1)
    const beforeCompression = () => {
      list.length = 0
      return undefined
    }
    const { next } = follow({ hooks: { beforeCompression } })
    expect((await next(list)).at(-1)).toBe(last)
  })

  test('is as long as reported when the host goes on before the report', async () => {
    const { follower } = follow()
    const list = createList(1)
    const request = await follower.next({ model: MODEL, messages: list })
    list.push(say('assistant', ''))
    request.recordUsage({ inputTokens: 1234, outputTokens: 1 })
    expect(follower.contexts[0]?.state.tokens).toBeGreaterThanOrEqual(1234)
  })

  test('comes back to where it was', async () => {
    const { next, applied } = follow()
    const list = createList(40)
    const first = await next(list)
    await next(list.slice(0, 5))
    expect(await next(list)).toEqual(first)
    expect(applied).toHaveLength(1)
  })
})

describe('several conversations', () => {
  test('do not disturb each other', { tags: 'slow' }, async () => {
    const { next } = follow()
    const lists = ['a', 'b', 'c', 'd'].map((name) => createList(40, name))
    const first = await Promise.all(lists.map((list) => next(list)))
    for (const list of lists) list.push(say('assistant', 'Good.'), say('user', 'More.'))
    const second = await Promise.all(lists.map((list) => next(list)))
    second.forEach((sent, index) => {
      expect(sent.slice(0, first[index]?.length)).toEqual(first[index])
    })
  })

  test('a title that another model makes of the same history leaves the history as it is', async () => {
    const { next } = follow({ windowTokens: 8000 })
    const list = createList(20)
    expect(await next(list)).toBe(list)
    const settings = { windowTokens: 2000 }
    const title = await next([...list, say('user', 'Make a title.')], {
      model: 'gpt-5-mini',
      settings,
    })
    expect(title.length).toBeLessThan(list.length)
    const longer = [...list, say('assistant', 'Good.'), say('user', 'More.')]
    expect(await next(longer)).toBe(longer)
  })

  test('another window is the same conversation, with what was compressed, and decides from then on', async () => {
    const { next, follower } = follow({ windowTokens: 100_000 })
    const list = createList(40)
    expect(await next(list)).toBe(list)
    const sent = await next(list, { settings: { windowTokens: 4_000 } })
    expect(hasSummary(sent, list)).toBe(true)
    expect(await next(list)).toEqual(sent)
    expect(follower.contexts).toHaveLength(1)
  })

  test('another system prompt is the same conversation, with what was compressed', async () => {
    const { next, follower } = follow()
    const list = createList(40)
    const first = await next(list, { system: 'It is ten past two.' })
    list.push(say('assistant', 'Good.'), say('user', 'More.'))
    const second = await next(list, { system: 'It is eleven past two.' })
    expect(second.slice(0, first.length)).toEqual(first)
    expect(follower.contexts).toHaveLength(1)
  })

  test('another system prompt before the list is the same conversation, with what was compressed', async () => {
    const { next, follower } = follow()
    const system = (content: string) => JSON.parse(JSON.stringify({ role: 'system', content }))
    const list = createList(40)
    const first = await next([system('It is ten past two.'), ...list])
    list.push(say('assistant', 'Good.'), say('user', 'More.'))
    const second = await next([system('It is eleven past two.'), ...list])
    expect(second[0]).toEqual(system('It is eleven past two.'))
    expect(second.slice(1, first.length)).toEqual(first.slice(1))
    expect(follower.contexts).toHaveLength(1)
    const other = [system('It is eleven past two.'), ...createList(2, 'other')]
    expect(await next(other)).toBe(other)
  })

  test('two that begin with the same list have no pins in common', { tags: 'slow' }, async () => {
    const { next, follower } = follow()
    const shared = createList(40)
    const pinned = (pin: string) => ({ settings: { pins: [pin] } })
    const first = await next(shared, pinned('Deploy on Mondays.'))
    const second = await next(copy(shared), pinned('Deploy on Fridays.'))
    const third = await next(copy([...shared, say('assistant', 'Good.'), say('user', 'More.')]))
    expect(follower.contexts).toHaveLength(3)
    const [one, two, three] = [first, second, third].map((sent) => JSON.stringify(sent))
    expect(one).toContain('Deploy on Mondays.')
    expect(two).toContain('Deploy on Fridays.')
    expect(two).not.toContain('Mondays')
    expect(three).not.toContain('Deploy')
  })

  test('one that branches off has not what was pinned in the other', { tags: 'slow' }, async () => {
    const { next, follower } = follow()
    const shared = createList(40)
    await next(shared.slice(0, 1))
    follower.contexts[0]?.pin('Deploy on Mondays.')
    expect(JSON.stringify(await next(shared))).toContain('Deploy on Mondays.')
    await next([...shared, say('assistant', 'Good.'), say('user', 'More.')])
    const branch = await next([...shared, say('assistant', 'Bad.'), say('user', 'Again.')])
    expect(JSON.stringify(branch)).not.toContain('Deploy')
  })

  test('no more of them are remembered than allowed', async () => {
    const { next, follower } = follow({ maxConversations: 3 })
    for (let index = 0; index < 10; index++) await next(createList(2, `name ${index}`))
    expect(follower.contexts).toHaveLength(3)
  })

  test('a request waits while another of its conversation is compressed, and no other does', async () => {
    let finish: (() => void) | undefined
    const summarizer = {
      name: 'slow',
      summarize: () =>
        new Promise<{ text: string }>((resolve) => {
          finish = () => resolve({ text: 'A short summary.' })
        }),
    }
    const { next } = follow({ summarizer })
    const list = createList(40)
    const order: string[] = []
    const first = next(list).then((sent) => {
      order.push('first')
      return sent
    })
    const second = next([...list, say('assistant', 'Good.'), say('user', 'More.')]).then((sent) => {
      order.push('second')
      return sent
    })
    await next(createList(1, 'other'))
    order.push('other')
    await expect.poll(() => finish).toBeDefined()
    const stop = setInterval(() => finish?.(), 1)
    const [before, after] = await Promise.all([first, second])
    clearInterval(stop)
    expect(order).toEqual(['other', 'first', 'second'])
    expect(before.at(-1)).toBe(list.at(-1))
    expect(after.slice(0, before.length)).toEqual(before)
  })

  test('one that is aborted while it waits rejects with the reason, and the others go on', async () => {
    const abort = new AbortController()
    const summarizer = { name: 'stuck', summarize: () => new Promise<never>(() => {}) }
    const { follower, next } = follow({ summarizer })
    const list = createList(40)
    const stuck = follower.next({ model: MODEL, messages: list }, { signal: abort.signal })
    const waiting = follower.next({ model: MODEL, messages: list }, { signal: abort.signal })
    const other = createList(1, 'other')
    expect(await next(other)).toBe(other)
    abort.abort(new Error('enough'))
    await expect(stuck).rejects.toThrow('enough')
    await expect(waiting).rejects.toThrow('enough')
  })
})

describe('send', () => {
  const overflow = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } }

  test('compresses and sends once more what the provider found too long', async () => {
    const { follower } = follow({ windowTokens: 100_000 })
    const messages = createList(40)
    const lengths: number[] = []
    const answer = await follower.send({ model: MODEL, messages }, async (request) => {
      lengths.push(request.messages.length)
      if (lengths.length === 1) throw overflow
      return 'answered'
    })
    expect(answer).toBe('answered')
    expect(lengths[0]).toBe(messages.length)
    expect(lengths[1]).toBeLessThan(messages.length)
  })

  test('takes the window that the provider names, though it is less than the answer that was asked for', async () => {
    const { follower } = follow({ windowTokens: 100_000 })
    const request = { model: MODEL, messages: createList(40), answerTokens: 9_000 }
    const learnt = { ...overflow, message: 'prompt is too long: 7000 tokens > 6000 maximum' }
    const sizes: number[] = []
    await follower.send(request, async ({ prepared }) => {
      if (sizes.push(prepared.tokens) === 1) throw learnt
    })
    const { windowTokens, reserveTokens } = follower.contexts[0]?.state ?? expect.fail()
    expect({ windowTokens, reserveTokens }).toEqual({ windowTokens: 6_000, reserveTokens: 3_000 })
    expect(sizes[1]).toBeLessThan(3_000)
  })

  test('gives a second overflow to the host', async () => {
    const { follower } = follow({ windowTokens: 100_000 })
    const sent = follower.send({ model: MODEL, messages: createList(40) }, () =>
      Promise.reject(overflow),
    )
    await expect(sent).rejects.toBe(overflow)
  })
})

test('what the format does not know is refused, and nothing of it is remembered', async () => {
  const { follower, next } = follow()
  const list = createList(2)
  await next(list)
  const strange = [...list, JSON.parse('{"role":"oracle","content":"?"}')]
  await expect(next(strange)).rejects.toThrow('oracle')
  expect(await next(list)).toBe(list)
  expect(follower.contexts.length).toBeLessThanOrEqual(2)
})

test('events of every conversation are heard until nobody listens any more', {
  tags: 'slow',
}, async () => {
  const { follower, next } = follow()
  let heard = 0
  const end = follower.on('compression-applied', () => heard++)
  await next(createList(40, 'a'))
  await next(createList(40, 'b'))
  expect(heard).toBe(2)
  end()
  await next(createList(40, 'c'))
  expect(heard).toBe(2)
})

test('a listener that rejects is no rejection without a handler', async () => {
  const { follower, next } = follow()
  let heard: Promise<void> | undefined
  const handled = vi.spyOn(Promise.prototype, 'catch')
  follower.on('compression-applied', () => {
    heard = Promise.reject(new Error('the display is broken'))
    return heard
  })
  await next(createList(40))
  expect(handled.mock.contexts).toContain(heard)
  handled.mockRestore()
})

test('whatever a host does to its list, it is answered with a valid one that ends as its own', {
  tags: 'property',
}, async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('go on' as const),
        size: fc.integer({ min: 1, max: 40 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('cut' as const), size: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('change' as const), size: fc.nat(30) }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('copy' as const), size: fc.constant(0) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('other' as const), size: fc.nat(2) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const { next } = follow({ windowTokens: 3000 })
      const lists = [createList(1, 'a'), createList(1, 'b'), createList(1, 'c')]
      let current = 0
      let count = 0
      for (const { type, size } of steps) {
        let list = [...(lists[current] ?? [])]
        count++
        if (type === 'other') current = size
        if (type === 'copy') list = copy(list)
        if (type === 'cut') list = list.slice(0, Math.max(1, list.length - 2 * size))
        if (type === 'change')
          list = list.map((message, index) =>
            index === size ? say(message.role, 'changed') : message,
          )
        if (type === 'go on')
          list.push(
            say('assistant', `${count} ${words(count).repeat(size)}`),
            say('user', `next ${count}`),
          )
        if (type !== 'other') lists[current] = list
        const given = lists[current] ?? []
        const sent = await next(given)
        expect(checkInvariants(formats['openai-chat'].parse(sent))).toEqual([])
        expect(sent.at(-1)).toBe(given.at(-1))
        expect(sent.length).toBeLessThanOrEqual(given.length)
        // What was not touched are the host's own objects, in the host's order.
        const positions = sent
          .map((message) => given.indexOf(message))
          .filter((position) => position >= 0)
        expect(positions).toEqual([...positions].sort((a, b) => a - b))
      }
    }),
    { numRuns: runs(60) },
  )
})

describe('a new client for each request, without a store', () => {
  const lists = (name: string) => {
    const more = (turn: number) => [
      say('assistant', `${turn} is done`),
      say('user', `go on, ${turn}`),
    ]
    return [0, 1, 2, 3].map((turns) => [
      ...createList(20, name),
      ...Array.from({ length: turns }, (_, turn) => more(turn)).flat(),
    ])
  }

  // Before the one below: what is told once in a process would hide that these are told.
  test.each<[string, (name: string) => Promise<unknown[]>]>([
    [
      'one client',
      async () => {
        const problems: unknown[] = []
        const { next } = follow({ onProblem: (problem) => problems.push(problem) })
        for (const list of lists('one')) await next(list)
        return problems
      },
    ],
    [
      'a client for each of many users who begin alike',
      async () => {
        const problems: unknown[] = []
        for (let user = 0; user < 5; user++) {
          const { next } = follow({ onProblem: (problem) => problems.push(problem) })
          const begin = say('user', 'Hello, who are you?')
          for (const list of lists(`user ${user}`)) await next([begin, ...list.slice(1)])
        }
        return problems
      },
    ],
    [
      'clients that each follow the same words from their beginning',
      async () => {
        const problems: unknown[] = []
        const [list = []] = lists('same').slice(-1)
        // The second compresses later, where the first had compressed already.
        for (const windowTokens of [2000, 3000]) {
          const onProblem = (problem: unknown) => problems.push(problem)
          const { next } = follow({ windowTokens, onProblem })
          for (let count = 1; count <= list.length; count += 2) await next(list.slice(0, count))
        }
        return problems
      },
    ],
    [
      'a new client for each request over one store',
      async () => {
        const problems: unknown[] = []
        const store = createMemoryStore()
        for (const list of lists('stored')) {
          const { next } = follow({ store, onProblem: (problem) => problems.push(problem) })
          await next(list)
        }
        return problems
      },
    ],
  ])('is nothing that is said of %s', async (name, run) => {
    expect(await run(name)).toEqual([])
  })

  test('is told once that another one compressed the conversation before', {
    tags: 'slow',
  }, async () => {
    const problems: unknown[] = []
    const onProblem = (problem: unknown) => problems.push(problem)
    for (const list of lists('fresh')) {
      const { next } = follow({ onProblem })
      await next(list)
      await next([...list, say('assistant', 'done'), say('user', 'more')])
    }
    expect(problems.map(String)).toEqual([
      expect.stringMatching(/^RepeatedCompressionError: .*one `store`\.$/),
    ])
  })
})
