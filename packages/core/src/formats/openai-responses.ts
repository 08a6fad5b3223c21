import { toJsonText } from '../conversation/json-text.ts'
import { type Conversation, type Message, readText, type SystemMessage } from '../conversation/message.ts'
import { type Glimpse, glimpseJson } from './detection/glimpse.ts'
import { type Format, FormatError, type FormatInput } from './format.ts'
import { type JsonDocument, openJsonBody, openJsonDocument, readBodyField, writeJsonDocument } from './json/document.ts'
import { isJsonObject, type JsonObject, readMember } from './json/object.ts'
import { isReference, readItemType } from './openai-responses/read-item.ts'
import { type LocatedItem, readMessages } from './openai-responses/read-messages.ts'
import { createItemWriter, type ItemWrite, readWritten, untieFromReasoning } from './openai-responses/write-items.ts'

interface ResponsesDocument {
  readonly formatName: typeof FORMAT_NAME
  readonly json: JsonDocument
  readonly items: readonly JsonObject[]
  /** Whether `input` is one text, which stands for one user message. */
  readonly isText: boolean
}

const FORMAT_NAME = 'openai-responses'
const ITEM_TYPES =
  /^(?:message|reasoning|(?:context_)?compaction(?:_summary|_trigger)?|item_reference|mcp_list_tools|mcp_approval_(?:request|response)|tool_search_output|[a-z_]+_call(?:_output)?)$/
const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])
/** Of blocks in messages; `input_audio` and `refusal` are blocks of Chat Completions as well. */
const OWN_BLOCKS = /^(?:(?:input|output)_(?:text|image|file)|computer_screenshot)$/
const SHARED_BLOCKS = /^(?:input_audio|output_audio|refusal|text)$/

/** What `POST /v1/responses` takes: a request body, or the bare list of its input items. */
export const openaiResponses: Format = {
  name: FORMAT_NAME,
  kind: 'messages',
  detect(input) {
    const glimpse = glimpseJson(input, ['input'])
    if (!glimpse) return 0
    const { keys, listKey } = glimpse
    if (keys.has('messages') || keys.has('contents')) return 0
    if (listKey) return listsItems(glimpse) ? 0.9 : 0.3
    if (keys.has('input') && keys.has('model')) return 0.8
    if (keys.size > 0) return keys.has('instructions') ? 0.5 : 0
    return listsItems(glimpse) && glimpse.elements.some(isTelling) ? 0.97 : 0
  },
  parse: parseRequest,
  serialize: serializeRequest,
}

function parseRequest(input: FormatInput): Conversation {
  const body = openJsonBody(input, FORMAT_NAME)
  const text = readMember(body.body, 'input')
  const isText = typeof text === 'string'
  const json = isText ? { ...body, listKey: undefined, records: [] } : openJsonDocument(input, FORMAT_NAME, ['input'])
  const records = isText ? [{ type: 'message', role: 'user', content: text }] : json.records
  const items = records.map(checkItem)
  const located: LocatedItem[] = items.map((item, ordinal) => ({ item, ordinal, record: ordinal }))
  const system = readInstructions(json)
  const history = readMessages(located)
  const model = readBodyField(json, 'model')
  const tools = readBodyField(json, 'tools')
  const document: ResponsesDocument = { formatName: FORMAT_NAME, json, items, isText }
  return {
    protocol: 'openai-responses',
    messages: system ? [system, ...history] : history,
    tools: Array.isArray(tools) ? tools.map(toJsonText) : [],
    ...(typeof model === 'string' && { model }),
    document,
  }
}

function checkItem(record: unknown, index: number): JsonObject {
  if (isJsonObject(record)) return record
  throw new FormatError(
    'malformed',
    `Reading openai-responses: item ${index} is ${record === null ? 'null' : `a ${typeof record}`}. Give an object for every item.`,
  )
}

/** `instructions` is no item: it stands for an empty list of records. */
function readInstructions(json: JsonDocument): SystemMessage | undefined {
  const text = readBodyField(json, 'instructions')
  if (typeof text !== 'string' || text === '') return undefined
  return { role: 'system', origin: 'environment', parts: [{ type: 'text', text }], records: [] }
}

function isInstructions(message: Message): boolean {
  return message.role === 'system' && message.records?.length === 0
}

function serializeRequest(conversation: Conversation) {
  const { document = createDocument() } = conversation
  if (!isResponsesDocument(document)) {
    throw new FormatError(
      'cannot-serialize',
      'Writing openai-responses: the conversation was parsed from another format. Give one that was parsed from a request of the Responses API.',
    )
  }
  const { json, items, isText } = document
  const writeItems = createItemWriter()
  const writes: ItemWrite[] = []
  for (const message of conversation.messages) {
    if (isInstructions(message)) continue
    const written = writeItems(message)
    writes.push(...(hasLostReasoning(message, written, items) ? untieFromReasoning(written) : written))
  }
  const records = writes.map(readWritten)
  const fields = writeInstructions(json, conversation.messages.find(isInstructions))
  if (!isText) return writeJsonDocument(json, records, fields)
  return writeJsonDocument(json, [], { ...fields, input: writeText(records) })
}

/** For a conversation that was parsed from nothing. */
function createDocument(): ResponsesDocument {
  return {
    formatName: FORMAT_NAME,
    json: openJsonDocument({ input: [] }, FORMAT_NAME, ['input']),
    items: [],
    isText: false,
  }
}

/** One user message stays a text. */
function writeText(records: readonly JsonObject[]): unknown {
  const [only, ...others] = records
  return only && others.length === 0 && only.role === 'user' && typeof only.content === 'string'
    ? only.content
    : records
}

function writeInstructions(json: JsonDocument, system: Message | undefined): JsonObject {
  const before = readBodyField(json, 'instructions')
  const after = system ? readText(system) : undefined
  if (typeof before !== 'string' || before === '' || after === before) return {}
  return { instructions: after }
}

function hasLostReasoning(message: Message, writes: readonly ItemWrite[], items: readonly JsonObject[]): boolean {
  if (message.role !== 'assistant' || !message.records) return false
  const kept = new Set(writes.map((write) => (write.type === 'new' ? -1 : write.ordinal)))
  return message.records.some((record) => {
    const item = items[record]
    return item !== undefined && readItemType(item) === 'reasoning' && !kept.has(record)
  })
}

/** Whether all of it can be items. Blocks of messages only count where there is nothing else to go by. */
function listsItems({ elements, endsEarly }: Glimpse): boolean {
  const isCutOff = (index: number) => endsEarly && index === elements.length - 1
  if (!elements.every((element, index) => isItem(element) || isCutOff(index))) return false
  if (elements.some((element) => isItem(element) && !isMessage(element))) return true
  const types = elements.flatMap(listBlockTypes)
  return types.every((type) => OWN_BLOCKS.test(type) || SHARED_BLOCKS.test(type))
}

function isItem(element: JsonObject): boolean {
  if (isMessage(element)) {
    const isForeign = ['tool_calls', 'tool_call_id', 'parts', 'stop_reason'].some((key) => key in element)
    return ROLES.has(element.role) && !isForeign
  }
  return isReference(element) || (typeof element.type === 'string' && ITEM_TYPES.test(element.type))
}

function isMessage({ type, role }: JsonObject): boolean {
  return type === 'message' || ((type === undefined || type === null) && typeof role === 'string')
}

/** Whether no other API has such an element: a bare role and text is a message of OpenAI's other API just as well. */
function isTelling(element: JsonObject): boolean {
  if (!isMessage(element)) return isItem(element)
  const types = listBlockTypes(element)
  return types.some((type) => OWN_BLOCKS.test(type)) || (element.type === 'message' && !types.includes('text'))
}

function listBlockTypes({ content }: JsonObject): string[] {
  return Array.isArray(content) ? content.map((block) => String(readMember(block, 'type'))) : []
}

function isResponsesDocument(document: unknown): document is ResponsesDocument {
  return isJsonObject(document) && document.formatName === FORMAT_NAME
}
