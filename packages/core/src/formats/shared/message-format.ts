/**
 * What the formats of request bodies share: how messages relate to the records of a document. A
 * record of the Anthropic or Gemini API may hold several messages:
 *
 *   records    user      assistant   user [result a, result b, text]   assistant
 *   messages   user      assistant   tool                     user     assistant
 *
 * If all messages of a record are there, adjacent and untouched, the record is the object that was
 * read. Any other record is encoded again from what is left of it.
 */
import { describeType } from '../../conversation/check-options.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import { addTo, isSameList } from '../../conversation/lists.ts'
import {
  type ContentPart,
  type Conversation,
  isContentPart,
  type Message,
  type Protocol,
} from '../../conversation/message.ts'
import {
  type JsonDocument,
  openJsonDocument,
  readBodyField,
  writeJsonDocument,
} from './document.ts'
import {
  type Format,
  FormatError,
  type FormatInput,
  type FormatOutput,
  refuseOther,
} from './format.ts'
import { isJsonObject, readMember, readString } from './json.ts'
import { type Preview, previewJson } from './preview.ts'
import { groupBySource } from './records.ts'

export interface MessageCodec {
  readonly name: string
  /** The provider's rules that a conversation follows by default. */
  readonly protocol: Protocol
  readonly listKeys: readonly [string, ...string[]]
  /** Keys of the body that hold the system prompt. Empty if the prompt is one of the records. */
  readonly systemKeys: readonly string[]
  /** Keys of the body that may hold the tools. The first existing key counts. */
  readonly toolKeys: readonly string[]
  /** Whether results of parallel calls have to share one record. */
  readonly joinsResults: boolean
  /** How sure it is that a document with this beginning is its own, 0 to 1. */
  judge(preview: Preview): number
  /** A reader for the records of one document, in order. */
  createReader(): RecordReader
  /** One JSON text for each tool of one entry under the tool key. */
  readTool(tool: unknown): readonly string[]
  readModel?(model: string): string
  /** The value under the system key. Undefined if nothing of it is left. */
  encodeSystem(parts: readonly ContentPart[], native: unknown): unknown
  /**
   * The records of adjacent messages that come from one record, or from none. New records may look
   * like `sample`.
   */
  encodeRecord(messages: readonly Message[], record: unknown, sample: unknown): readonly unknown[]
}

export interface RecordReader {
  /** The parts of a system prompt that is not a record. */
  readSystem(native: unknown): readonly ContentPart[]
  /**
   * The messages of one record. Throws `FormatError` for a role that the provider does not know.
   */
  readRecord(record: unknown, index: number): readonly Message[]
}

/** The `document` of a conversation of these formats. */
interface RecordDocument {
  readonly formatName: string
  readonly json: JsonDocument
  readonly messages: readonly Message[]
}

/** A format that can also be read record by record, as a live history grows. */
export interface MessageFormat extends Format<'messages'> {
  readonly codec: MessageCodec
}

export function isMessageFormat(format: Format): format is MessageFormat {
  return 'codec' in format
}

export function createMessageFormat(codec: MessageCodec): MessageFormat {
  return {
    name: codec.name,
    kind: 'messages',
    codec,
    detect(input) {
      const preview = previewJson(input, codec.listKeys)
      return preview ? codec.judge(preview) : 0
    },
    parse: (input) => parseRecords(codec, input),
    serialize: (conversation) => serializeRecords(codec, conversation),
  }
}

function parseRecords(codec: MessageCodec, input: FormatInput): Conversation {
  const json = openJsonDocument(input, codec.name, codec.listKeys)
  const reader = codec.createReader()
  const systemKey = findKey(json, codec.systemKeys)
  const parts = systemKey === undefined ? [] : reader.readSystem(readBodyField(json, systemKey))
  const system: Message[] =
    parts.length > 0 ? [{ role: 'system', origin: 'environment', parts, records: [] }] : []
  const messages = [
    ...system,
    ...json.records.flatMap((record, index) => reader.readRecord(record, index)),
  ]
  const toolKey = findKey(json, codec.toolKeys)
  const tools = toolKey === undefined ? [] : readBodyField(json, toolKey)
  const model = readBodyField(json, 'model')
  const document: RecordDocument = { formatName: codec.name, json, messages }
  return {
    protocol: codec.protocol,
    messages,
    tools: Array.isArray(tools) ? tools.flatMap((tool) => codec.readTool(tool)) : [],
    model: typeof model === 'string' ? (codec.readModel?.(model) ?? model) : undefined,
    providerEdits: readProviderEdits(json),
    document,
  }
}

function readProviderEdits(json: JsonDocument): readonly string[] | undefined {
  const edits = readMember(readBodyField(json, 'context_management'), 'edits')
  if (!Array.isArray(edits)) return undefined
  return edits.flatMap((edit) => readString(edit, 'type') ?? [])
}

/** The first of the keys under which the body has something. */
function findKey(json: JsonDocument, keys: readonly string[]): string | undefined {
  return keys.find((key) => (readBodyField(json, key) ?? undefined) !== undefined)
}

function serializeRecords(codec: MessageCodec, conversation: Conversation): FormatOutput {
  const { json, messages: parsed } = readDocument(codec, conversation)
  if (conversation.messages === parsed) return writeJsonDocument(json, json.records)
  const listed: Message[] = []
  const apart: Message[] = []
  for (const message of conversation.messages) {
    // `records` is empty for a system prompt from the body, and missing for a new one.
    const isApart =
      message.role === 'system' && codec.systemKeys.length > 0 && !message.records?.length
    if (isApart) apart.push(message)
    else listed.push(message)
  }
  const records = encodeRecords(codec, json, parsed, listed)
  return writeJsonDocument(json, records, encodeBodySystem(codec, json, parsed, apart))
}

function readDocument(codec: MessageCodec, conversation: Conversation): RecordDocument {
  const { document } = conversation
  if (document === undefined) {
    const json = openJsonDocument({ [codec.listKeys[0]]: [] }, codec.name, codec.listKeys)
    return { formatName: codec.name, json, messages: [] }
  }
  if (isRecordDocument(document) && document.formatName === codec.name) return document
  throw refuseOther(codec.name)
}

function isRecordDocument(document: unknown): document is RecordDocument {
  return (
    isJsonObject(document) &&
    'json' in document &&
    'formatName' in document &&
    Array.isArray(document.messages)
  )
}

function encodeBodySystem(
  codec: MessageCodec,
  json: JsonDocument,
  parsed: readonly Message[],
  apart: readonly Message[],
): Record<string, unknown> {
  const original = parsed.filter((message) => message.records?.length === 0)
  if (isSameList(apart, original)) return {}
  const key = findKey(json, codec.systemKeys) ?? codec.systemKeys[0]
  if (key === undefined) return {}
  if (json.listKey === undefined && apart.length > 0) {
    throw new FormatError(
      'cannot-serialize',
      `Writing ${codec.name}: a bare list has no place for a system prompt. Give a request body with "${key}" apart.`,
    )
  }
  const parts = apart.flatMap((message) => message.parts.filter(isContentPart))
  return {
    [key]: parts.length === 0 ? undefined : codec.encodeSystem(parts, readMember(json.body, key)),
  }
}

function encodeRecords(
  codec: MessageCodec,
  json: JsonDocument,
  parsed: readonly Message[],
  messages: readonly Message[],
): unknown[] {
  const original = new Map<number, Message[]>()
  for (const message of parsed) {
    const record = message.records?.[0]
    if (record !== undefined) addTo(original, record, message)
  }
  const groups = groupBySource(
    messages,
    ({ records }) => records?.[0],
    () => codec.joinsResults,
  )
  return groups.flatMap(({ source = -1, messages: own }) => {
    const record = json.records[source]
    const whole = original.get(source)
    return whole && isSameList(whole, own)
      ? [record]
      : codec.encodeRecord(own, record, json.records[0])
  })
}

/**
 * The role of a record. Throws `FormatError` for a role outside `roles`, which no provider would
 * accept.
 */
export function readRole<Role extends string>(
  record: unknown,
  index: number,
  formatName: string,
  roles: readonly Role[],
): Role {
  const role = readMember(record, 'role')
  const known = roles.find((name) => name === role)
  if (known !== undefined) return known
  const type = readMember(record, 'type')
  const typed = typeof type === 'string' ? ` and type ${toJsonText(type).slice(0, 60)}` : ''
  const found = isJsonObject(record)
    ? `role ${toJsonText(role).slice(0, 60)}${typed}`
    : describeType(record)
  throw refuse(
    formatName,
    index,
    `has ${found}. Its role must be ${roles.join(', ')}. If it is of another API, name its format.`,
  )
}

export const refuse = (formatName: string, index: number, found: string): FormatError =>
  new FormatError('malformed', `Reading ${formatName}: message ${index} ${found}`)

/**
 * Throws `FormatError` for a message whose content the format would not read: content that is
 * neither text nor a list, UI messages of the AI SDK, and messages of Amazon Bedrock's Converse,
 * whose blocks have no type (docs.aws.amazon.com/bedrock, ContentBlock).
 */
export function refuseForeign(record: unknown, index: number, formatName: string): void {
  const content = readMember(record, 'content')
  if (Array.isArray(content)) {
    if (content.some(isOfConverse))
      throw refuse(formatName, index, 'is of Converse. Give messages of another API of Bedrock.')
  } else if (content != null && typeof content !== 'string') {
    const found = toJsonText(content).slice(0, 60)
    throw refuse(formatName, index, `has content ${found}. Give text or a list of parts.`)
  } else if (Array.isArray(readMember(record, 'parts')))
    throw refuse(
      formatName,
      index,
      'is a UI message. Give what convertToModelMessages makes of them.',
    )
}

const isOfConverse = (block: unknown): boolean =>
  isJsonObject(block) &&
  !block.type &&
  ['text', 'toolUse', 'toolResult'].some((key) => key in block)
