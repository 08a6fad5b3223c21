/** Parts of a message of Chat Completions: content, and the fields of an assistant record. */

import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Part,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
} from '../../conversation/message.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import {
  encodeText,
  isNativeField,
  type NativeField,
  toOpaque,
  withMentions,
} from '../shared/parts.ts'
import { encodeCallId, readCallId, toInputText } from '../shared/tool-calls.ts'

/** Fields of an assistant record that are carried, not understood. */
const OPAQUE_FIELDS = ['refusal', 'audio', 'reasoning_details', 'thinking_blocks']
// Servers of open models return the model's reasoning this way. OpenAI never does here.
const REASONING_FIELDS = ['reasoning_content', 'reasoning']

export function parseContentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content)
    ? content.map((native) => withMentions(parseContentPart(native), native))
    : []
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
export function parseAssistantParts(
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
  const callId = readCallId(readMember(native, 'id'))
  const kind = readMember(native, 'custom') === undefined ? 'function' : 'custom'
  const called = readMember(native, kind)
  const name = readMember(called, 'name')
  if (callId === undefined || typeof name !== 'string') {
    const field: NativeField = { field: 'tool_calls', value: native }
    return toOpaque(native, field, 'tool_calls')
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
export function encodeContentParts(parts: readonly Part[], original: unknown): unknown {
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

export function encodeAssistantParts(parts: readonly Part[], record: JsonObject): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const field of [...OPAQUE_FIELDS, ...REASONING_FIELDS, 'function_call']) {
    const isEmpty = record[field] === null || record[field] === ''
    if (Object.hasOwn(record, field) && !isEmpty) fields[field] = undefined
  }
  const calls: unknown[] = []
  for (const part of parts) {
    const { native } = part
    if (isNativeField(native)) {
      if (native.field === 'tool_calls') calls.push(native.value)
      else fields[native.field] = encodeField(part, native)
    } else if (part.type === 'tool-call') calls.push(encodeCall(part))
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
  const id = encodeCallId(part.callId, native.id)
  if (native.id === id && called.name === part.name && called[inputField] === input)
    return part.native
  const known = isJsonObject(native[kind]) ? native : { type: kind }
  return { ...known, id, [kind]: { ...called, name: part.name, [inputField]: input } }
}
