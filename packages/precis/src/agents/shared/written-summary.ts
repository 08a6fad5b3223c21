/**
 * What every agent's compactions have in common: the text of a summary shows that it is by precis.
 */
import { createSyntheticMessage, readSummary } from '@precis/core/conversation'
import type { RecordedCompaction } from './agent.ts'
import type { AgentWire } from './wire.ts'

/** A summary in a session: its text without the words around it, and who wrote it. */
export function readWrittenSummary(
  text: string | undefined,
  wire?: Pick<AgentWire, 'unwrapSummary'>,
): Pick<RecordedCompaction, 'by' | 'summary'> {
  const summary = text === undefined ? undefined : (wire?.unwrapSummary(text) ?? text)
  return { by: summary !== undefined && isOwn(summary) ? 'precis' : 'agent', summary }
}

const isOwn = (text: string): boolean =>
  readSummary(createSyntheticMessage('user', text)) !== undefined
