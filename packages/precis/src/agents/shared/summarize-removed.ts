/**
 * One summary for what an agent removes when it compacts inside its own process, and keeps messages
 * next to it:
 *
 *   removed ── staying        summary ── staying
 */
import {
  type Conversation,
  createTokenCounter,
  findModel,
  type Message,
  type RecallPath,
} from '@precis/core'
import { readSummary, readText } from '@precis/core/conversation'
import { compactHistory } from '@precis/core/hosts'
import { renderCompactionLine } from './compaction-line.ts'

export interface RemovedPart {
  /** As the agent sends it before it compacts. */
  readonly conversation: Conversation
  readonly removed: readonly Message[]
  readonly staying: readonly Message[]
}

export interface RemovedSummaryOptions {
  /** The model that continues, as the agent knows it. */
  readonly model?: { readonly id?: string; readonly contextWindow?: number } | undefined
  readonly instructions?: string | undefined
  readonly recall?: RecallPath | undefined
  readonly signal?: AbortSignal | undefined
  /** What a model did for it, for the user. */
  readonly asked?: string
}

export interface RemovedSummary {
  readonly text: string
  /** What changed, for the user. */
  readonly line: string
}

// Less than this share of what is removed is not worth what it loses.
const LEAST_SAVED_SHARE = 0.05

/** Returns the reason if no summary is smaller than what it would replace. */
export async function summarizeRemoved(
  { conversation, removed, staying }: RemovedPart,
  { model, instructions, recall, signal, asked }: RemovedSummaryOptions,
): Promise<RemovedSummary | string> {
  const known = findModel(model?.id ?? conversation.model ?? '')
  const contextWindowTokens = model?.contextWindow || known.contextWindowTokens
  const counter = createTokenCounter({ ...known, contextWindowTokens }, { byCharacters: true })
  const count = (messages: readonly Message[]) =>
    counter.countConversation({ ...conversation, messages })
  const compacted = await compactHistory(
    { ...conversation, messages: removed },
    {
      counter,
      keeps: 'nothing',
      ...(instructions !== undefined && { instructions }),
      ...(recall && { recall, isKept: true }),
      ...(signal && { signal }),
    },
  )
  if (compacted.type === 'left') return compacted.reason
  const { messages } = compacted.compression.conversation
  if (count(messages).upper > count(removed).upper * (1 - LEAST_SAVED_SHARE))
    return 'no summary is shorter than what it would replace'
  const text = messages
    .filter((message) => readSummary(message) !== undefined)
    .map(readText)
    .join('\n')
  const line = renderCompactionLine(compacted, {
    before: count([...removed, ...staying]),
    after: count([...messages, ...staying]),
    asked,
  })
  return { text, line }
}
