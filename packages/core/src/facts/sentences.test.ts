import { describe, expect, test } from 'vitest'
import { isConclusion } from './is-conclusion.ts'
import { isBinding, isQuestion, splitSentences } from './sentences.ts'

describe('isBinding', () => {
  test.each([
    'Never push.',
    'Don’t touch the database',
    'do not rename it',
    'it should be faster',
    'From now on: tabs',
    'keep it read-only',
    'nur die erste Zeile',
    'das darf nicht sein',
    'il faut un test',
    'siempre con pnpm',
    'não altere os testes',
    "d'ora in poi in italiano",
    'никогда не трогай базу',
    '请不要修改数据库',
    'データベースには絶対に触らないで',
    '반드시 먼저 확인해',
  ])('%s', (sentence) => {
    expect(isBinding(sentence)).toBe(true)
  })

  test.each([
    'the parser reads lines',
    'es läuft',
    'done',
    'fix the parser',
    'whenever it is lonely',
    'src/only-once.ts',
  ])('not: %s', (sentence) => {
    expect(isBinding(sentence)).toBe(false)
  })
})

describe('isConclusion', () => {
  test.each([
    'The root cause is X.',
    'it fails',
    'because of it',
    'Deshalb ist es so',
    '因为它',
    '原因はこれ',
    '그 이유는',
  ])('%s', (sentence) => {
    expect(isConclusion(sentence)).toBe(true)
  })

  test('not: Let me look at it.', () => {
    expect(isConclusion('Let me look at it.')).toBe(false)
  })
})

test('a question ends like one', () => {
  expect(isQuestion('Is it?')).toBe(true)
  expect(isQuestion('好吗？')).toBe(true)
  expect(isQuestion('It is.')).toBe(false)
})

describe('splitSentences', () => {
  test('a sentence ends at a stop before white space, at a full-width stop, and with its line', () => {
    expect(splitSentences('Fix it in v1.25. Then run it!\n好的。再来。 e.g. this one')).toEqual([
      'Fix it in v1.25.',
      'Then run it!',
      '好的。',
      '再来。',
      'e.g. this one',
    ])
  })

  test('the number of an item and an abbreviation end nothing', () => {
    expect(splitSentences('1. first\n2. second, i.e. the last')).toEqual([
      '1. first',
      '2. second, i.e. the last',
    ])
  })
})
