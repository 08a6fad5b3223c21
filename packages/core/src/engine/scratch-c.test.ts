import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, histories, person } from '../conversation/histories.suite.ts'
import { checkInvariants, repairInvariants } from '../conversation/invariants/index.ts'
import { createSummaryMessage, isSummary } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import { strategies } from '../strategies/index.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'

const protocols = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-contents'] as const
const counter = createTokenCounter(findModel('gpt-5'))
describe.each(Object.values(strategies))('$name', (strategy) => {
  test.each(protocols)('valid %s', async (protocol) => {
    let compressed = 0
    await fc.assert(
      fc.asyncProperty(histories, fc.double({ min: 0.05, max: 0.9, noNaN: true }), async (history, share) => {
        const conversation = { ...history, protocol }
        const before = counter.countConversation(conversation).upper
        const r = await compressConversation(conversation, { strategy, budgetTokens: Math.floor(before * share) })
        if (r.outcome.type === 'compressed') {
          compressed++
          expect(checkInvariants(r.conversation)).toEqual([])
        }
      }),
      { numRuns: 250 },
    )
    console.log(strategy.name, protocol, compressed)
  })
  test('one live summary', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(40), fc.double({ min: 0.05, max: 0.9, noNaN: true }), async (history, at, share) => {
        const messages = [...history.messages]
        const cut = Math.min(at, messages.length)
        messages.splice(cut, 0, createSummaryMessage('old '.repeat(100)))
        const conversation = { ...history, messages }
        const before = counter.countConversation(conversation).upper
        const r = await compressConversation(conversation, { strategy, budgetTokens: Math.floor(before * share) })
        expect(r.conversation.messages.filter(isSummary).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 400 },
    )
  })
})
