import type { Message } from '../../conversation/message.ts'
import { withMembers } from '../shared/json.ts'
import { readObject } from '../shared/lines.ts'
import { findBesideKept, findGoneCalls, namesAny } from '../shared/records.ts'
import { isCompression, isSent, type QwenCodeDocument, type QwenEntry } from './entries.ts'

/** Entries that describe the old history, or are written again. */
const OWN_SUBTYPES: ReadonlySet<unknown> = new Set([
  'chat_compression',
  'custom_title',
  'file_history_snapshot',
  'rewind',
  'ui_telemetry',
])

/**
 * Entries that are not messages but are kept in a new session: those next to a kept message. An
 * entry is removed if it names a removed entry or call.
 */
export function listCarried(
  { source, list: { entries, path }, messages: originals }: QwenCodeDocument,
  messages: readonly Message[],
): QwenEntry[] {
  const live = path.slice(Math.max(path.findLastIndex(isCompression), 0))
  const beside = findBesideKept(
    live.map(({ line }) => line),
    originals,
    messages,
  )
  const candidates = new Set(
    live.filter(({ line, subtype }) => beside.has(line) && !OWN_SUBTYPES.has(subtype)),
  )
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const entry of entries)
    if (entry.uuid !== undefined && !kept.has(entry.line) && !candidates.has(entry))
      gone.add(entry.uuid)
  return [...candidates].filter((entry) => {
    const own = withMembers(readObject(source, entry), { uuid: undefined, parentUuid: undefined })
    const isKept = !namesAny(own, gone)
    if (!isKept && entry.uuid !== undefined) gone.add(entry.uuid)
    return isKept
  })
}

/**
 * An edit in place keeps everything that is not a message. It keeps a compression only if its
 * remaining messages are not written separately.
 */
export function listOthers(
  { list: { entries, path } }: QwenCodeDocument,
  messages: readonly Message[],
): QwenEntry[] {
  const live = new Set(path)
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const isLifted = (entry: QwenEntry) => isCompression(entry) && kept.has(entry.line)
  return entries.filter((entry) => !live.has(entry) || (!isSent(entry) && !isLifted(entry)))
}
