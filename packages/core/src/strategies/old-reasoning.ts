/** Reasoning that may go: signed, encrypted or plain, of answers that are settled. */
import type { Clearing } from './part-changes.ts'
import { FREED_SHARE, type PartSizes } from './part-sizes.ts'
import type { StrategyView } from './strategy.ts'
import { findZoneEnd, type Zone, type ZoneItem } from './zone.ts'

/** One clearing per answer in the zone, oldest first. An answer of nothing but reasoning keeps it: it would be empty. */
export function findOldReasoning(view: StrategyView, sizes: PartSizes, zone: Zone): Clearing[] {
  const { messages } = view.conversation
  const found: (ZoneItem & Clearing)[] = []
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || message.parts.every(({ type }) => type === 'reasoning')) return
    const changes = message.parts.flatMap(({ type }, part) =>
      type === 'reasoning' ? [{ message: index, part, becomes: [] }] : [],
    )
    if (changes.length === 0) return
    const tokens = changes.reduce((sum, { part }) => sum + sizes.tokensOf(index, part), 0)
    found.push({ message: index, tokens, changes, freedTokens: Math.max(tokens * FREED_SHARE, 1) })
  })
  const end = findZoneEnd(view, zone, found)
  return found.filter(({ message }) => message < end)
}
