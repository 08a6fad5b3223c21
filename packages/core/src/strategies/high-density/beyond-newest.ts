import type { CallView } from '../strategy.ts'

/** Calls with more than `keepResults` newer ones of their tool behind them, in order. */
export function findBeyondNewest(calls: readonly CallView[], keepResults: number): CallView[] {
  const counts = new Map<string, number>()
  const beyond: CallView[] = []
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index]!
    const newer = counts.get(call.name) ?? 0
    counts.set(call.name, newer + 1)
    if (newer >= keepResults) beyond.push(call)
  }
  return beyond.reverse()
}
