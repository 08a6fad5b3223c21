import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Part, TextPart } from '../../conversation/message.ts'
import { encodePart, parseBlocks } from '../anthropic-messages/anthropic-messages.ts'
import { type JsonDocument, openJsonDocument, writeJsonDocument } from '../shared/document.ts'
import type { Format, FormatInput, FormatOutput, NewSession } from '../shared/format.ts'
import { deriveUuid } from '../shared/ids.ts'
import { isJsonObject, readMember, readString, toObject, withMembers } from '../shared/json.ts'
import { concatenateBytes, isByteSource } from '../shared/lines.ts'
import { createMessageFormat, readRole } from '../shared/message-format.ts'
import { createAnswer, joinUserParts, nameResult, splitUserParts } from '../shared/parts.ts'
import type { Preview } from '../shared/preview.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { encodeResult, readPicture, readResult } from './results.ts'

const FORMAT_NAME = 'cline'
const LIST_KEY = 'messages'

const records = createMessageFormat({
  name: FORMAT_NAME,
  protocol: 'anthropic-messages',
  listKeys: [LIST_KEY],
  // Cline writes its prompt again.
  systemKeys: [],
  toolKeys: [],
  joinsResults: true,
  judge,
  createReader() {
    const callNames = new Map<string, string>()
    return {
      readSystem: () => [],
      readRecord: (record, index) => readRecord(record, index, callNames),
    }
  },
  readTool: () => [],
  encodeSystem: () => undefined,
  encodeRecord,
})

/** Sessions of Cline 3: `~/.cline/data/sessions/<id>/<id>.messages.json`. */
export const cline: Format<'session'> = {
  name: FORMAT_NAME,
  kind: 'session',
  import: {
    findProtocol: () => 'anthropic-messages',
    marksHost: false,
    marksFailures: true,
    encodeInput: toInputObject,
    encodeMedia: ({ type, mediaType: measured }, { data, isReference, mediaType = measured }) =>
      type === 'image' && !isReference ? { type, data, mediaType } : undefined,
    // How Cline stores signed reasoning was not observed.
    encodeReasoning: () => undefined,
    createDocument: ({ workingDirectory: cwd }, { sessionId, timestamp }) =>
      `${JSON.stringify({ version: 1, updated_at: timestamp, agent: 'lead', sessionId, cwd, messages: [] }, null, 2)}\n`,
  },
  detect: (input) => records.detect(input),
  parse(input) {
    const conversation = records.parse(input)
    const infos = openJsonDocument(input, FORMAT_NAME, [LIST_KEY]).records.flatMap((record) =>
      isJsonObject(record) && isJsonObject(record.modelInfo) ? [record.modelInfo] : [],
    )
    const newest = infos.at(-1)
    return {
      ...conversation,
      model: readString(newest, 'id'),
      provider: readString(newest, 'provider'),
    }
  },
  serialize(conversation, newSession) {
    if (conversation.messages.some(({ role }) => role === 'system'))
      throw refuseSystemMessage(FORMAT_NAME, 'Cline')
    const output = records.serialize(conversation)
    return newSession ? rename(conversation, output, newSession) : output
  },
}

function judge({ keys, body, elements }: Preview): number {
  const isSession = readString(body, 'sessionId') !== undefined && keys.has('agent')
  const isOurs = elements.every(({ role }) => role === 'user' || role === 'assistant')
  return isSession && isOurs && typeof body.version === 'number' ? 1 : 0
}

function readRecord(record: unknown, index: number, names: Map<string, string>): Message[] {
  const role = readRole(record, index, FORMAT_NAME, ['user', 'assistant'])
  const parts = parseBlocks(readMember(record, 'content')).map((part): Part => {
    if (part.type === 'tool-call') names.set(part.callId, part.name)
    if (part.type === 'tool-result') return nameResult(readResult(part), names)
    if (part.type === 'text' && role === 'user') return unwrapInput(part)
    return readPicture(part)
  })
  return role === 'assistant' ? [createAnswer(parts, [index])] : splitUserParts(parts, [index])
}

const INPUT =
  /^(?<opening><user_input mode="[a-z]{1,20}">)(?<words>[\s\S]*)(?<closing><\/user_input>)$/

/** Cline stores what the user typed in an element that it does not send. */
function unwrapInput(part: TextPart): Part {
  const words = INPUT.exec(part.text)?.groups?.words
  return words === undefined ? part : { ...part, text: words }
}

function encodeText(part: TextPart): unknown {
  const stored = readString(part.native, 'text') ?? ''
  const { opening, words, closing } = INPUT.exec(stored)?.groups ?? {}
  if (words === undefined) return encodePart(part)
  if (words === part.text) return part.native
  return { ...toObject(part.native), text: `${opening}${part.text}${closing}` }
}

function encodeBlock(part: Part): unknown {
  if (part.type === 'text') return encodeText(part)
  return part.type === 'tool-result' ? encodeResult(part) : encodePart(part)
}

function encodeRecord(messages: readonly Message[], record: unknown): readonly unknown[] {
  const [first] = messages
  if (!first) return []
  const isAnswer = first.role === 'assistant'
  const parts: readonly Part[] = isAnswer
    ? messages.flatMap((message): readonly Part[] => message.parts)
    : joinUserParts(messages)
  const content = parts.map(encodeBlock).filter((block) => block !== undefined)
  if (content.length === 0) return []
  if (isJsonObject(record)) return [{ ...record, content }]
  const role = isAnswer ? 'assistant' : 'user'
  return [{ id: `msg_${deriveUuid(JSON.stringify(content))}`, role, content }]
}

/** The same under another id. A changed copy has no counts of the old history. */
function rename(
  { messages, document }: Conversation,
  output: FormatOutput,
  { sessionId, timestamp }: NewSession,
): FormatOutput {
  const isEdited = !isSameList(messages, readOriginals(document))
  const whole = toWhole(output)
  const json: JsonDocument = openJsonDocument(whole, FORMAT_NAME, [LIST_KEY])
  const timeMs = parseTimestamp(timestamp) ?? 0
  const renamed = json.records.map((record) => {
    if (!isJsonObject(record)) return record
    const timed = record.ts === undefined ? { ...record, ts: timeMs } : record
    return isEdited && timed.metrics !== undefined
      ? withMembers(timed, { metrics: undefined })
      : timed
  })
  const written = writeJsonDocument(json, renamed, {
    sessionId,
    ...(isEdited && { updated_at: timestamp, system_prompt: undefined }),
  })
  if (typeof written !== 'string' || typeof output === 'string') return written
  const bytes = new TextEncoder().encode(written)
  return output instanceof Uint8Array ? bytes : [bytes]
}

function readOriginals(document: unknown): readonly Message[] {
  const messages: unknown = readMember(document, 'messages')
  return Array.isArray(messages) ? messages : []
}

function toWhole(output: FormatOutput): FormatInput {
  if (typeof output === 'string') return output
  if (output instanceof Uint8Array || isByteSource(output)) return output
  if (Symbol.iterator in output) return concatenateBytes([...(output as Iterable<Uint8Array>)])
  return output
}
