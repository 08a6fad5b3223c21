/**
 * A compaction by the agent's own model. What its summary lost is put back next to it:
 *
 *   agent's summary · messages that it keeps · [what was lost, in the message of the summary]
 *
 * The rows of the agent go back untouched: changed rows would be undone by the next resume.
 */
import type { Message, RecallPath } from '@precis/core'
import { readText } from '@precis/core/conversation'
import { findCompactionLosses, restoreLosses } from '@precis/core/facts'
import { readRows, type SessionRow } from '@precis/core/formats'
import { findLeft, renderLosses } from '../../shared/compaction-repair.ts'
import type { CompactionReceipt } from './receipt.ts'

export interface VerificationContext {
  readonly workingDirectory: string
  readonly recall: RecallPath | undefined
  /** What earlier compactions removed. */
  readonly removed: readonly Message[]
  readonly compactions: number
}

// The model sees only the beginning of longer texts (code.claude.com/docs/en/hooks).
const MOST_CHARACTERS = 10_000
const MOST_NAMED = 10

export function verifyCompaction(
  given: readonly unknown[],
  rows: readonly SessionRow[],
  context: VerificationContext,
): CompactionReceipt {
  const before = readRows(given, context).conversation
  const after = readRows(rows, context).conversation.messages
  // The agent's own summary does not quote what an earlier compaction removed.
  const history = [...context.removed, ...before.messages]
  const compacted = { before, history, after }
  const { recall } = context
  // Each search reads the whole history, in the thread of the agent.
  const lost = findCompactionLosses(compacted)
  const restored = restoreLosses(lost, { limitCharacters: MOST_CHARACTERS, recall })
  const left = findLeft(compacted, { lost, restored })
  const line = renderLosses(lost, left, { hasRecall: recall !== undefined, hasAll: true })
  const { ledger, weightiest } = left
  return {
    line: `Claude Code wrote the summary. ${line.replace(/^precis: t/, 'T')}`,
    changedWords: ledger.words.map(({ text }) => text),
    gone: weightiest.slice(0, MOST_NAMED).map(({ kind, text }) => `${kind}: ${text}`),
    summary: after[0] ? readText(after[0]) : '',
    ...(restored && {
      unrestored: { text: readText(restored), compactions: context.compactions },
    }),
  }
}
