/** Places and heights along an axis. */

const MOST_TICKS = 5

/** Round steps from zero up to at least `most`. */
export function chooseTicks(most: number): number[] {
  const rough = Math.max(most, 1e-6) / MOST_TICKS
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough
  const count = Math.max(Math.ceil(most / step), 1)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The first position of an axis, the last and three between them. */
export function spreadPlaces(last: number): number[] {
  return [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * last)))]
}

/** A long row of values in at most `most` stretches, each as high as the largest value in it. */
export function thinOut(
  values: readonly number[],
  most: number,
): { start: number; end: number; top: number }[] {
  const width = Math.max(Math.ceil(values.length / most), 1)
  return Array.from({ length: Math.ceil(values.length / width) }, (_, index) => {
    const [start, end] = [index * width, Math.min((index + 1) * width, values.length)]
    return { start, end, top: findLargest(values.slice(start, end)) }
  })
}

/** 0 for an empty list. */
export function findLargest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}
