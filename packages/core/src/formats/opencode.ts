import type { Conversation, Message, Protocol } from '../conversation/message.ts'
import { glimpseJson } from './detection/glimpse.ts'
import { type Format, FormatError, type FormatInput, type FormatOutput, type NewSession } from './format.ts'
import { isByteSource } from './json/bytes.ts'
import { type JsonDocument, openJsonDocument, writeJsonDocument } from './json/document.ts'
import { isJsonObject, readMember } from './json/object.ts'
import { isSameList } from './json/same-list.ts'
import { adoption } from './opencode/adopt.ts'
import { continuation } from './opencode/continuation.ts'
import { findLiveRecords, findStandingRecords, withoutRevertedParts } from './opencode/live-records.ts'
import { readMessages } from './opencode/read-messages.ts'
import { FORMAT_NAME, isUserRecord, readRecords, readString, type SessionRecord } from './opencode/records.ts'
import { renameSession } from './opencode/rename-session.ts'
import { type ParsedSession, writeRecords } from './opencode/write-session.ts'

interface OpencodeDocument extends ParsedSession {
  readonly format: typeof FORMAT_NAME
  readonly json: JsonDocument
}

const LIST_KEY = 'messages'

/** Sessions of OpenCode, as `opencode export` prints and `opencode import` takes them. */
export const opencode: Format = {
  name: FORMAT_NAME,
  kind: 'session',
  adoption,
  continuation,
  detect(input) {
    const glimpse = glimpseJson(input, [LIST_KEY])
    if (glimpse?.listKey !== LIST_KEY || !isJsonObject(glimpse.body.info)) return 0
    const first = glimpse.elements[0]
    const isSession = readString(glimpse.body.info, 'id') !== undefined
    return isSession && (first === undefined || isJsonObject(first.info)) ? 1 : 0
  },
  parse(input) {
    const json = openJsonDocument(input, FORMAT_NAME, [LIST_KEY])
    const session = readMember(json.body, 'info')
    const records = withoutRevertedParts(readRecords(json), session)
    const live = findLiveRecords(records, session)
    const messages = readAll(records, live)
    const document: OpencodeDocument = { format: FORMAT_NAME, json, session, records, live, messages }
    return { ...readFacts(session, live, records), messages, tools: [], document }
  },
  serialize: serializeSession,
  readWhole(conversation) {
    const { document } = conversation
    if (!isOpencodeDocument(document)) return conversation
    const { records, session } = document
    return { ...conversation, messages: readAll(records, findStandingRecords(records, session)) }
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
    ...(model !== undefined && { model }),
    ...(provider !== '' && { provider }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  }
}

/** Whose rules the requests obey that OpenCode makes for a provider of this id. */
function findProtocol(provider: string, model: string): Protocol {
  const isClaude = /^(?:opencode|amazon-bedrock|google-vertex)/.test(provider) && model.includes('claude')
  if (provider.includes('anthropic') || isClaude) return 'anthropic-messages'
  if (provider === 'google' || provider.startsWith('google-vertex')) return 'gemini-contents'
  if (provider === 'openai' || provider === 'azure') return 'openai-responses'
  return 'openai-chat'
}

function serializeSession(conversation: Conversation, newSession?: NewSession): FormatOutput {
  const { document, messages } = conversation
  if (!isOpencodeDocument(document)) {
    throw new FormatError(
      'cannot-serialize',
      'Writing an opencode session: the conversation was parsed from another format. Give one that was parsed from an export.',
    )
  }
  const { json } = document
  const isEdited = !isSameList(messages, document.messages)
  if (!isEdited && !newSession) return writeJsonDocument(json, json.records)
  const edited = isEdited ? editDocument(document, messages, newSession !== undefined) : toText(json)
  return toOutput(newSession ? renameDocument(edited, newSession, isEdited) : edited, json.input)
}

/** A JSON text, or the native value where one was given. */
type Written = string | object

function toText({ text, body }: JsonDocument): Written {
  return text ?? (isJsonObject(body) ? body : {})
}

function editDocument(document: OpencodeDocument, messages: readonly Message[], isNew: boolean): Written {
  return write(document.json, writeRecords(document, messages, isNew), {})
}

/** Reads again what was written: so every byte between the ids stays. */
function renameDocument(written: Written, newSession: NewSession, isEdited: boolean): Written {
  const json = openJsonDocument(written, FORMAT_NAME, [LIST_KEY])
  const session = readMember(json.body, 'info')
  const { info, messages } = renameSession(
    isJsonObject(session) ? session : {},
    readRecords(json),
    newSession,
    isEdited,
  )
  return write(json, messages, { info })
}

function write(json: JsonDocument, records: readonly SessionRecord[], fields: object): Written {
  const output = writeJsonDocument({ ...json, input: toText(json) }, records, { ...fields })
  return typeof output === 'string' || isJsonObject(output) ? output : {}
}

function toOutput(written: Written, input: FormatInput): FormatOutput {
  if (typeof written !== 'string' || typeof input === 'string') return written
  const bytes = new TextEncoder().encode(written)
  return isByteSource(input) ? [bytes] : bytes
}

function isOpencodeDocument(document: unknown): document is OpencodeDocument {
  return isJsonObject(document) && document.format === FORMAT_NAME && 'json' in document && 'live' in document
}
