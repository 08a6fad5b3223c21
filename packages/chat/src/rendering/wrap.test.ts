import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import { JOINING_SPACE, wrapExactly, wrapText } from './wrap.ts'

describe('wrapping', () => {
  test('breaks at spaces, keeps line feeds, and begins lines as asked', () => {
    expect(wrapText('one two three\nfour', 9, { first: '• ', rest: '  ' })).toEqual([
      '• one two',
      '  three',
      '  four',
    ])
  })

  test('breaks a word only where it is wider than a line', () => {
    expect(wrapText('ab cdefghij kl', 5)).toEqual(['ab', 'cdefg', 'hij', 'kl'])
    expect(wrapText('日本語日本', 5)).toEqual(['日本', '語日', '本'])
  })

  test('does not break what a joining space joins, and gives it as a space', () => {
    expect(wrapText(`down to (47${JOINING_SPACE}%)`, 12)).toEqual(['down to', '(47 %)'])
  })

  test('keeps a word together whose parts have styles of their own', () => {
    const { bold } = pc.createColors(true)
    expect(wrapText(`ask ${bold('a name')}, and`, 10)).toEqual([
      `ask ${bold('a')}`,
      `${bold('name')}, and`,
    ])
  })

  test('keeps spaces at the start of a line, and none at a break', () => {
    expect(wrapText('one\n  two three', 6)).toEqual(['one', '  two', 'three'])
  })

  test('does not tear apart what is one character', () => {
    expect(wrapText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧'])
  })

  test('of code loses no space', () => {
    expect(wrapExactly('  a  b  c', 4)).toEqual(['  a ', ' b  ', 'c'])
    expect(wrapExactly('', 4)).toEqual([''])
  })
})
