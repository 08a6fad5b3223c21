/** Which texts the person typed, where they look like something that was injected. */
import { isSummaryText } from '../../conversation/summary-message.ts'
import { readItem } from '../openai-responses/read-item.ts'
import type { RolloutItem } from './rollout.ts'

/** Whether text is one XML-like element from its first to its last character, whatever its name. */
export function isWrappedInTag(text: string): boolean {
  const trimmed = text.trim()
  const name = /^<([a-z][a-z0-9_-]{0,60})[ >]/i.exec(trimmed)?.[1]
  return name !== undefined && trimmed.endsWith(`</${name}>`)
}

/** Codex writes an event for every message that was typed: one element without such an event was injected. */
export function withTypedOrigin(item: RolloutItem, typedTexts: ReadonlySet<string>): RolloutItem {
  if (item.origin !== 'user' && item.origin !== 'synthetic') return item
  const { parts } = readItem(item.item, item.ordinal)
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const isTyped = typedTexts.has(text.trim())
  // Pasted by the person, a summary is the person's words.
  if (item.origin === 'synthetic') return isTyped && isSummaryText(text) ? { ...item, origin: 'user' } : item
  return isWrappedInTag(text) && !isTyped ? { ...item, origin: 'synthetic' } : item
}
