import { describe, expect, test } from 'vitest'
import { isDecision, isDemand, isQuestion } from './demands.ts'

describe('isDemand', () => {
  test.each([
    'please fix it',
    'Can you look at this?',
    'it should be faster',
    'Never push.',
    'use tabs',
    'we need a test',
    'nur die erste Zeile',
    'je veux un test',
    'quiero una prueba',
    'você pode testar',
    'vorrei un test',
    'хочу тест',
    '帮我修复',
    '直してください',
    '고쳐 줘, 해주세요',
  ])('%s', (sentence) => {
    expect(isDemand(sentence)).toBe(true)
  })

  test.each(['the parser reads lines', 'es läuft', 'done'])('not: %s', (sentence) => {
    expect(isDemand(sentence)).toBe(false)
  })
})

describe('isDecision', () => {
  test.each([
    'The root cause is X.',
    'it fails',
    'because of it',
    'Deshalb ist es so',
    '因为它',
    '原因はこれ',
    '그 이유는',
  ])('%s', (sentence) => {
    expect(isDecision(sentence)).toBe(true)
  })

  test('not: Let me look at it.', () => {
    expect(isDecision('Let me look at it.')).toBe(false)
  })
})

test('a question ends like one', () => {
  expect(isQuestion('Is it?')).toBe(true)
  expect(isQuestion('好吗？')).toBe(true)
  expect(isQuestion('It is.')).toBe(false)
})
