/** One line of a benchmark: what was measured, and against which bar. */
export interface Row {
  readonly name: string
  readonly value: string
  /** The limit from the design, where there is one. */
  readonly bar?: string
  readonly passed?: boolean
}

/**
 * Milliseconds of the fastest of several runs: what the code needs when nothing else gets in its
 * way.
 */
export async function fastest(runs: number, task: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    await task()
    best = Math.min(best, performance.now() - started)
  }
  return best
}

export function compare(name: string, ratio: number, limit: number, digits = 2): Row {
  return { name, value: `× ${ratio.toFixed(digits)}`, bar: `≤ × ${limit}`, passed: ratio <= limit }
}

/**
 * Processor time since `started`: unseen text can be counted only once, and other processes must
 * not spoil that.
 */
export function measureCpuMs(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}
