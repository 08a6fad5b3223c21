import type { Message } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { compareMessages } from './compare-messages.ts'

const say = (text: string): Message => ({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] })
const compare = (before: string, after: string) =>
  compareMessages(Array.from(before, say), Array.from(after, say))
    .map(({ type, text }) => `${{ kept: '=', removed: '-', added: '+' }[type]}${text}`)
    .join(' ')

describe('compareMessages', () => {
  test.each([
    ['abcd', 'aSd', '=a -b -c +S =d'],
    ['abcd', 'abcd', '=a =b =c =d'],
    ['abcd', 'abcdef', '=a =b =c =d +e +f'],
    ['abcd', '', '-a -b -c -d'],
    ['', 'ab', '+a +b'],
    ['aXbXc', 'Xc', '-a -X -b =X =c'],
    ['ab', 'ba', '+b =a -b'],
  ])('%s to %s is %s', (before, after, expected) => {
    expect(compare(before, after)).toBe(expected)
  })

  test('the same words of another role are another message', () => {
    const other: Message = { role: 'assistant', origin: 'agent', parts: [{ type: 'text', text: 'a' }] }
    expect(compareMessages([say('a')], [other]).map(({ type }) => type)).toEqual(['removed', 'added'])
  })

  test('takes time in proportion to the messages, also when they are all the same', () => {
    const many = Array.from({ length: 100_000 }, () => say('x'))
    const startedAt = performance.now()
    expect(compareMessages(many, many.slice(50_000))).toHaveLength(100_000)
    expect(performance.now() - startedAt).toBeLessThan(3000)
  })
})
