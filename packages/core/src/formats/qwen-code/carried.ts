import type { Message } from '../../conversation/message.ts'
import { withMembers } from '../ground/json.ts'
import { findBesideKept, findGoneCalls, namesAny } from '../ground/records.ts'
import type { Entry, QwenCodeDocument } from './entries.ts'
import { isSent, readCompressed } from './read.ts'

/** What describes the old history, or is written anew. */
const OWN_SUBTYPES: ReadonlySet<unknown> = new Set([
  'chat_compression',
  'custom_title',
  'file_history_snapshot',
  'rewind',
  'ui_telemetry',
])

/**
 * Entries that are no messages and are in a new session all the same: those beside a message that is
 * kept. Nothing stays that names an entry or a call that is gone.
 */
export function listCarried(
  { list: { entries, path }, messages: originals }: QwenCodeDocument,
  messages: readonly Message[],
): Entry[] {
  const live = path.slice(
    Math.max(
      path.findLastIndex(({ value }) => readCompressed(value)),
      0,
    ),
  )
  const beside = findBesideKept(
    live.map(({ line }) => line),
    originals,
    messages,
  )
  const candidates = new Set(
    live.filter(({ line, value }) => beside.has(line) && !OWN_SUBTYPES.has(value.subtype)),
  )
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const entry of entries)
    if (entry.uuid !== undefined && !kept.has(entry.line) && !candidates.has(entry))
      gone.add(entry.uuid)
  return [...candidates].filter(({ uuid, value }) => {
    const isKept = !namesAny(withMembers(value, { uuid: undefined, parentUuid: undefined }), gone)
    if (!isKept && uuid !== undefined) gone.add(uuid)
    return isKept
  })
}

/** In place all stays that is no message; a compression only if what it left is not written out. */
export function listOthers(
  { list: { entries, path } }: QwenCodeDocument,
  messages: readonly Message[],
): Entry[] {
  const live = new Set(path)
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const isLifted = (entry: Entry) => readCompressed(entry.value) && kept.has(entry.line)
  return entries.filter((entry) => !live.has(entry) || (!isSent(entry.value) && !isLifted(entry)))
}
