/** Numbers of charts: round steps for axes, short labels, coordinates without noise. */

const MOST_TICKS = 5

/** Round steps from zero up to at least `most`. */
export function chooseTicks(most: number): number[] {
  const rough = Math.max(most, 1e-6) / MOST_TICKS
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough
  const count = Math.max(Math.ceil(most / step), 1)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** `40k`, `1.2M` */
export function renderShort(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`
  return value >= 1000 ? `${Number((value / 1000).toFixed(1))}k` : String(Math.round(value))
}

export function round(value: number): number {
  return Math.round(value * 10) / 10
}
