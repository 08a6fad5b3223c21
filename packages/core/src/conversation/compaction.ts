/**
 * A compaction of the provider replaces everything before it. Anthropic ignores what is before its
 * latest `compaction` block, and OpenAI needs nothing before its item (platform.claude.com/docs,
 * compaction, and developers.openai.com, compaction). Nothing else is left of the past, so it stays
 * as long as it fits.
 */
import type { Compaction, Message, Part } from './message.ts'

/** Position of the message with the provider's latest compaction. -1 if there is none. */
export function findCompaction(messages: readonly Message[]): number {
  return messages.findLastIndex(({ parts }) => parts.some(isCompaction))
}

export const isCompaction = ({ compaction }: Part): boolean => compaction !== undefined

/** The provider's latest compaction. */
export function readCompaction(messages: readonly Message[]): Compaction | undefined {
  const parts: readonly Part[] = messages[findCompaction(messages)]?.parts ?? []
  return parts.findLast(isCompaction)?.compaction
}

/** End of the leading system prompts. */
export function findSystemEnd(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return first < 0 ? messages.length : first
}
