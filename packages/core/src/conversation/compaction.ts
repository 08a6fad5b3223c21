/**
 * A compaction of the provider stands for all that came before it: Anthropic leaves out what stands
 * before its newest `compaction` block, and OpenAI needs none of it beside its item
 * (platform.claude.com/docs, compaction; developers.openai.com, compaction). It is all that is left
 * of the past, so it stays as long as there is room for it.
 */
import type { Compaction, Message, Part } from './message.ts'

/** Position of the message with the newest compaction of the provider; -1 where there is none. */
export function findCompaction(messages: readonly Message[]): number {
  return messages.findLastIndex(({ parts }) => parts.some(isCompaction))
}

export const isCompaction = ({ compaction }: Part): boolean => compaction !== undefined

/** The newest compaction of the provider. */
export function readCompaction(messages: readonly Message[]): Compaction | undefined {
  const parts: readonly Part[] = messages[findCompaction(messages)]?.parts ?? []
  return parts.findLast(isCompaction)?.compaction
}

/** End of the leading system prompts. */
export function findSystemEnd(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return first < 0 ? messages.length : first
}
