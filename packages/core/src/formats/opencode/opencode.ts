import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Protocol } from '../../conversation/message.ts'
import { type JsonDocument, openJsonDocument, writeJsonDocument } from '../shared/document.ts'
import {
  type Format,
  type FormatInput,
  type FormatOutput,
  type NewSession,
  refuseSession,
} from '../shared/format.ts'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { isByteSource } from '../shared/lines.ts'
import { toUrl } from '../shared/media.ts'
import { previewJson } from '../shared/preview.ts'
import { findProviderModel } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { readMessages } from './parts.ts'
import {
  createDefaults,
  FORMAT_NAME,
  findKeptRecords,
  findLiveRecords,
  isUserRecord,
  NO_TOKENS,
  readRecords,
  type SessionRecord,
  withoutRevertedParts,
} from './records.ts'
import { type ParsedSession, writeRecords } from './write.ts'

interface OpencodeDocument extends ParsedSession {
  readonly format: typeof FORMAT_NAME
  readonly json: JsonDocument
}

const LIST_KEY = 'messages'

/** Sessions of OpenCode, as `opencode export` prints and `opencode import` reads them. */
export const opencode: Format<'session'> = {
  name: FORMAT_NAME,
  kind: 'session',
  import: {
    // OpenCode supports every provider, so it continues with the provider of the session.
    findProtocol: (from) => from,
    marksHost: true,
    marksFailures: true,
    encodeInput: toInputObject,
    encodeMedia(part, source) {
      const { mediaType = part.mediaType, filename } = source
      // For plain text, OpenCode sends the copy in a separate part instead of the file.
      if (mediaType === 'text/plain') return undefined
      return withMembers(
        { type: 'file', mime: mediaType },
        { filename, url: toUrl(source, mediaType) },
      )
    },
    encodeReasoning({ text }, signed) {
      const base = { type: 'reasoning', text, time: { start: 0, end: 0 } }
      if (signed?.type === 'signature')
        return { ...base, metadata: { anthropic: { signature: signed.signature } } }
      if (signed) return { ...base, metadata: { anthropic: { redactedData: signed.data } } }
      // OpenCode sends unsigned reasoning as words of the answer.
      return undefined
    },
    findModel: findProviderModel,
    createDocument(start, { sessionId, timestamp, title }) {
      const { provider, model } = findProviderModel(start)
      const timeMs = parseTimestamp(timestamp) ?? 0
      const info = {
        id: sessionId,
        slug: sessionId,
        projectID: 'global',
        directory: start.workingDirectory,
        title,
        version: '1.18.33',
        model: { id: model, providerID: provider },
        time: { created: timeMs, updated: timeMs },
      }
      return `${JSON.stringify({ info, messages: [] }, null, 2)}\n`
    },
  },
  append: {
    joinDocuments({ document: base }, { document: grown }, added) {
      const first = added[0]?.records?.[0]
      if (first === undefined || !isOpencodeDocument(base) || !isOpencodeDocument(grown))
        return undefined
      const messages = [...base.json.records, ...grown.json.records.slice(first)]
      return JSON.stringify({ ...toObject(base.json.body), messages }, null, 2)
    },
  },
  detect(input) {
    const preview = previewJson(input, [LIST_KEY])
    if (preview?.listKey !== LIST_KEY || !isJsonObject(preview.body.info)) return 0
    const first = preview.elements[0]
    const isSession = readString(preview.body.info, 'id') !== undefined
    return isSession && (first === undefined || isJsonObject(first.info)) ? 1 : 0
  },
  parse(input) {
    const json = openJsonDocument(input, FORMAT_NAME, [LIST_KEY])
    const session = readMember(json.body, 'info')
    const records = withoutRevertedParts(readRecords(json), session)
    const live = findLiveRecords(records, session)
    const messages = readAll(records, live)
    const document: OpencodeDocument = {
      format: FORMAT_NAME,
      json,
      session,
      records,
      live,
      messages,
    }
    return { ...readFacts(session, live, records), messages, tools: [], document }
  },
  serialize: serializeSession,
  readWhole(conversation) {
    const { document } = conversation
    if (!isOpencodeDocument(document)) return conversation
    const { records, session } = document
    return { ...conversation, messages: readAll(records, findKeptRecords(records, session)) }
  },
}

function readAll(records: readonly SessionRecord[], positions: readonly number[]): Message[] {
  return positions.flatMap((index) => {
    const record = records[index]
    return record ? readMessages(record, index) : []
  })
}

function readFacts(
  session: unknown,
  live: readonly number[],
  records: readonly SessionRecord[],
): Pick<Conversation, 'protocol' | 'model' | 'provider' | 'workingDirectory'> {
  const newest = live.findLast((index) => records[index] && !isUserRecord(records[index]))
  const info = records[newest ?? -1]?.info
  const asked = readMember(session, 'model')
  const model = readString(info, 'modelID') ?? readString(asked, 'id')
  const provider = readString(info, 'providerID') ?? readString(asked, 'providerID') ?? ''
  const workingDirectory = readString(info?.path, 'cwd') ?? readString(session, 'directory')
  return {
    protocol: findProtocol(provider, model ?? ''),
    model,
    provider: provider || undefined,
    workingDirectory,
  }
}

/** The provider's rules that OpenCode's requests follow for a provider with this id. */
function findProtocol(provider: string, model: string): Protocol {
  const isClaude =
    /^(?:opencode|amazon-bedrock|google-vertex)/.test(provider) && model.includes('claude')
  if (provider.includes('anthropic') || isClaude) return 'anthropic-messages'
  if (provider === 'google' || provider.startsWith('google-vertex')) return 'gemini-contents'
  if (provider === 'openai' || provider === 'azure') return 'openai-responses'
  return 'openai-chat'
}

function serializeSession(conversation: Conversation, newSession?: NewSession): FormatOutput {
  const { document, messages } = conversation
  if (!isOpencodeDocument(document)) throw refuseSession('opencode', document)
  const { json } = document
  const isEdited = !isSameList(messages, document.messages)
  if (!isEdited && !newSession) return writeJsonDocument(json, json.records)
  const edited = isEdited
    ? editDocument(document, messages, newSession !== undefined)
    : toText(json)
  return toOutput(newSession ? renameDocument(edited, newSession, isEdited) : edited, json.input)
}

type WrittenText = string | object

function toText({ text, body }: JsonDocument): WrittenText {
  return text ?? toObject(body)
}

function editDocument(
  document: OpencodeDocument,
  messages: readonly Message[],
  isNew: boolean,
): WrittenText {
  return write(document.json, writeRecords(document, messages, isNew), {})
}

function renameDocument(
  written: WrittenText,
  newSession: NewSession,
  isEdited: boolean,
): WrittenText {
  const json = openJsonDocument(written, FORMAT_NAME, [LIST_KEY])
  const session = readMember(json.body, 'info')
  const { info, messages } = renameSession(
    toObject(session),
    readRecords(json),
    newSession,
    isEdited,
  )
  return write(json, messages, { info })
}

function write(json: JsonDocument, records: readonly SessionRecord[], fields: object): WrittenText {
  const output = writeJsonDocument({ ...json, input: toText(json) }, records, { ...fields })
  return typeof output === 'string' || isJsonObject(output) ? output : {}
}

function toOutput(written: WrittenText, input: FormatInput): FormatOutput {
  if (typeof written !== 'string' || typeof input === 'string') return written
  const bytes = new TextEncoder().encode(written)
  return isByteSource(input) ? [bytes] : bytes
}

function isOpencodeDocument(document: unknown): document is OpencodeDocument {
  return (
    isJsonObject(document) &&
    document.format === FORMAT_NAME &&
    'json' in document &&
    'live' in document
  )
}

/**
 * An export under other ids. OpenCode's store knows messages and parts of all sessions only by
 * their ids, and an import skips known ids. A copy is complete only if every id in it is new. Ids
 * sort by creation:
 *
 *   msg_1ff59387f001CjGgZ0YFIDbcQ5      time and count in 12 hexadecimal digits, 14 random characters
 *   msg_1ff59387f001 000003 5c0ffee1    the same time, place in the session, 8 digits of the new session
 */
function renameSession(
  session: JsonObject,
  records: readonly SessionRecord[],
  newSession: NewSession,
  /** Leaves out what was true only of the old history. */
  isEdited: boolean,
) {
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
    return withMembers(renameAttachments(part, members), {
      ...members,
      ...(tailStart && { tail_start_id: tailStart }),
    })
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
      // OpenCode would treat the size of the old history as the size of this one, and compact
      // immediately.
      ...(isEdited && isJsonObject(record.info.tokens) && { tokens: NO_TOKENS }),
    })
    return { ...record, info, parts: record.parts.map((part) => renamePart(part, id)) }
  })
  return { info: renameInfo(session, newSession, messageIds, isEdited), messages }
}

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

function renameAttachments(
  part: JsonObject,
  members: JsonObject & { readonly id: string },
): JsonObject {
  const { state } = part
  const attachments = readMember(state, 'attachments')
  if (!isJsonObject(state) || !Array.isArray(attachments)) return part
  const renamed = attachments.map((attachment, index) =>
    isJsonObject(attachment)
      ? withMembers(attachment, { ...members, id: `${members.id}a${index}` })
      : attachment,
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
    // Versions before 1.1 wrote no slug and no count of changed lines, and import requires both.
    slug: session.slug ?? sessionId,
    summary:
      typeof readMember(session.summary, 'additions') === 'number' ? session.summary : undefined,
    time: { created: timeMs, updated: timeMs },
    // A copy is not the session of a subagent, not shared and not paid for.
    parentID: undefined,
    share: undefined,
    cost: session.cost === undefined ? undefined : 0,
    tokens: session.tokens === undefined ? undefined : NO_TOKENS,
    // A part has no name before it is stored, so the whole message counts as undone.
    revert: revert && revertedAt !== undefined ? { messageID: revertedAt } : undefined,
  })
}
