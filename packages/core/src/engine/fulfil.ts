import type { Edit, SettledEdit, SummarizeEdit } from '../conversation/edit.ts'
import { type Conversation, createSyntheticMessage, type Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'

interface FulfilOptions {
  readonly summarizer: Summarizer
  readonly counter: TokenCounter
  readonly instructions?: string
  readonly signal?: AbortSignal
}

// Joining text can split tokens differently than counting its pieces; this many stay unused.
const JOIN_SLACK_TOKENS = 8

/** Turns what was asked for into what `apply` carries out. Undefined when a summary came back empty. */
export async function fulfil(
  conversation: Conversation,
  edits: readonly Edit[],
  options: FulfilOptions,
): Promise<SettledEdit[] | undefined> {
  const settled: SettledEdit[] = []
  for (const edit of edits) {
    if (edit.type !== 'summarize') {
      settled.push(edit)
      continue
    }
    const messages = await summarize(conversation, edit, edits, options)
    if (!messages) return undefined
    settled.push({ type: 'replace', start: edit.start, end: edit.end, messages })
  }
  return settled
}

async function summarize(
  conversation: Conversation,
  edit: SummarizeEdit,
  edits: readonly Edit[],
  { summarizer, counter, instructions, signal }: FulfilOptions,
): Promise<Message[] | undefined> {
  const keep = new Set(edit.keep)
  const stays = (_: Message, index: number) =>
    keep.has(index) || !edits.some((other) => other.start <= index && index < other.end)
  const kept = edit.keep.map((index) => conversation.messages[index]!)
  const acknowledgement = acknowledge(conversation, kept[0] ?? conversation.messages[edit.end])
  const frame = [createSummaryMessage(''), ...acknowledgement]
  const frameTokens = frame.reduce((sum, message) => sum + counter.countMessage(message).upper, JOIN_SLACK_TOKENS)
  const targetTokens = edit.targetTokens - frameTokens
  if (targetTokens <= 0) return undefined
  const { text } = await summarizer.summarize({
    span: conversation.messages.filter((_, index) => edit.start <= index && index < edit.end && !keep.has(index)),
    kept: conversation.messages.filter(stays),
    targetTokens,
    brief: edit.brief,
    countTokens: (text) => counter.countText(text).upper,
    ...(instructions !== undefined && { instructions }),
    ...(conversation.workingDirectory !== undefined && { workingDirectory: conversation.workingDirectory }),
    ...(signal && { signal }),
  })
  signal?.throwIfAborted()
  if (!text.trim()) return undefined
  return [createSummaryMessage(text), ...acknowledgement, ...kept]
}

/** Only Gemini insists that two user contents do not follow each other; the other providers join them. */
function acknowledge({ protocol }: Conversation, next: Message | undefined): Message[] {
  const isNeeded = protocol === 'gemini-contents' && next?.role === 'user'
  return isNeeded ? [createSyntheticMessage('assistant', 'Understood.')] : []
}
