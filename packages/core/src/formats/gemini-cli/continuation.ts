import type { Conversation } from '../../conversation/message.ts'
import type { LineContinuation } from '../continuation/continuation.ts'
import { type GeminiCliDocument, isGeminiCliDocument } from './write-session.ts'

/** Records that Gemini CLI added to one log, behind those of another: they are named by ids that nobody else has. */
export const continuation: LineContinuation = {
  // Resumed, it stores its whole history again in one line.
  findAdded(grown, messages) {
    const added = new Set(messages.flatMap(({ records = [] }) => records))
    return listRecords(grown).flatMap(({ record, span }) => (added.has(record) ? [span] : []))
  },
  createAdapter: () => () => [],
}

function listRecords({ document }: Conversation): GeminiCliDocument['storage']['records'] {
  return isGeminiCliDocument(document) && !document.storage.body ? document.storage.records : []
}
