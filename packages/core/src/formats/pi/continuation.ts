import type { LineContinuation } from '../continuation/continuation.ts'
import { createLinker } from '../continuation/link-lines.ts'
import { readMember } from '../json/object.ts'
import type { Entry } from './entries.ts'
import { isPiDocument, type PiDocument } from './write-session.ts'

const ID_DIGITS = 8

/** Lines that pi added to one session, behind those of another. */
export const continuation: LineContinuation = {
  createAdapter({ base, grown, start, newSession }) {
    const entries = listEntries(base.document)
    const path = isPiDocument(base.document) ? base.document.path : []
    const link = createLinker({
      known: new Set(entries.flatMap(({ id }) => id ?? [])),
      leaf: path.at(-1)?.id,
      formerLeaf: listEntries(grown.document).findLast((entry) => entry.start < start && entry.id !== undefined)?.id,
      createId: () => newSession.createId().slice(0, ID_DIGITS),
    })
    return (value) => {
      if (value.type === 'session') return undefined
      const { id, parentId } = link({ id: readId(value, 'id'), parentId: readId(value, 'parentId') })
      return [
        ...(id === undefined ? [] : [{ path: ['id'], json: JSON.stringify(id) }]),
        ...(parentId === undefined ? [] : [{ path: ['parentId'], json: JSON.stringify(parentId) }]),
      ]
    }
  },
}

function listEntries(document: unknown): readonly Entry[] {
  return isPiDocument(document) ? (document satisfies PiDocument).list.entries : []
}

function readId(value: unknown, key: string): string | undefined {
  const id = readMember(value, key)
  return typeof id === 'string' ? id : undefined
}
