import type { ContextCompression, Refusal } from '@precis/core'
import pc from 'picocolors'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { createTestPalette } from '../ports.suite.ts'
import { createFakeAgent } from '../screen/fake-agent.suite.ts'
import { renderCompressionLine, renderCompressionReport } from './compression-report.ts'

const palette = createTestPalette(pc.createColors(false))
const nothing = {
  trigger: 'manual',
  report: undefined,
  tokensBefore: 9000,
  tokensAfter: 9000,
} as const

describe('a compression', () => {
  test('is told with what it kept, within every width', async () => {
    const agent = createFakeAgent({ resume: '1', stepMs: 0 })
    const compression = await agent.context.compress()
    for (const columns of [40, 64, 100]) {
      const lines = renderCompressionReport(compression, columns, palette)
      expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(
        'facts in removed text: 9 of 12 kept verbatim',
      )
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    }
    expect(renderCompressionReport(compression, 40, palette).at(-1)).toBe(
      '  path 9 of 12, 3 missing',
    )
  })

  test('that cut what alone was too large says so, in one line too', async () => {
    const agent = createFakeAgent({ resume: '1', stepMs: 0 })
    const compression = await agent.context.compress()
    const rungs = [{ name: 'clip-parts', tokensBefore: 12_000, tokensAfter: 3000 }]
    const clipped = { ...compression, report: { ...compression.report!, rungs } }
    const say = (told: ContextCompression) =>
      renderCompressionLine(told, 100, palette).join(' ').replace(/\s+/g, ' ')
    expect(say(clipped)).toContain('what alone was too large is cut in its middle')
    expect(say(compression)).not.toContain('cut')
  })

  const refusal: Refusal = {
    limit: 'tokens',
    isOverhead: false,
    item: 'message 3\u001b[2J',
    itemTokens: 9000,
    budgetTokens: 4000,
    smallestTokens: 9100,
  }
  const outcomes: [ContextCompression['outcome'], string][] = [
    [
      { type: 'unchanged', reason: 'no-legal-cut' },
      '◇ nothing to compress: there is no place where it may be cut.',
    ],
    [{ type: 'ineffective', savedShare: 0.02 }, '◇ not compressed: it would save only 2 %.'],
    [
      { type: 'recall-too-low', recall: 0.4, minRecall: 0.8 },
      '◇ not compressed: the result would keep 40 % of the facts, 80 % are wanted.',
    ],
    [{ type: 'cannot-fit', refusal }, '◇ cannot fit 4,000 tokens: message 3�[2J alone has 9,000.'],
    [{ type: 'vetoed', reason: 'not now' }, '◇ not compressed: not now'],
    [{ type: 'discarded' }, '◇ not compressed: the history changed meanwhile.'],
    [{ type: 'aborted' }, '◇ cancelled; the history is as it was.'],
    [
      { type: 'failed', error: new Error('the disk is full.') },
      '◇ compressing failed: the disk is full. The history is as it was.',
    ],
  ]
  test.each(outcomes)('that came to nothing says why: %j', (outcome, said) => {
    expect(renderCompressionLine({ ...nothing, outcome }, 100, palette)).toEqual([said])
  })
})
