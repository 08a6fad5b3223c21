/**
 * A compaction inside the agent's process: its rows in, fewer rows out, and a receipt for the user.
 */
import { createTokenCounter, findModel, type RecallPath } from '@precis/core'
import { readRows, type SessionRow, writeRows } from '@precis/core/formats'
import { compactHistory } from '@precis/core/hosts'
import type { CompactEvent, SessionUsage } from './mod.ts'
import { type CompactionReceipt, createModReceipt } from './receipt.ts'

export interface CompactRowsOptions {
  readonly usage: SessionUsage
  readonly workingDirectory: string
  /** 0 is for the size of a model's summary. */
  readonly budgetTokens: number
  /** The hook's own time that is left. */
  readonly remainingMs: number
  /** Undefined if what is removed cannot be looked up. */
  readonly recall: RecallPath | undefined
}

export type CompactedRows =
  | {
      readonly type: 'compacted'
      readonly rows: readonly SessionRow[]
      readonly receipt: CompactionReceipt
    }
  | { readonly type: 'left'; readonly reason: string; readonly isShort: boolean }

// The part of the hook's own time that stays for the agent's own compaction and for the answer.
const SPARE_MS = 2_000
// No budget exceeds half of the window, because the agent would compact again immediately.
const MOST_OF_WINDOW = 1 / 2

/** Throws `FormatError` for anything that is not a row. */
export async function compactRows(
  { messages, instructions }: Pick<CompactEvent, 'messages' | 'instructions'>,
  { usage, workingDirectory, budgetTokens, remainingMs, recall }: CompactRowsOptions,
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
      ...(recall && { recall }),
      signal,
    }),
  )
  if (!compacted) return { type: 'left', reason: 'the conversation takes too long', isShort: false }
  if (compacted.type === 'left') return compacted
  return {
    type: 'compacted',
    rows: writeRows(compacted.compression.conversation),
    receipt: createModReceipt({
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
