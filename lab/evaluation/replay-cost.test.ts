import { type Conversation, createTokenCounter, findModel, type Message } from '@precis/core'
import { describe, expect, test } from 'vitest'
import {
  knowEntities,
  readConversationItems,
  renderItems,
} from '../../packages/precis/src/replay/items.ts'
import { replayCost, TRIGGER_TOKENS } from './replay-cost.ts'

const counter = createTokenCounter(findModel('gpt-4o'))
const text = (role: 'user' | 'assistant', words: string): Message =>
  role === 'user'
    ? { role, origin: 'user', parts: [{ type: 'text', text: words }] }
    : { role, origin: 'agent', parts: [{ type: 'text', text: words }] }
const historyOf = (messages: readonly Message[]) => {
  const conversation: Conversation = { protocol: 'openai-chat', messages, tools: [] }
  const itemsOf = (message: Message) =>
    knowEntities(readConversationItems({ messages: [message] }), '')
  return {
    conversation,
    itemsOf,
    render: (window: readonly Message[]) => renderItems(window.flatMap(itemsOf)),
    counter,
  }
}
const long = (words: string) => `${words} `.repeat(6000)
const turns = Array.from({ length: 20 }, (_, turn) => [
  text('user', long(`step${turn}`)),
  text('assistant', `done ${turn}`),
]).flat()

describe('the cost of a replay', () => {
  test('is that of the session when nothing is ever compressed', async () => {
    const { cost, compressions } = await replayCost(
      historyOf(turns.slice(0, 4)),
      async () => undefined,
    )
    const [first = 0, answer = 0, second = 0] = turns.map(
      (message) => counter.countMessage(message).upper,
    )
    expect(cost.total).toBeCloseTo(1.25 * first + 0.1 * first + 1.25 * (answer + second))
    expect(cost.kept).toBeCloseTo(cost.total)
    expect(compressions).toBe(0)
  })

  test('falls when old turns go, and every compression pays for the window that it changed', {
    tags: 'slow',
  }, async () => {
    const windows: number[] = []
    const { cost, compressions } = await replayCost(historyOf(turns), async (window) => {
      windows.push(counter.countConversation(window).upper)
      return { ...window, messages: window.messages.slice(-1) }
    })
    expect(compressions).toBeGreaterThan(1)
    expect(Math.min(...windows)).toBeGreaterThan(TRIGGER_TOKENS)
    expect(cost.kept).toBeLessThan(cost.total)
  })

  test('counts what was needed, missing and has to be read again', { tags: 'slow' }, async () => {
    const needed = text('user', 'netPrice_77 comes from the supplier table of the year')
    const use = (turn: number): Message => ({
      role: 'assistant',
      origin: 'agent',
      parts: [
        {
          type: 'tool-call',
          callId: `c${turn}`,
          name: 'shell',
          input: { command: 'grep netPrice_77 src' },
        },
      ],
    })
    const answer = (turn: number): Message => ({
      role: 'tool',
      origin: 'environment',
      parts: [
        {
          type: 'tool-result',
          callId: `c${turn}`,
          output: [{ type: 'text', text: 'none' }],
          isError: false,
        },
      ],
    })
    const history = historyOf([needed, ...turns, use(1), answer(1)])
    const forgets = await replayCost(history, async (window) => ({
      ...window,
      messages: window.messages.slice(-1),
    }))
    const keeps = await replayCost(history, async (window) => ({
      ...window,
      messages: [needed, ...window.messages.slice(-1)],
    }))
    expect(keeps.refetch.kept).toBe(0)
    expect(forgets.refetch.kept).toBeCloseTo(
      1.25 * counter.countText('netPrice_77 comes from the supplier table of the year').upper,
    )
  })
})
