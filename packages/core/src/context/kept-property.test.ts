import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { assistant, type ChatMessage, call, toolResult, user } from './context.suite.ts'
import { createContext } from './create-context.ts'
import { createFollower, type Follower } from './follow.ts'
import { createMemoryStore } from './memory-store.ts'
import type { ConversationStore } from './store.ts'

const MODEL = 'gpt-5'
const OPTIONS = { format: 'openai-chat', windowTokens: 4000 } as const

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
  const long = (words: string) => `${words} of line ${number} in src/module${number}.ts `.repeat(size)
  return [
    ...(size % 2 === 0 ? [call(`c${number}`), toolResult(`c${number}`, long('the whole content'))] : []),
    assistant(`Answer ${number}: ${long('it is the parser')}`),
    user(`Request ${number}: ${long('please look at the parser')}`),
  ]
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('go on' as const), size: fc.integer({ min: 1, max: 16 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rewind' as const), size: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fork' as const), size: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('other list' as const), size: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('again' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('restart' as const), size: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('other process' as const), size: fc.constant(0) }) },
)

test('restarts and a second process change no byte of any request', { tags: 'property' }, async () => {
  let compressed = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 90, size: 'max' }), async (steps) => {
      const steady = follow(createMemoryStore(), 1000)
      const store = createMemoryStore()
      const processes = [follow(store, 2), follow(store, 2)]
      const lists: ChatMessage[][] = [[user('Begin.')]]
      const sentOf = new Map<ChatMessage[], { given: number; sent: string[] }>()
      let [list] = lists as [ChatMessage[]]
      let process = 0
      for (const { type, size } of steps) {
        if (type === 'other process') process = 1 - process
        if (type === 'restart') processes[process] = follow(store, 2)
        if (type === 'other list') list = lists[size % lists.length] ?? list
        if (type === 'fork' || type === 'rewind') {
          const end = Math.max(1, list.length - size)
          const kept = list.slice(0, end)
          while (kept.length > 1 && kept.at(-1)?.role !== 'assistant') kept.pop()
          if (kept.at(-1)?.tool_calls) kept.pop()
          if (type === 'rewind') lists.splice(lists.indexOf(list), 1)
          list = [...kept, user(`Another way ${++made}.`)]
          lists.push(list)
        }
        if (type === 'go on') list.push(...createTurn(size))
        const expected = await steady.next({ model: MODEL, messages: list })
        const { messages } = await (processes[process] as Follower<ChatMessage>).next({
          model: MODEL,
          messages: structuredClone(list),
        })
        expect(JSON.stringify(messages)).toBe(JSON.stringify(expected.messages))
        const sent = messages.map((message) => JSON.stringify(message))
        const before = sentOf.get(list)
        if (before) {
          const grown = [...before.sent, ...list.slice(before.given).map((message) => JSON.stringify(message))]
          if (sent.join('\n') !== grown.join('\n')) {
            compressed++
            const context = createContext({ ...OPTIONS, model: MODEL, messages: grown.map((one) => JSON.parse(one)) })
            expect(context.state.needsCompression).toBe(true)
          }
        }
        sentOf.set(list, { given: list.length, sent })
      }
    }),
    { numRuns: runs(30) },
  )
  expect(compressed).toBeGreaterThan(10)
})
