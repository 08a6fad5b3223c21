import { findCompaction, findSystemEnd, isCompaction } from '../conversation/compaction.ts'
import { type Conversation, changeParts, type Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createLedger } from '../facts/ledger.ts'
import { writeLedger } from '../facts/ledger-record.ts'

/**
 * Without the newest compaction of the provider; the same object where there is none. What can be
 * read of it, and what was said before it, is in the ledger of a summary instead: only code carries
 * it on, for nothing else tells of it any more.
 */
export function withoutCompaction(conversation: Conversation): Conversation {
  const { messages, workingDirectory } = conversation
  const position = findCompaction(messages)
  if (position < 0) return conversation
  const systemEnd = Math.min(findSystemEnd(messages), position)
  const before = messages.slice(systemEnd, position + 1)
  const ledger = writeLedger(createLedger({ messages: before, workingDirectory }))
  const left: Message = changeParts(messages[position]!, (parts) =>
    parts.filter((part) => !isCompaction(part)),
  )
  return {
    ...conversation,
    messages: [
      ...messages.slice(0, systemEnd),
      ...(ledger === '' ? [] : [createSummaryMessage('', ledger)]),
      ...(left.parts.length > 0 ? [left] : []),
      ...messages.slice(position + 1),
    ],
  }
}
