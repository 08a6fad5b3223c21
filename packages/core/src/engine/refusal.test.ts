import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, person, result, system } from '../conversation/histories.suite.ts'
import type { Conversation } from '../conversation/message.ts'
import { compressConversation } from './compress-conversation.ts'

const words = 'word '.repeat(3_000)

async function refuse(conversation: Conversation, budgetTokens = 1_000) {
  const { outcome } = await compressConversation(conversation, { budgetTokens })
  if (outcome.type !== 'cannot-fit') throw new Error(outcome.type)
  return outcome.refusal
}

describe('refusal', () => {
  test('names the tool schemas when they alone are too large', async () => {
    const refusal = await refuse({ ...conversationOf(exchanges(50)), tools: [`{"name":"${words}"}`] })
    expect(refusal.item).toBe('the tool schemas')
    expect(refusal.itemTokens).toBeGreaterThan(3_000)
  })

  test('names the system prompt when it alone is too large', async () => {
    expect((await refuse(conversationOf([system(words), ...exchanges(50)]))).item).toBe('the system prompt')
  })

  test('names a call in flight by its place in what was given and by its tool', async () => {
    const waiting = [agent(words, 'c1', 'c2'), result('c1')]
    const { item } = await refuse(conversationOf([...exchanges(50), ...waiting]))
    expect(item).toBe('message 101 of 102, an answer of the agent (read)')
  })

  test('gives a budget that is enough: what it says is the smallest result fits', async () => {
    const conversation = conversationOf([...exchanges(50), person(words)])
    const { smallestTokens } = await refuse(conversation)
    expect(smallestTokens).toBeGreaterThan(3_000)
    const { outcome } = await compressConversation(conversation, { budgetTokens: smallestTokens + 200 })
    expect(outcome.type).toBe('compressed')
  })
})
