/**
 * A compaction inside the agent's process: its rows in, fewer rows out, and a line for the user.
 */
import { type Conversation, findModel } from '@precis/core'
import { readRows, type SessionRow, type UnkeptParts, writeRows } from '@precis/core/formats'
import { compactHistory, countCompaction, type HostCompaction } from '@precis/core/hosts'
import { renderCount, renderPlural } from '@precis/core/text'
import { createTokenCounter, type TokenCount } from '@precis/core/tokens'
import type { CompactEvent, SessionUsage } from './mod.ts'

export interface CompactRowsOptions {
  readonly usage: SessionUsage
  readonly workingDirectory: string
  /** 0 is for the size of a model's summary. */
  readonly budgetTokens: number
  /** The hook's own time that is left. */
  readonly remainingMs: number
}

export type CompactedRows =
  | { readonly type: 'compacted'; readonly rows: readonly SessionRow[]; readonly line: string }
  | { readonly type: 'left'; readonly reason: string; readonly isShort: boolean }

// The part of the hook's own time that stays for the agent's own compaction and for the answer.
const SPARE_MS = 2_000
// No budget exceeds half of the window, because the agent would compact again immediately.
const MOST_OF_WINDOW = 1 / 2

/** Throws `FormatError` for anything that is not a row. */
export async function compactRows(
  { messages, instructions }: Pick<CompactEvent, 'messages' | 'instructions'>,
  { usage, workingDirectory, budgetTokens, remainingMs }: CompactRowsOptions,
): Promise<CompactedRows> {
  const { model, rawMaxTokens } = usage.context.breakdown
  const { conversation, unkept } = readRows(messages, { model, workingDirectory })
  const counter = createTokenCounter(
    { ...findModel(model), contextWindowTokens: rawMaxTokens },
    { byCharacters: true },
  )
  const most = Math.floor(rawMaxTokens * MOST_OF_WINDOW)
  const compacted = await withinTime(remainingMs - SPARE_MS, (signal) =>
    compactHistory(conversation, {
      counter,
      keeps: 'tail',
      ...(budgetTokens > 0 && { budgetTokens: Math.min(budgetTokens, most) }),
      ...(instructions !== undefined && { instructions }),
      signal,
    }),
  )
  if (!compacted) return { type: 'left', reason: 'the conversation takes too long', isShort: false }
  if (compacted.type === 'left') return compacted
  return {
    type: 'compacted',
    rows: writeRows(compacted.compression.conversation),
    line: renderLine({
      compacted,
      unkept,
      count: (counted) => counter.countConversation(counted),
      before: conversation,
    }),
  }
}

/** Undefined if it takes longer. The work ends soon after that. */
async function withinTime<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      controller.abort()
      resolve(undefined)
    }, milliseconds)
  })
  const done = work(controller.signal)
  // After it is late, nothing waits for it any more.
  done.catch(() => undefined)
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}

interface LineInput {
  readonly compacted: Extract<HostCompaction, { readonly type: 'compacted' }>
  readonly unkept: UnkeptParts
  readonly count: (conversation: Conversation) => TokenCount
  readonly before: Conversation
}

function renderLine({ compacted, unkept, count, before }: LineInput): string {
  const { words, facts } = countCompaction(compacted)
  const after = compacted.compression.conversation
  const messages = renderPlural(words.total, 'message')
  const clipped = words.clipped > 0 ? ` (${renderCount(words.clipped)} shortened)` : ''
  const kept = [
    ...(words.total > 0 ? [`${renderCount(words.verbatim)} of your ${messages}${clipped}`] : []),
    `${renderCount(facts.kept)} of ${renderPlural(facts.total, 'fact')}`,
  ]
  const lost = [
    ...(unkept.reasoning > 0 ? [`${renderPlural(unkept.reasoning, 'block')} of thinking`] : []),
    ...(unkept.media > 0 ? [`${renderPlural(unkept.media, 'image')} in results`] : []),
  ]
  return [
    `about ${renderAbout(count(before))} → ${renderAbout(count(after))} tokens, no model asked.`,
    `Verbatim: ${kept.join(', ')}.`,
    ...(lost.length > 0 ? [`A mod cannot keep ${lost.join(' and ')}.`] : []),
  ].join(' ')
}

const ROUNDED_TOKENS = 100

/** The middle of an interval. */
const renderAbout = ({ lower, upper }: TokenCount): string =>
  renderCount(Math.round((lower + upper) / 2 / ROUNDED_TOKENS) * ROUNDED_TOKENS)
