import type { LineContinuation } from '../continuation/continuation.ts'
import { readMember } from '../json/object.ts'
import type { Replacement } from '../json/spans.ts'
import { renameThread } from './rename.ts'

/** Lines that Codex added to one rollout, behind those of another. */
export const continuation: LineContinuation = {
  createAdapter({ base, grown, newSession }) {
    const threadId = findThreadId(grown.document)
    const isNumbered = readMember(readMember(base.document, 'rollout'), 'isNumbered') === true
    let lineCount = isNumbered ? Number(readMember(readMember(base.document, 'rollout'), 'lineCount')) : 0
    return (value) => {
      if (value.type === 'session_meta') return undefined
      const ordinal: Replacement = {
        path: ['ordinal'],
        json: isNumbered ? String(lineCount++) : undefined,
        ...(isNumbered && { append: true }),
      }
      const isOwn = readMember(value.payload, 'thread_id') === threadId && threadId !== undefined
      return [
        ...(isNumbered || value.ordinal !== undefined ? [ordinal] : []),
        ...(isOwn ? renameThread(newSession) : []),
      ]
    }
  },
}

function findThreadId(document: unknown): unknown {
  return readMember(readMember(readMember(readMember(document, 'rollout'), 'meta'), 'payload'), 'id')
}
