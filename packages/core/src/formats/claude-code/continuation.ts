import type { Conversation } from '../../conversation/message.ts'
import type { LineContinuation } from '../continuation/continuation.ts'
import { createLinker } from '../continuation/link-lines.ts'
import { type Entry, isOnMainChain } from './entries.ts'
import { isClaudeCodeDocument, TITLE_TYPES } from './write-session.ts'

/** Lines that Claude Code added to one session, behind those of another. */
export const continuation: LineContinuation = {
  createAdapter({ base, grown, start, newSession }) {
    const entries = listEntries(base)
    const branch = isClaudeCodeDocument(base.document) ? base.document.branch : []
    const link = createLinker({
      known: new Set(entries.flatMap(({ uuid }) => uuid ?? [])),
      leaf: entries[branch.at(-1) ?? -1]?.uuid,
      formerLeaf: listEntries(grown).findLast((entry) => entry.start < start && isOnMainChain(entry))?.uuid,
      createId: newSession.createId,
    })
    const sessionId = JSON.stringify(newSession.sessionId)
    return (value) => {
      if (typeof value.type !== 'string' || TITLE_TYPES.has(value.type)) return undefined
      const { id, parentId } = link({ id: readString(value.uuid), parentId: readString(value.parentUuid) })
      return [
        { path: ['sessionId'], json: sessionId },
        ...(id === undefined ? [] : [{ path: ['uuid'], json: JSON.stringify(id) }]),
        ...(parentId === undefined ? [] : [{ path: ['parentUuid'], json: JSON.stringify(parentId) }]),
      ]
    }
  },
}

function listEntries({ document }: Conversation): readonly Entry[] {
  return isClaudeCodeDocument(document) ? document.entries : []
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
