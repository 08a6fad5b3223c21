import type { Message } from '../../conversation/message.ts'
import { withMembers } from '../shared/json.ts'
import { readObject } from '../shared/lines.ts'
import { findBesideKept, findGoneCalls, namesAny } from '../shared/records.ts'
import type { PiDocument, PiSessionEntry } from './entries.ts'

/** Entries that are sent, or would be sent again. They are written as messages or not at all. */
const CONTEXT_TYPES: ReadonlySet<string> = new Set([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
  'context_edit',
])

/** The title and the bill belong to the old session only. */
const OWN_TYPES: ReadonlySet<string> = new Set(['session_info', 'usage'])

/**
 * Entries of the path that are not messages but are kept in a changed session. The system prompt
 * always is, because pi 1.5 replays it from its parts. Edits of context are applied to the entries
 * that they changed, and hidden content is removed. An entry is removed if it names a removed entry
 * or call.
 */
export function listCarried(
  { source, list, path, live, values, edits, messages: originals }: PiDocument,
  messages: readonly Message[],
  isNew: boolean,
): PiSessionEntry[] {
  const beside = findBesideKept(
    [...live].map(({ line }) => line),
    originals,
    messages,
  )
  const isCandidate = ({ line, type, isSystem }: PiSessionEntry): boolean => {
    if (values.has(line) || edits.has(line)) return false
    if (isSystem) return true
    if (!CONTEXT_TYPES.has(type)) return !isNew || !OWN_TYPES.has(type)
    // An answer that failed, or a command that is left out of the context.
    return type === 'message' && beside.has(line)
  }
  const candidates = new Set(path.filter(isCandidate))
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const entry of list.entries)
    if (entry.id !== undefined && !kept.has(entry.line) && !candidates.has(entry))
      gone.add(entry.id)
  return [...candidates].filter((entry) => {
    const own = withMembers(readObject(source, entry), { id: undefined, parentId: undefined })
    const isKept = entry.isSystem || !namesAny(own, gone)
    if (!isKept && entry.id !== undefined) gone.add(entry.id)
    return isKept
  })
}
