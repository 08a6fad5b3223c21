import { toJsonText } from '../../conversation/json-text.ts'
import {
  type Conversation,
  type Message,
  readText,
  type SystemMessage,
} from '../../conversation/message.ts'
import {
  type JsonDocument,
  openJsonBody,
  openJsonDocument,
  readBodyField,
  writeJsonDocument,
} from '../shared/document.ts'
import { type Format, type FormatInput, refuseOther } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../shared/json.ts'
import { type Preview, previewJson } from '../shared/preview.ts'
import { checkItem, isReference, type LocatedItem, readMessages } from './read-items.ts'
import { createItemWriter, readWritten } from './write-items.ts'

interface ResponsesDocument {
  readonly formatName: typeof FORMAT_NAME
  readonly json: JsonDocument
  readonly items: readonly JsonObject[]
  /** Whether `input` is one text, which means one user message. */
  readonly isText: boolean
}

const FORMAT_NAME = 'openai-responses'
const ITEM_TYPES =
  /^(?:message|reasoning|(?:context_)?compaction(?:_summary|_trigger)?|item_reference|mcp_list_tools|mcp_approval_(?:request|response)|tool_search_output|[a-z_]+_call(?:_output)?)$/
const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])
/**
 * Types of blocks in messages. `input_audio` and `refusal` are missing because Chat Completions has
 * them too.
 */
const OWN_BLOCKS = /^(?:(?:input|output)_(?:text|image|file)|computer_screenshot)$/
const SHARED_BLOCKS = /^(?:input_audio|output_audio|refusal|text)$/

/** Requests to OpenAI's `POST /v1/responses`: a body, or the bare list of its input items. */
export const openaiResponses: Format<'messages'> = {
  name: FORMAT_NAME,
  kind: 'messages',
  detect(input) {
    const preview = previewJson(input, ['input'])
    if (!preview) return 0
    const { keys, listKey } = preview
    if (keys.has('messages') || keys.has('contents')) return 0
    if (listKey) return listsItems(preview) ? 0.9 : 0.3
    if (keys.has('input') && keys.has('model')) return 0.8
    if (keys.size > 0) return keys.has('instructions') ? 0.5 : 0
    return listsItems(preview) && preview.elements.some(isDistinctive) ? 0.97 : 0
  },
  parse: parseRequest,
  serialize: serializeRequest,
}

function parseRequest(input: FormatInput): Conversation {
  const body = openJsonBody(input, FORMAT_NAME)
  const text = readMember(body.body, 'input')
  const isText = typeof text === 'string'
  const json = isText
    ? { ...body, listKey: undefined, records: [] }
    : openJsonDocument(input, FORMAT_NAME, ['input'])
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
    model: typeof model === 'string' ? model : undefined,
    isContinued: CONTINUATIONS.some((key) => readBodyField(json, key) != null),
    document,
  }
}

/** Fields of a request that name what the provider stored of a conversation. */
const CONTINUATIONS = ['previous_response_id', 'conversation']

/** `instructions` is not an item, so its message has an empty list of records. */
function readInstructions(json: JsonDocument): SystemMessage | undefined {
  const text = readBodyField(json, 'instructions')
  if (typeof text !== 'string' || text === '') return undefined
  return { role: 'system', origin: 'environment', parts: [{ type: 'text', text }], records: [] }
}

function isInstructions(message: Message): boolean {
  return message.role === 'system' && message.records?.length === 0
}

function serializeRequest(conversation: Conversation) {
  const { document = parseRequest({ input: [] }).document } = conversation
  if (!isResponsesDocument(document)) throw refuseOther('openai-responses')
  const { json, items, isText } = document
  const writeItems = createItemWriter()
  const records = conversation.messages
    .filter((message) => !isInstructions(message))
    .flatMap((message) =>
      writeItems(
        message,
        message.records?.map((record) => items[record]),
      ).map(readWritten),
    )
  const fields = writeInstructions(json, conversation.messages.find(isInstructions))
  if (!isText) return writeJsonDocument(json, records, fields)
  return writeJsonDocument(json, [], { ...fields, input: writeText(records) })
}

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

/**
 * Whether every element can be an item. Blocks of messages count only if there is no better
 * evidence.
 */
function listsItems({ elements, endsEarly }: Preview): boolean {
  const isCutOff = (index: number) => endsEarly && index === elements.length - 1
  if (!elements.every((element, index) => isItem(element) || isCutOff(index))) return false
  if (elements.some((element) => isItem(element) && !isMessage(element))) return true
  const types = elements.flatMap(listBlockTypes)
  return types.every((type) => OWN_BLOCKS.test(type) || SHARED_BLOCKS.test(type))
}

function isItem(element: JsonObject): boolean {
  if (isMessage(element)) {
    const isForeign = ['tool_calls', 'tool_call_id', 'parts', 'stop_reason'].some(
      (key) => key in element,
    )
    return ROLES.has(element.role) && !isForeign
  }
  return isReference(element) || (typeof element.type === 'string' && ITEM_TYPES.test(element.type))
}

function isMessage({ type, role }: JsonObject): boolean {
  return type === 'message' || ((type === undefined || type === null) && typeof role === 'string')
}

/**
 * Whether no other API has such an element. A role with plain text could also be a message of Chat
 * Completions.
 */
function isDistinctive(element: JsonObject): boolean {
  if (!isMessage(element)) return isItem(element)
  const types = listBlockTypes(element)
  return (
    types.some((type) => OWN_BLOCKS.test(type)) ||
    (element.type === 'message' && !types.includes('text'))
  )
}

function listBlockTypes({ content }: JsonObject): string[] {
  return Array.isArray(content) ? content.map((block) => readString(block, 'type') ?? '') : []
}

function isResponsesDocument(document: unknown): document is ResponsesDocument {
  return isJsonObject(document) && document.formatName === FORMAT_NAME
}
