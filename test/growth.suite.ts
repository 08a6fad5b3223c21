/**
 * Facts about time that hold on every machine, however slow and however busy: what is measured is
 * only ever compared with what was measured a moment before.
 */
import { expect } from 'vitest'

// Linear work takes 8 times as long, up to 20 with all its garbage; quadratic work 64 times.
const LARGER = 8
const MOST_GROWTH = 32
// Of several attempts one is enough: what is quadratic is so at every one, what disturbs comes and
// goes.
const ATTEMPTS = 4
const RUNS = 3
// Below this the clock and the collection of garbage decide, not the work.
const LEAST_MS = 10
const MOST_ENLARGED = 32
const MOST_REPEATED = 64
const CLOCK_MS = 1

/**
 * Eight times the input takes about eight times as long, and not 64 times: `run` is linear, or
 * nearly so. What `make` does is not measured. `size` is where it begins; it doubles, up to 32
 * times as much, until a run is long enough to be measured.
 */
export async function expectLinearGrowth<Input>(
  make: (size: number) => Input,
  run: (input: Input) => unknown,
  size: number,
): Promise<void> {
  const measure = (of: number) => {
    const input = make(of)
    return measureMs(() => run(input))
  }
  const measureSmall = (of: number) => findFastest(() => measure(of))
  let small = size
  await expectOneBelow(
    MOST_GROWTH,
    `the growth of what takes ${LARGER} times as much`,
    async () => {
      let smallMs = await measureSmall(small)
      while (smallMs < LEAST_MS && small < size * MOST_ENLARGED) {
        small *= 2
        smallMs = await measureSmall(small)
      }
      return (await measure(small * LARGER)) / Math.max(smallMs, CLOCK_MS)
    },
  )
}

/**
 * `run` takes less than `times` as long as `other`. Both are repeated until `other` is long enough
 * to be measured.
 */
export async function expectLessThan(
  times: number,
  other: () => unknown,
  run: () => unknown,
): Promise<void> {
  let repeated = 1
  const measure = (work: () => unknown) =>
    measureMs(async () => {
      for (let time = 0; time < repeated; time++) await work()
    })
  const measureOther = () => findFastest(() => measure(other))
  await expectOneBelow(times, 'how many times as long it takes', async () => {
    let otherMs = await measureOther()
    while (otherMs < LEAST_MS && repeated < MOST_REPEATED) {
      repeated *= 2
      otherMs = await measureOther()
    }
    return (await measure(run)) / Math.max(otherMs, CLOCK_MS)
  })
}

async function expectOneBelow(
  most: number,
  what: string,
  attempt: () => Promise<number>,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let attempts = 0; attempts < ATTEMPTS && least >= most; attempts++)
    least = Math.min(least, await attempt())
  expect(least, what).toBeLessThan(most)
}

async function findFastest(measure: () => Promise<number>): Promise<number> {
  let best = await measure()
  for (let run = 1; run < RUNS; run++) best = Math.min(best, await measure())
  return best
}

/** Processor time of this process: that of others is not in it. */
async function measureMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
