import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  type Part,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import type { Format } from '../shared/format.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import { createMessageFormat, readRole, refuseForeign } from '../shared/message-format.ts'
import {
  createAnswer,
  createResults,
  createSystem,
  createUser,
  encodeText,
  isNativeField,
  type NativeField,
  toOpaque,
} from '../shared/parts.ts'
import { hasRoles, type Preview } from '../shared/preview.ts'
import { toInputText } from '../shared/tool-calls.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** Request bodies of OpenAI's `POST /v1/chat/completions` and of the many servers that speak it. */
export const openaiChat: Format<'messages'> = createMessageFormat({
  name: 'openai-chat',
  protocol: 'openai-chat',
  listKeys: ['messages'],
  systemKeys: [],
  toolKeys: ['tools', 'functions'],
  joinsResults: false,
  judge,
  createReader() {
    const read = createRecordReader()
    return { readSystem: parseContentParts, readRecord: (record, index) => [read(record, index)] }
  },
  readTool: (tool) => [toJsonText(tool)],
  encodeSystem: encodeContentParts,
  encodeRecord: (messages, record) => messages.flatMap((message) => encodeMessage(message, record)),
})

const ANTHROPIC_BLOCKS = new Set(['tool_use', 'tool_result', 'redacted_thinking'])

function judge(preview: Preview): number {
  const { body, elements } = preview
  if (!hasRoles(preview, ROLES)) return 0
  if (elements.some((element) => 'parts' in element)) return 0
  const blocks = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (blocks.some((block) => ANTHROPIC_BLOCKS.has(String(readMember(block, 'type'))))) return 0.1
  const tools: readonly unknown[] = Array.isArray(body.tools) ? body.tools : []
  if (tools.some((tool) => isJsonObject(readMember(tool, 'function')))) return 0.95
  if (elements.some((element) => 'tool_calls' in element || 'tool_call_id' in element)) return 0.95
  if (elements.some(({ role }) => isResultRole(role))) return 0.9
  // Messages of the Responses API may have these roles too.
  if (elements.some(({ role }) => role === 'system' || role === 'developer')) return 0.55
  return elements.length > 0 ? 0.5 : preview.listKey === undefined ? 0 : 0.3
}

/**
 * Reads in order. A result gets the name of its call, and a result in the old `function` role
 * answers only by name.
 */
function createRecordReader(): (record: unknown, index: number) => Message {
  const callNames = new Map<string, string>()
  const openByName = new Map<string, string>()
  let isObservation = false
  return (record, index) => {
    const role = readRole(record, index, 'openai-chat', ROLES)
    refuseForeign(record, index, 'openai-chat')
    const native = toObject(record)
    const records = [index]
    const isOfHost = isObservation || native.is_demo === true
    isObservation = isActionInWords(native)
    switch (role) {
      case 'system':
      case 'developer':
        return createSystem(parseContentParts(native.content), records)
      case 'user': {
        const message = createUser(parseContentParts(native.content), records)
        return isOfHost && message.role === 'user' ? { ...message, origin: 'environment' } : message
      }
      case 'assistant': {
        const parts = parseAssistantParts(native, `function_call ${index}`)
        for (const part of parts) {
          if (part.type !== 'tool-call') continue
          callNames.set(part.callId, part.name)
          if (part.callId === `function_call ${index}`) openByName.set(part.name, part.callId)
        }
        return createAnswer(parts, records)
      }
      case 'tool':
      case 'function':
        return createResults([readResult(native, index, callNames, openByName)], records)
    }
  }
}

/**
 * SWE-agent without tool calls: an answer has its command in words, and what was printed comes next
 * in the role of the user (swe-agent.com, trajectories).
 */
function isActionInWords({ role, action, tool_calls: calls }: JsonObject): boolean {
  const hasCalls = Array.isArray(calls) && calls.length > 0
  return role === 'assistant' && typeof action === 'string' && action.trim() !== '' && !hasCalls
}

function readResult(
  record: JsonObject,
  index: number,
  callNames: ReadonlyMap<string, string>,
  openByName: Map<string, string>,
): ToolResultPart {
  const ownName = readString(record, 'name')
  const byName = record.role === 'function' ? openByName.get(ownName ?? '') : undefined
  if (byName !== undefined) openByName.delete(ownName ?? '')
  const callId = readString(record, 'tool_call_id') ?? byName ?? `no call ${index}`
  const name = ownName ?? callNames.get(callId)
  const output = parseContentParts(record.content)
  return { type: 'tool-result', callId, name, output, isError: false, native: record }
}

function encodeMessage(message: Message, record: unknown): unknown[] {
  // Words that were a result have no other member of its record.
  const native = isJsonObject(record) && !isResultRole(record.role) ? record : undefined
  switch (message.role) {
    case 'assistant':
      if (message.parts.length === 0) return []
      return [encodeAssistantParts(message.parts, native ?? { role: 'assistant' })]
    case 'tool':
      return message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [encodeResult(part)] : [],
      )
    case 'user':
    case 'system': {
      const content = encodeContentParts(message.parts, native?.content)
      if (content === undefined) return []
      return [withMembers(native ?? { role: message.role }, { content })]
    }
  }
}

function encodeResult(part: ToolResultPart): unknown {
  const native = isResultRole(readMember(part.native, 'role')) ? toObject(part.native) : undefined
  const content = encodeContentParts(part.output, native?.content) ?? ''
  if (native?.role === 'function')
    return native.content === content ? native : { ...native, content }
  if (native && native.content === content && native.tool_call_id === part.callId) return native
  return { ...(native ?? { role: 'tool' }), tool_call_id: part.callId, content }
}

const isResultRole = (role: unknown): boolean => role === 'tool' || role === 'function'

/** Fields of an assistant record that are carried, not understood. */
const OPAQUE_FIELDS = ['refusal', 'audio', 'reasoning_details', 'thinking_blocks']
// Servers of open models return the model's reasoning this way. OpenAI never does here.
const REASONING_FIELDS = ['reasoning_content', 'reasoning']

function parseContentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(parseContentPart) : []
}

function parseContentPart(native: unknown): ContentPart {
  const type = readMember(native, 'type')
  const text = readMember(native, 'text')
  if (type === 'text' && typeof text === 'string') return { type: 'text', text, native }
  if (type === 'image_url') {
    const image = readMember(native, 'image_url')
    const url = isJsonObject(image) ? image.url : image
    return { type: 'image', ...measureData(url, 'image/*'), native }
  }
  if (type === 'input_audio') {
    const audio = readMember(native, 'input_audio')
    const format = readMember(audio, 'format')
    const mediaType = typeof format === 'string' ? `audio/${format}` : 'audio/*'
    return { type: 'file', ...measureData(readMember(audio, 'data'), mediaType), native }
  }
  if (type === 'file') {
    const data = readMember(readMember(native, 'file'), 'file_data')
    return { type: 'file', ...measureData(data, 'application/octet-stream'), native }
  }
  return toOpaque(native)
}

/** The parts of an assistant record. A `function_call` has no id and gets `functionCallId`. */
function parseAssistantParts(
  record: JsonObject,
  functionCallId: string,
): AssistantMessage['parts'] {
  const reasoning: ReasoningPart[] = REASONING_FIELDS.flatMap((field) => {
    const value = readMember(record, field)
    if (typeof value !== 'string' || value === '') return []
    return [
      {
        type: 'reasoning',
        text: value,
        signatureLength: 0,
        native: { field, value } satisfies NativeField,
      },
    ]
  })
  const carried: ContentPart[] = OPAQUE_FIELDS.flatMap((field) => {
    const value = readMember(record, field)
    if (value === undefined || value === null) return []
    const text = typeof value === 'string' ? value : toJsonText(value)
    return [{ type: 'opaque', kind: field, text, native: { field, value } satisfies NativeField }]
  })
  const calls = readMember(record, 'tool_calls')
  return [
    ...reasoning,
    ...parseContentParts(readMember(record, 'content')),
    ...carried,
    ...(Array.isArray(calls) ? calls.map(parseCall) : []),
    ...parseFunctionCall(readMember(record, 'function_call'), functionCallId),
  ]
}

/**
 * A call of a function, with its input under `function.arguments`, or of a custom tool, with its
 * input under `custom.input`.
 */
function parseCall(native: unknown): ToolCallPart | ContentPart {
  const callId = readMember(native, 'id')
  const kind = readMember(native, 'custom') === undefined ? 'function' : 'custom'
  const called = readMember(native, kind)
  const name = readMember(called, 'name')
  if (typeof callId !== 'string' || typeof name !== 'string') {
    return toOpaque(native, native, 'tool_calls')
  }
  const input = readMember(called, kind === 'custom' ? 'input' : 'arguments')
  return { type: 'tool-call', callId, name, input: input ?? '', native }
}

function parseFunctionCall(value: unknown, callId: string): ToolCallPart[] {
  const name = readMember(value, 'name')
  if (typeof name !== 'string') return []
  const input = readMember(value, 'arguments') ?? ''
  return [
    {
      type: 'tool-call',
      callId,
      name,
      input,
      native: { field: 'function_call', value } satisfies NativeField,
    },
  ]
}

/**
 * `content` of a record. A string if there was a string and all parts are text. Undefined if
 * nothing is left.
 */
function encodeContentParts(parts: readonly Part[], original: unknown): unknown {
  const content = parts.filter((part) => part.type !== 'tool-call' && !isNativeField(part.native))
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (content.length === 0) return undefined
  if (!Array.isArray(original) && texts.length === content.length) return texts.join('\n')
  const encoded = content.flatMap((part) => encodeContentPart(part) ?? [])
  return keepSameList(encoded, original)
}

function encodeContentPart(part: Part): unknown {
  if (part.type === 'text') return encodeText(part)
  // Reasoning that is not a field of its record came from another provider. This API cannot hold
  // it.
  if (part.type === 'reasoning') return undefined
  return part.native ?? { type: 'text', text: renderPart(part) }
}

function encodeAssistantParts(parts: readonly Part[], record: JsonObject): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const field of [...OPAQUE_FIELDS, ...REASONING_FIELDS, 'function_call']) {
    const isEmpty = record[field] === null || record[field] === ''
    if (Object.hasOwn(record, field) && !isEmpty) fields[field] = undefined
  }
  const calls: unknown[] = []
  for (const part of parts) {
    if (isNativeField(part.native)) fields[part.native.field] = encodeField(part, part.native)
    else if (part.type === 'tool-call') calls.push(encodeCall(part))
  }
  const content = encodeContentParts(parts, record.content)
  const hasCalls = calls.length > 0
  return withMembers(record, {
    ...fields,
    // A message without calls needs content. For a message with calls, OpenAI itself sends null.
    content: content ?? (hasCalls || typeof record.content !== 'string' ? null : ''),
    tool_calls: hasCalls ? keepSameList(calls, record.tool_calls) : undefined,
  })
}

function encodeField(part: Part, { field, value }: NativeField): unknown {
  if (part.type === 'reasoning') return part.text
  if (part.type !== 'tool-call' || field !== 'function_call') return value
  const input = toInputText(part.input)
  const isSame = readMember(value, 'name') === part.name && readMember(value, 'arguments') === input
  return isSame ? value : { ...toObject(value), name: part.name, arguments: input }
}

function encodeCall(part: ToolCallPart): unknown {
  const native = toObject(part.native)
  const kind = native.custom === undefined ? 'function' : 'custom'
  const inputField = kind === 'custom' ? 'input' : 'arguments'
  const called = toObject(native[kind])
  const input = toInputText(part.input)
  if (native.id === part.callId && called.name === part.name && called[inputField] === input)
    return part.native
  const known = isJsonObject(native[kind]) ? native : { type: kind }
  return { ...known, id: part.callId, [kind]: { ...called, name: part.name, [inputField]: input } }
}
