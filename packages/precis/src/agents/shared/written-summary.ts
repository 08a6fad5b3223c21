/**
 * What every agent's compactions have in common: the text of a summary shows what of it precis
 * wrote.
 */
import { createSyntheticMessage, readSummary } from '@precis/core/conversation'
import type { RecordedCompaction } from './agent.ts'
import { VERIFIED_HEADING } from './compaction-repair.ts'
import type { AgentWire } from './wire.ts'

/** A summary in a session: its text without the words around it, and who wrote it. */
export function readWrittenSummary(
  text: string | undefined,
  wire?: Pick<AgentWire, 'unwrapSummary'>,
): Pick<RecordedCompaction, 'by' | 'summary'> {
  const summary = text === undefined ? undefined : (wire?.unwrapSummary(text) ?? text)
  const own = summary === undefined ? undefined : readOwn(summary)
  const by = own === undefined ? 'agent' : own.startsWith(VERIFIED_HEADING) ? 'verified' : 'precis'
  return { by, summary }
}

const readOwn = (text: string): string | undefined =>
  readSummary(createSyntheticMessage('user', text))
