import { describe, expect, test } from 'vitest'
import { pageStyle } from './page-style.ts'

const [light = '', dark = ''] = pageStyle.split('@media (prefers-color-scheme: dark)')

function readColors(style: string): Map<string, string> {
  return new Map(
    [...style.matchAll(/--([a-z]{1,20}): (#[0-9a-f]{6})/g)].map(([, name = '', color = '']) => [
      name,
      color,
    ]),
  )
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

describe.each([
  ['light', readColors(light)],
  ['dark', readColors(dark.slice(0, dark.indexOf('}')))],
])('the colours of a page in %s', (_, colors) => {
  const of = (name: string) => colors.get(name) ?? '#000000'

  test.each(['ink', 'faint', 'accent', 'other', 'warn'])(
    'text in --%s can be read on every ground',
    (name) => {
      for (const ground of ['paper', 'raised', 'mark']) {
        if (ground === 'mark' && name === 'other') continue
        expect([name, ground, contrast(of(name), of(ground)) >= 4.5]).toEqual([name, ground, true])
      }
    },
  )

  test.each([
    'system',
    'user',
    'assistant',
    'reasoning',
    'calls',
    'results',
    'kept',
    'changed',
    'summarized',
    'removed',
    'added',
  ])('--%s can be told from the paper', (name) =>
    expect(contrast(of(name), of('paper'))).toBeGreaterThanOrEqual(3),
  )
})
