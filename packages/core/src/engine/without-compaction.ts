import { findCompaction, findSystemEnd, isCompaction } from '../conversation/compaction.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, changeParts, type Part } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createLedger } from '../facts/ledger.ts'
import { writeLedger } from '../facts/ledger-record.ts'

/**
 * Removes the provider's latest compaction. Returns the same object if there is none. Its readable
 * text, and what was said before it, is in the ledger of a summary instead, because only code can
 * carry it and nothing else records it. Parts on both sides of it that belong together stay.
 */
export function withoutCompaction(conversation: Conversation): Conversation {
  const { messages, workingDirectory } = conversation
  const position = findCompaction(messages)
  if (position < 0) return conversation
  const systemEnd = Math.min(findSystemEnd(messages), position)
  const start = findCutPoints(messages).nearestCut(position, 'backward') ?? position
  const gone = messages.slice(systemEnd, start)
  const compacted = messages[position]!
  const ledger = writeLedger(
    createLedger({
      messages: [...gone, changeParts(compacted, onlyCompactions)],
      workingDirectory,
    }),
  )
  const left = messages
    .slice(Math.max(start, systemEnd))
    .map((message) => (message === compacted ? changeParts(message, withoutCompactions) : message))
  return repairInvariants({
    ...conversation,
    messages: [
      ...messages.slice(0, systemEnd),
      ...(ledger === '' ? [] : [createSummaryMessage('', ledger)]),
      ...left.filter(({ parts }) => parts.length > 0),
    ],
  })
}

const onlyCompactions = <P extends Part>(parts: readonly P[]): P[] => parts.filter(isCompaction)

const withoutCompactions = <P extends Part>(parts: readonly P[]): P[] =>
  parts.filter((part) => !isCompaction(part))
