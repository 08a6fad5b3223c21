import type { Message } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { searchHistories } from './search-histories.ts'

const say = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})

describe('the latest history that has a text', () => {
  test('is found by any part of a message, in any script, and before the mark of a cut', () => {
    const histories = [
      [
        say('Never touch the cache.'),
        say('\u53ea\u6539\u8fd9\u4e2a\u6587\u4ef6\uff0c\u4e0d\u8981\u6539\u522b\u7684\u3002'),
        say('ok'),
      ],
      undefined,
      [say('Never touch  the\ncache. Or so.'), say('ok')],
    ]
    const texts = [
      'touch the cache',
      'ok',
      '\u8fd9\u4e2a\u6587\u4ef6\uff0c\u4e0d\u8981\u6539',
      'Never touch the\u2026',
      'Never touched',
    ]
    const findLatest = searchHistories(histories, texts)
    expect(texts.map(findLatest)).toEqual([2, 2, 0, 2, -1])
  })

  test('is found in a time that grows with what is said', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (size) =>
        Array.from({ length: size }, (_, index) => [
          say(`Look at part ${index * 7919} of it now.`),
        ]),
      (histories) =>
        searchHistories(
          histories,
          histories.map((_, index) => `Look at part ${index * 7919 + 1} of it now.`),
        ),
      250,
    )
  })
})
