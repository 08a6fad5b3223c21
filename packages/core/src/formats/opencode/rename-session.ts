/**
 * An export under other ids. The store knows messages and parts of all sessions by their ids alone, and an import
 * skips those it has: a copy is only whole when every id in it is new. Ids sort as they were made:
 *
 *   msg_1ff59387f001CjGgZ0YFIDbcQ5      time and count in 12 hexadecimal digits, 14 random characters
 *   msg_1ff59387f001 000003 5c0ffee1    the same time, place in the session, 8 digits of the new session
 */

import { parseTimestamp } from '../content/parse-timestamp.ts'
import type { NewSession } from '../format.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { createDefaults, NO_TOKENS } from './record-defaults.ts'
import { readString, type SessionRecord } from './records.ts'

export interface RenamedSession {
  readonly info: JsonObject
  readonly messages: readonly SessionRecord[]
}

/** `isEdited`: what was true of the old history only is left out. */
export function renameSession(
  session: JsonObject,
  records: readonly SessionRecord[],
  newSession: NewSession,
  isEdited: boolean,
): RenamedSession {
  const suffix = newSession
    .createId()
    .replaceAll(/[^0-9a-f]/gi, '')
    .slice(0, 8)
  const nameMessage = createNames('msg', suffix)
  const namePart = createNames('prt', suffix)
  const messageIds = new Map(records.map(({ info }) => [info.id, nameMessage(info.id)]))
  const { sessionId } = newSession
  const defaults = createDefaults(session, records)
  const renamePart = (part: unknown, messageID: unknown): unknown => {
    if (!isJsonObject(part)) return part
    const tailStart = messageIds.get(part.tail_start_id)
    const members = { id: namePart(part.id), sessionID: sessionId, messageID }
    return withMembers(renameAttachments(part, members), { ...members, ...(tailStart && { tail_start_id: tailStart }) })
  }
  const messages = records.map((record) => {
    const id = messageIds.get(record.info.id)
    const info = withMembers(record.info, {
      id,
      sessionID: sessionId,
      ...defaults.findMissing(record.info),
      ...(record.info.parentID !== undefined && {
        parentID: messageIds.get(record.info.parentID) ?? record.info.parentID,
      }),
      // OpenCode would take the size of the old history for that of this one, and compact at once.
      ...(isEdited && isJsonObject(record.info.tokens) && { tokens: NO_TOKENS }),
    })
    return { ...record, info, parts: record.parts.map((part) => renamePart(part, id)) }
  })
  return { info: renameInfo(session, newSession, messageIds, isEdited), messages }
}

/** Names that sort in the order they are asked for. */
function createNames(prefix: string, suffix: string): (old: unknown) => string {
  let time = '000000000000'
  let count = 0
  return (old) => {
    const own = typeof old === 'string' ? /^[a-z]{3}_([0-9a-f]{12})/.exec(old)?.[1] : undefined
    if (own !== undefined && own > time) time = own
    count++
    return `${prefix}_${time}${count.toString(16).padStart(6, '0')}${suffix}`
  }
}

function renameAttachments(part: JsonObject, members: JsonObject & { readonly id: string }): JsonObject {
  const { state } = part
  const attachments = readMember(state, 'attachments')
  if (!isJsonObject(state) || !Array.isArray(attachments)) return part
  const renamed = attachments.map((attachment, index) =>
    isJsonObject(attachment) ? withMembers(attachment, { ...members, id: `${members.id}a${index}` }) : attachment,
  )
  return withMembers(part, { state: withMembers(state, { attachments: renamed }) })
}

function renameInfo(
  session: JsonObject,
  { sessionId, title, timestamp }: NewSession,
  messageIds: ReadonlyMap<unknown, string>,
  isEdited: boolean,
): JsonObject {
  const timeMs = parseTimestamp(timestamp) ?? 0
  const revert = isJsonObject(session.revert) && !isEdited ? session.revert : undefined
  const revertedAt = messageIds.get(readString(revert, 'messageID'))
  return withMembers(session, {
    id: sessionId,
    title,
    // Versions before 1.1 wrote neither a slug nor how many lines were changed, and no import goes without.
    slug: session.slug ?? sessionId,
    summary: typeof readMember(session.summary, 'additions') === 'number' ? session.summary : undefined,
    time: { created: timeMs, updated: timeMs },
    // Neither the session of a subagent, nor shared, nor paid for.
    parentID: undefined,
    share: undefined,
    cost: session.cost === undefined ? undefined : 0,
    tokens: session.tokens === undefined ? undefined : NO_TOKENS,
    // A part of it cannot be named before it is stored: the whole message counts as taken back.
    revert: revert && revertedAt !== undefined ? { messageID: revertedAt } : undefined,
  })
}
