import type { Band } from './band.ts'

/**
 * The band of each turn. Turn i of n stands at i / n · 100; a band takes the positions from its start up to its end.
 *
 *   10 turns     0    10   20   30   40   50   60   70   80   90
 *   0–50, 50–80  ■    ■    ■    ■    ■    □    □    □
 *   95–100                                                    ■
 *
 * No position of few turns lies near 100. A band that ends there and would be empty takes the newest turn, which
 * coding-agent-manager leaves out; only a turn that is alone stays at position 0.
 */
export function findTurnBands(turnCount: number, bands: readonly Band[]): (Band | undefined)[] {
  const found: (Band | undefined)[] = []
  let next = 0
  for (let turn = 0; turn < turnCount; turn++) {
    const position = (turn / turnCount) * 100
    while ((bands[next]?.end ?? Infinity) <= position) next++
    const band = bands[next]
    found.push(band && band.start <= position ? band : undefined)
  }
  const last = bands.at(-1)
  const isAlone = turnCount === 1 && found[0] !== undefined
  if (turnCount > 0 && !isAlone && last?.end === 100 && !found.includes(last)) found[turnCount - 1] = last
  return found
}
