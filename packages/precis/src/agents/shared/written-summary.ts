/** What every agent's compactions have in common: a summary of precis is known by its text. */
import { createSyntheticMessage, readSummary } from '@precis/core/conversation'
import type { RecordedCompaction } from './agent.ts'
import type { AgentWire } from './wire.ts'

/** A summary as it stands in a session: without the words around it, and whose it is. */
export function readWrittenSummary(
  text: string | undefined,
  wire?: Pick<AgentWire, 'unwrapSummary'>,
): Pick<RecordedCompaction, 'by' | 'summary'> {
  const summary = text === undefined ? undefined : (wire?.unwrapSummary(text) ?? text)
  return { by: summary !== undefined && isOwn(summary) ? 'precis' : 'agent', summary }
}

const isOwn = (text: string): boolean =>
  readSummary(createSyntheticMessage('user', text)) !== undefined
