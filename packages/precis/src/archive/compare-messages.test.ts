import type { Message } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { compareMessages } from './compare-messages.ts'

const say = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})
const compare = (before: string, after: string, write = say) =>
  compareMessages(Array.from(before, write), Array.from(after, write))
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
    const other: Message = {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'text', text: 'a' }],
    }
    expect(compareMessages([say('a')], [other]).map(({ type }) => type)).toEqual([
      'removed',
      'added',
    ])
  })

  describe('after the agent went on', () => {
    const tell = (letter: string): Message => {
      const parts = [{ type: 'text' as const, text: letter }]
      if (/[A-Z]/.test(letter)) return { role: 'user', origin: 'environment', parts }
      if (letter === '!') return { role: 'user', origin: 'synthetic', parts }
      return /[u-z]/.test(letter)
        ? { role: 'user', origin: 'user', parts }
        : { role: 'assistant', origin: 'agent', parts }
    }
    test.each([
      [
        'surroundings told anew hide nothing',
        'ABCDuava',
        '!uavawABCD',
        '-A -B -C -D +! =u =a =v =a +w +A +B +C +D',
      ],
      ['what was told between stays too', 'uaABvb', '!ABvbABw', '-u -a +! =A =B =v =b +A +B +w'],
      ['an order given again hides nothing', 'uxavbwc', '!vbwcx', '-u -x -a +! =v =b =w =c +x'],
      ['of surroundings alone the newest stay', 'ABCAB', '!AB', '-A -B -C +! =A =B'],
    ])('%s', (_, before, after, expected) => {
      expect(compare(before, after, tell)).toBe(expected)
    })
  })

  test('takes time in proportion to the messages, also when they are all the same', {
    tags: 'slow',
  }, async () => {
    await expectLinearGrowth(
      (length) => Array.from({ length }, () => say('x')),
      (many) =>
        expect(compareMessages(many, many.slice(many.length / 2))).toHaveLength(many.length),
      2_000,
    )
  })

  test('does so when they come in the opposite order', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (length) => Array.from({ length }, (_, at) => say(String(at))),
      (many) =>
        expect(compareMessages(many, [...many].reverse())).toHaveLength(2 * many.length - 1),
      2_000,
    )
  })
})
