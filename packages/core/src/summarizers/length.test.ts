import { expect, test } from 'vitest'
import { countUnits, measureUnit } from './length.ts'

const english = 'The retry awaits the delay and the tests pass. '.repeat(40)

test.each([
  ['too little prose', 'It works.', 1.5, 2.2],
  ['words that are cheaper than those of a summary', english, 1.5, 2.2],
  ['words of a dearer counter', english, 3.1, 3.1],
  ['what is no prose', english, 90, 6.6],
] as const)('of %s a word has the tokens that are told', (_, prose, each, tokens) => {
  const countTokens = (text: string) => (text.match(/\S+/g)?.length ?? 0) * each
  const unit = measureUnit(prose, 'en', countTokens)
  expect(unit.name).toBe('words')
  expect(unit.tokens).toBeCloseTo(tokens)
})

test('code in fences says nothing about prose', () => {
  const code = `\`\`\`\n${'x9 '.repeat(300)}\`\`\`\n`
  const countTokens = (text: string) => text.match(/\S+/g)!.length + text.split('x9').length * 50
  expect(measureUnit(english + code, 'en', countTokens).tokens).toBe(2.2)
})

test.each(['zh', 'ja'] as const)('%s is told in characters', (language) => {
  const unit = measureUnit('重试现在会等待。'.repeat(100), language, (text) => text.length)
  expect(unit).toEqual({ name: 'characters', tokens: 1 })
  expect(countUnits('重试 现在\n会等待。', unit)).toBe(8)
})
