import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { assistant, type ChatMessage, call, toolResult, user } from '../context/context.suite.ts'
import { createContext } from '../context/create-context.ts'
import { createFollower } from './follow.ts'
import type { Follower } from './follower.ts'
import { createMemoryStore } from './memory-store.ts'
import type { ConversationStore } from './store.ts'

const MODEL = 'gpt-5'
const OPTIONS = { format: 'openai-chat', windowTokens: 1500 } as const

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

function follow(store: ConversationStore, maxConversations: number): Follower<ChatMessage> {
  const onProblem = (problem: unknown) => {
    throw problem
  }
  return createFollower<ChatMessage>({ ...OPTIONS, store, hash, onProblem, maxConversations })
}

let made = 0

/** What comes after a request, and the next one. */
function createTurn(size: number): ChatMessage[] {
  const number = ++made
  const long = (words: string) =>
    `${words} of line ${number} in src/module${number}.ts `.repeat(size)
  return [
    ...(size % 2 === 0
      ? [call(`c${number}`), toolResult(`c${number}`, long('the whole content'))]
      : []),
    assistant(`Answer ${number}: ${long('it is the parser')}`),
    user(`Request ${number}: ${long('please look at the parser')}`),
  ]
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('go on' as const),
      size: fc.integer({ min: 1, max: 14 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rewind' as const), size: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fork' as const), size: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('other list' as const), size: fc.nat(5) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('copy for another owner' as const),
      size: fc.constant(0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('again' as const), size: fc.constant(0) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('restart' as const), size: fc.constant(0) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('other process' as const), size: fc.constant(0) }),
  },
)

interface HostList {
  readonly owner: 'a' | 'b'
  readonly messages: ChatMessage[]
  /** The newest request, message by message, and how long the list was. */
  sent?: readonly string[]
  length?: number
}

const write = (messages: readonly ChatMessage[]) =>
  messages.map((message) => JSON.stringify(message))

function needsCompression(sent: readonly string[]): boolean {
  const messages = sent.map((message): object => JSON.parse(message))
  return createContext({ ...OPTIONS, model: MODEL, messages }).state.needsCompression
}

/** Where it can be gone on from: after an answer. */
function cut(messages: readonly ChatMessage[], size: number): ChatMessage[] {
  const kept = messages.slice(0, Math.max(1, messages.length - size))
  while (kept.length > 1 && (kept.at(-1)?.role !== 'assistant' || kept.at(-1)?.tool_calls))
    kept.pop()
  return kept
}

test('no restart, second process, other conversation or owner whose list is alike changes a byte of any request', {
  tags: 'property',
}, async () => {
  let compressed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }),
      async (steps) => {
        // One follower for each owner, which knows of no other and never ends.
        const steady = {
          a: follow(createMemoryStore(), 1000),
          b: follow(createMemoryStore(), 1000),
        }
        const store = createMemoryStore()
        const processes: [Follower<ChatMessage>, Follower<ChatMessage>] = [
          follow(store, 2),
          follow(store, 2),
        ]
        // One without a store, for far more conversations than it holds, and one for each request.
        const crowded = createFollower<ChatMessage>({ ...OPTIONS, maxConversations: 1 })
        const shared = createMemoryStore()
        let process: 0 | 1 = 0
        let list: HostList = { owner: 'a', messages: [user('Begin.')] }
        const lists = [list]
        for (const { type, size } of steps) {
          if (type === 'other process') process = process === 0 ? 1 : 0
          if (type === 'restart') processes[process] = follow(store, 2)
          if (type === 'other list') list = lists[size % lists.length] ?? list
          if (type === 'go on') list.messages.push(...createTurn(size))
          if (type === 'rewind') lists.splice(lists.indexOf(list), 1)
          if (type === 'rewind' || type === 'fork') {
            list = {
              owner: list.owner,
              messages: [...cut(list.messages, size), user(`Another way ${++made}.`)],
            }
            lists.push(list)
          }
          if (type === 'copy for another owner') {
            list = { owner: list.owner === 'a' ? 'b' : 'a', messages: [...list.messages] }
            lists.push(list)
          }
          const { owner, messages } = list
          const expected = await steady[owner].next({ model: MODEL, messages })
          const request = { model: MODEL, key: owner, messages: structuredClone(messages) }
          const sent = write((await processes[process].next(request)).messages)
          expect(sent).toEqual(write(expected.messages))
          for (const follower of [crowded, follow(shared, 1)]) {
            expect(
              write((await follower.next({ ...request, messages: [...messages] })).messages),
            ).toEqual(sent)
          }
          const grown = [...(list.sent ?? []), ...write(messages.slice(list.length ?? 0))]
          if (sent.join() !== grown.join()) {
            compressed++
            expect(needsCompression(grown)).toBe(true)
          }
          Object.assign(list, { sent, length: messages.length })
        }
      },
    ),
    { numRuns: runs(20) },
  )
  expect(compressed).toBeGreaterThan(10)
})
