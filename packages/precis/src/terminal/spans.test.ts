import { describe, expect, test } from 'vitest'
import { JOINING_SPACE, wrapExactly, wrapSpans, wrapText } from './spans.ts'

describe('wrapping', () => {
  test('breaks at spaces, keeps line feeds, and begins lines as asked', () => {
    expect(wrapText('one two three\nfour', 9, { first: '• ', rest: '  ' })).toEqual(['• one two', '  three', '  four'])
  })

  test('breaks a word only where it is wider than a line', () => {
    expect(wrapText('ab cdefghij kl', 5)).toEqual(['ab cd', 'efghi', 'j kl'])
    expect(wrapText('日本語日本', 5)).toEqual(['日本', '語日', '本'])
  })

  test('does not break what a joining space joins, and gives it as a space', () => {
    expect(wrapText(`down to (47${JOINING_SPACE}%)`, 12)).toEqual(['down to', '(47 %)'])
  })

  test('keeps a word together whose parts have styles of their own', () => {
    const style = (text: string) => `<${text}>`
    const spans = [{ text: 'ask ' }, { text: 'a name', style }, { text: ', and' }]
    expect(wrapSpans(spans, 10)).toEqual(['ask <a>', '<name>, and'])
    expect(wrapSpans([{ text: 'abcdef', style }, { text: 'ghij' }], 4)).toEqual(['<abcd>', '<ef>', 'ghij'])
  })

  test('styles each run once, on each of its lines', () => {
    const style = (text: string) => `<${text}>`
    expect(wrapSpans([{ text: 'a b ' }, { text: 'c d', style }, { text: ' e' }], 20)).toEqual(['a b <c d> e'])
    expect(wrapSpans([{ text: 'aaa bbb', style }], 4)).toEqual(['<aaa>', '<bbb>'])
  })

  test('of code loses no space', () => {
    expect(wrapExactly('  a  b  c', 4)).toEqual(['  a ', ' b  ', 'c'])
    expect(wrapExactly('', 4)).toEqual([''])
  })
})
