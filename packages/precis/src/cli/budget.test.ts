import { describe, expect, test } from 'vitest'
import { countBudgetTokens, parseBudget } from './budget.ts'

describe('budget', () => {
  test.each([
    ['8000', 8000],
    ['8_000', 8000],
    ['8k', 8000],
    ['1.5M', 1_500_000],
    ['20%', 200],
    ['100%', 1000],
  ])('%s of a session of 1000 tokens is %i', (text, tokens) => {
    expect(countBudgetTokens(parseBudget(text), 1000)).toBe(tokens)
  })

  test.each(['', '0', '-5', '0%', '101%', '1e3', 'many', '8kk', '99999999999999999999'])('"%s" is none', (text) => {
    expect(() => parseBudget(text)).toThrow('8k')
  })
})
