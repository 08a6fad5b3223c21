/** Which part of a history is old enough to be cleared. */
import { findUnsettled } from './newest-answer.ts'
import type { StrategyView } from './strategy.ts'

/** The oldest share of the turns, or everything older than the newest tokens of a kind. */
export type Zone = { readonly fraction: number } | { readonly keepTokens: number }

/** Something that may be cleared, and how large it is. */
export interface ZoneItem {
  readonly message: number
  readonly tokens: number
}

/** Throws `RangeError` on a share that is none and on a negative number of tokens. */
export function assertZone(zone: Zone, name: string): void {
  if ('fraction' in zone) {
    if (zone.fraction >= 0 && zone.fraction <= 1) return
    throw new RangeError(`Planning with ${name}.fraction ${zone.fraction}: give a number from 0 to 1.`)
  }
  if (zone.keepTokens >= 0) return
  throw new RangeError(`Planning with ${name}.keepTokens ${zone.keepTokens}: give a number of tokens, 0 or more.`)
}

/** Where the zone ends, exclusive, never inside the newest answer. `items` ascend; their tokens are what `keepTokens` counts. */
export function findZoneEnd(view: StrategyView, zone: Zone, items: readonly ZoneItem[]): number {
  const end = 'fraction' in zone ? findFractionEnd(view, zone.fraction) : findTokensEnd(items, zone.keepTokens)
  return Math.min(end, findUnsettled(view))
}

/** The first `floor(turns × fraction)` turns, what stands before them included (coding-agent-manager). */
function findFractionEnd({ turns, conversation }: StrategyView, fraction: number): number {
  const count = conversation.messages.length
  const turnCount = Math.floor(turns.length * fraction)
  // An agent may work for hours on one request: a share of too few turns is a share of the messages.
  if (turnCount === 0) return Math.floor(count * fraction)
  return turns[turnCount]?.start ?? count
}

function findTokensEnd(items: readonly ZoneItem[], keepTokens: number): number {
  let tokens = 0
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]!
    tokens += item.tokens
    if (tokens > keepTokens) return item.message + 1
  }
  return 0
}
