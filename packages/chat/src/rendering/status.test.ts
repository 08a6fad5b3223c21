import pc from 'picocolors'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { createTestPalette } from '../ports.suite.ts'
import type { WindowContents } from './context-contents.ts'
import { renderGauge, renderLegend, renderShort, renderStatus } from './status.ts'

const plain = createTestPalette(pc.createColors(false))
const colored = createTestPalette(pc.createColors(true))

const contents: WindowContents = {
  kinds: {
    system: 10_000,
    requests: 5000,
    answers: 20_000,
    reasoning: 5000,
    tools: 50_000,
    summary: 10_000,
  },
  tokens: 100_000,
  windowTokens: 200_000,
  thresholdTokens: 160_000,
  reserveTokens: 20_000,
}
const empty: WindowContents = {
  ...contents,
  kinds: { system: 0, requests: 1, answers: 0, reasoning: 0, tools: 0, summary: 0 },
  tokens: 1,
}

describe('the gauge', () => {
  test('shows what fills the window by letters, where compression begins, and the reserve', () => {
    expect(renderGauge(contents, 40, plain)).toBe('ssmmqaaaartttttttttt············┊···▒▒▒▒')
  })

  test('is as wide as asked, in colours too, however full the window is', () => {
    for (const tokens of [0, 1, 50_000, 199_999, 200_000, 900_000]) {
      const full = { ...contents, tokens, kinds: { ...empty.kinds, tools: tokens } }
      for (const palette of [plain, colored])
        expect(stringWidth(renderGauge(full, 30, palette))).toBe(30)
    }
  })

  test('shows that there is something, however little', () => {
    expect(renderGauge(empty, 10, plain)).toBe('.·······┊▒')
  })

  test('has a legend that says less where there is less room', () => {
    expect(renderLegend(contents, 200, plain)).toBe(
      's system 10k  m summary 10k  q requests 5k  a answers 20k  r reasoning 5k  t tool results 50k  · free 80k  ▒ reserve 20k',
    )
    expect(renderLegend(contents, 100, plain)).toBe(
      's system 10k  m summary 10k  q you 5k  a answers 20k  r thoughts 5k  t tools 50k  · free 80k',
    )
    expect(renderLegend(contents, 20, plain)).toBe('')
  })
})

describe('the status line', () => {
  const status = { model: 'anthropic/claude-sonnet-5', contents, dollars: 0.4 }

  test.each([20, 40, 63, 64, 80, 100, 200])('fits %i columns', (columns) => {
    for (const line of renderStatus(status, columns, colored))
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  })

  test('has model, gauge, share and money, and shortens the model where there is little room', () => {
    expect(renderStatus(status, 100, plain)[0]).toMatch(
      /^ anthropic\/claude-sonnet-5 {2}s+m+q+a+r+t+·+┊·+▒+ {2}100k of 200k · 50 % {2}\$0\.40$/,
    )
    expect(renderStatus(status, 40, plain)).toEqual([' sonnet-5 smaartttt·····┊·▒▒ 50 % $0.40'])
  })

  test('says that a price is not known', () => {
    expect(renderStatus({ ...status, dollars: undefined }, 100, plain)[0]).toMatch(/\$\?$/)
  })
})

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1234, '1.2k'],
  [9960, '10k'],
  [128_000, '128k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_048_576, '1M'],
  [1_250_000, '1.3M'],
])('%i is short for %s', (count, short) => {
  expect(renderShort(count)).toBe(short)
})
