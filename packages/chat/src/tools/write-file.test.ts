import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { renderDiff } from './write-file.ts'

const lines = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  .map((list) => list.join('\n'))

describe('a diff', () => {
  test('shows changed lines between three that stay', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n')
    expect(renderDiff(before, before.replace('5', 'five'))).toBe(
      ' 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8',
    )
  })

  test('removes as many lines as are gone and adds as many as came', { tags: 'property' }, () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = before === after ? [] : renderDiff(before, after).split('\n')
        const removed = diff.filter((line) => line.startsWith('-')).length
        const added = diff.filter((line) => line.startsWith('+')).length
        const count = (text: string) => (text === '' ? 0 : text.split('\n').length)
        expect(added - removed).toBe(before === after ? 0 : count(after) - count(before))
      }),
    )
  })

  test('of large files takes time in line with their size', async () => {
    await expectLinearGrowth(
      (length) => Array.from({ length }, (_, index) => `line ${index}`).join('\n'),
      (before) =>
        expect(renderDiff(before, before.replaceAll('line', 'row')).split('\n')).toHaveLength(401),
      5_000,
    )
  })
})
