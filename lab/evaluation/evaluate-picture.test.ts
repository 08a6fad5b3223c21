import { describe, expect, test } from 'vitest'
import { renderCostPicture } from './evaluate-picture.ts'
import type { CostRow } from './tables.ts'

const rowOf = (title: string, cost: number, recall: number): CostRow => {
  const meanOf = (mean: number) =>
    ({ mean, interval: [mean * 0.9, Math.min(mean * 1.1, 1)], points: 9, sessions: 3 }) as const
  return {
    method: { name: title, kind: 'strategy', title },
    budget: '4000',
    cost: meanOf(cost),
    refetch: undefined,
    recall: meanOf(recall),
    scored: 9,
    points: 9,
  }
}

const heightsOf = (svg: string) =>
  [...svg.matchAll(/<text class="label[^"]*" x="[\d.]+" y="([\d.]+)"/g)].map((match) =>
    Number(match[1]),
  )

describe('the picture of cost against recall', () => {
  test.each([0, 0.5, 1])('keeps 24 labels apart and inside when every recall is %d', (recall) => {
    const rows = Array.from({ length: 24 }, (_, at) => rowOf(`method-${at}`, 0.5, recall))
    const svg = renderCostPicture(rows, 'Budget 4000') ?? ''
    const heights = heightsOf(svg)
    expect(heights.length).toBe(24)
    for (const [index, height] of heights.slice(1).entries()) {
      expect(height - (heights[index] ?? 0)).toBeGreaterThanOrEqual(14.9)
    }
    const [, whole = '0'] = /viewBox="0 0 \d+ (\d+)"/.exec(svg) ?? []
    expect(Math.max(...heights)).toBeLessThan(Number(whole))
    expect(Math.min(...heights)).toBeGreaterThan(0)
  })

  test('names its axes, and takes a name as text', () => {
    const svg = renderCostPicture([rowOf('<b onload="x">', 0.4, 0.6)], 'Budget "4000"') ?? ''
    expect(svg).toContain('cost, of no compression')
    expect(svg).toContain('gCRR')
    expect(svg).toContain('&lt;b onload=&quot;x&quot;&gt;')
    expect(svg).not.toContain('<b')
  })

  test('says at how many points a partial mean was made', () => {
    expect(renderCostPicture([{ ...rowOf('bands', 0.4, 0.9), scored: 2 }], 'x')).toContain(
      '>bands 2/9<',
    )
  })

  test('is nothing without a cost and a recall', () => {
    expect(renderCostPicture([], 'x')).toBeUndefined()
    expect(renderCostPicture([{ ...rowOf('a', 1, 1), recall: undefined }], 'x')).toBeUndefined()
  })
})
