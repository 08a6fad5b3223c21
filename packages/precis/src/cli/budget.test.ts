import { type AssistantMessage, type Conversation, createTokenCounter, findModel } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { countBudgetTokens } from '../batch/budget-tokens.ts'
import { parseBudget } from './budget.ts'

const counter = createTokenCounter(findModel('gpt-5'))

const answer: AssistantMessage = {
  role: 'assistant',
  origin: 'agent',
  parts: [
    { type: 'reasoning', text: '', signatureLength: 40_000 },
    { type: 'text', text: 'word '.repeat(1_000).trim() },
  ],
}

const conversation: Conversation = { protocol: 'openai-chat', messages: [answer], tools: [] }

describe('budget', () => {
  test.each([
    ['8000', 8000],
    ['8_000', 8000],
    ['8k', 8000],
    ['1.5M', 1_500_000],
    ['20%', 200],
  ])('%s of a session with 1000 tokens of text is %i', (text, tokens) => {
    expect(countBudgetTokens(parseBudget(text), conversation, counter)).toBe(tokens)
  })

  test('100% is everything that counts, hidden reasoning included', () => {
    expect(countBudgetTokens(parseBudget('100%'), conversation, counter)).toBe(
      counter.countConversation(conversation).upper,
    )
  })

  test.each(['', '0', '-5', '0%', '101%', '1e3', 'many', '8kk', '99999999999999999999'])('"%s" is none', (text) => {
    expect(() => parseBudget(text)).toThrow('8k')
  })
})
