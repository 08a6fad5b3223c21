import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import type { CostRow } from '../sessions/costs.ts'
import { renderCosts } from './cost.ts'

function createRow(name: string): CostRow {
  return {
    name,
    requests: 33_132,
    input: 1_850_088,
    cacheWrite: 237_078_303,
    cacheRead: 2_915_081_793,
    output: 11_973_748,
    elsewhereTokens: 0,
    dollars: 3302.39,
    unpriced: 0,
    isElsewhereUnpriced: false,
    isOutputCounted: true,
    compactions: 144,
    compactionDollars: 0,
    unrecordedDollars: 22.38,
  }
}

test('a narrow table of models leaves out numbers rather than what tells the models apart', () => {
  const names = ['claude-opus-4-5-20251101', 'claude-sonnet-4-5-20250929', 'claude-opus-4-5']
  const rows = names.map(createRow)
  for (const columns of [60, 80, 120]) {
    const text = renderCosts(
      { rows, total: createRow('all') },
      { by: 'model', limit: 30 },
      {
        columns,
        colors: createColors(false),
      },
    )
    for (const name of names) expect(text).toContain(`  ${name} `)
    expect(text).toContain('~$3,302.39')
  }
})
