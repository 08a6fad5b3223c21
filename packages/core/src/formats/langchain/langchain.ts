import { toJsonText } from '../../conversation/json-text.ts'
import {
  isContentPart,
  type Message,
  type Part,
  type ToolResultPart,
} from '../../conversation/message.ts'
import type { Format } from '../shared/format.ts'
import { isJsonObject, type JsonObject, keepSameList, readMember } from '../shared/json.ts'
import { createMessageFormat, refuseForeign } from '../shared/message-format.ts'
import {
  createAnswer,
  createResults,
  createSystem,
  createUser,
  toContentPart,
} from '../shared/parts.ts'
import type { Preview } from '../shared/preview.ts'
import { encodeCallId, readCallId } from '../shared/tool-calls.ts'
import {
  encodeAssistantFields,
  encodeBlock,
  encodeContent,
  readAssistantParts,
  readContent,
} from './assistant.ts'
import {
  createRecord,
  isLangChainMessage,
  isMessage,
  type RecordShape,
  readShape,
  withFields,
} from './record-shape.ts'

/** Messages of LangChain, as instances or stored. Works without importing LangChain. */
export const langchain: Format<'messages'> = createMessageFormat({
  name: 'langchain',
  protocol: 'openai-chat',
  listKeys: ['messages'],
  systemKeys: [],
  toolKeys: ['tools'],
  joinsResults: false,
  judge,
  createReader() {
    const callNames = new Map<string, string>()
    return {
      readSystem: (native) => {
        const parts =
          typeof native === 'string'
            ? readContent(native)
            : readContent(readShape(native, 0).fields.content)
        return parts.map(toContentPart)
      },
      readRecord: (record, index) => [readRecord(readShape(record, index), index, callNames)],
    }
  },
  readTool: (tool) => [readToolSchema(tool)],
  encodeSystem: (parts) => encodeContent(parts, undefined),
  encodeRecord: (messages, record, sample) =>
    messages.flatMap((message) => encodeMessage(message, record, sample)),
})

function judge({ elements }: Preview): number {
  if (elements.length === 0) return 0
  // The list may mix LangChain's messages with plain objects that it converts to instances.
  if (elements.some(isLangChainMessage) && elements.every(isMessage)) return 0.98
  const hasCall = ({ tool_calls }: JsonObject) =>
    Array.isArray(tool_calls) && tool_calls.some((call) => readMember(call, 'type') === 'tool_call')
  return elements.every(({ role, type }) => typeof (role ?? type) === 'string') &&
    elements.some(hasCall)
    ? 0.96
    : 0
}

function readRecord(
  { kind, fields }: RecordShape,
  index: number,
  callNames: Map<string, string>,
): Message {
  refuseForeign(fields, index, 'langchain')
  const records = [index]
  switch (kind) {
    case 'system':
      return createSystem(readContent(fields.content), records)
    case 'human':
      return createUser(readContent(fields.content), records)
    case 'ai': {
      const parts = readAssistantParts(fields)
      for (const part of parts) if (part.type === 'tool-call') callNames.set(part.callId, part.name)
      return createAnswer(parts, records)
    }
    case 'tool':
      return createResults([readResult(fields, index, callNames)], records)
    // This role is older than tools. It answers by name, and no provider checks the name.
    case 'function':
      return {
        role: 'user',
        origin: 'environment',
        parts: readContent(fields.content).map(toContentPart),
        records,
      }
  }
}

function readResult(
  fields: JsonObject,
  index: number,
  callNames: ReadonlyMap<string, string>,
): ToolResultPart {
  const callId = readCallId(fields.tool_call_id) ?? `no call ${index}`
  const name = typeof fields.name === 'string' ? fields.name : callNames.get(callId)
  const output = readContent(fields.content).map(toContentPart)
  return {
    type: 'tool-result',
    callId,
    name,
    output,
    isError: fields.status === 'error',
    native: fields,
  }
}

function encodeMessage(message: Message, record: unknown, sample: unknown): unknown[] {
  const shape = record === undefined ? undefined : readShape(record, 0)
  const fields = shape?.fields ?? {}
  const write = (kind: RecordShape['kind'], changes: JsonObject) =>
    shape && shape.kind === kind ? withFields(record, changes) : createRecord(kind, changes, sample)
  switch (message.role) {
    case 'assistant':
      // No provider accepts reasoning without anything after it.
      if (message.parts.every(({ type }) => type === 'reasoning')) return []
      return [
        shape
          ? write('ai', encodeAssistantFields(message.parts, fields))
          : encodeNewAnswer(message.parts, sample),
      ]
    case 'tool':
      return message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [encodeResult(part, write)] : [],
      )
    case 'user':
    case 'system': {
      if (message.parts.length === 0) return []
      const kind =
        message.role === 'system' ? 'system' : shape?.kind === 'function' ? 'function' : 'human'
      return [write(kind, { content: encodeList(message.parts, fields.content) })]
    }
  }
}

function encodeNewAnswer(parts: readonly Part[], sample: unknown): JsonObject {
  const { content, tool_calls } = encodeAssistantFields(parts, {})
  return createRecord('ai', { content, tool_calls }, sample)
}

function encodeResult(
  part: ToolResultPart,
  write: (kind: 'tool', changes: JsonObject) => unknown,
): unknown {
  const before = isJsonObject(part.native) && 'tool_call_id' in part.native ? part.native : {}
  const isMarked = before.status === 'error'
  return write('tool', {
    content: encodeList(part.output, before.content),
    tool_call_id: encodeCallId(part.callId, before.tool_call_id),
    ...(part.name !== undefined && before.name !== part.name && { name: part.name }),
    ...(part.isError !== isMarked && { status: part.isError ? 'error' : 'success' }),
  })
}

function encodeList(parts: readonly Part[], original: unknown): unknown {
  if (!Array.isArray(original)) return encodeContent(parts, original)
  return keepSameList(parts.filter(isContentPart).map(encodeBlock), original)
}

/** JSON text of the tool as a model gets it. An estimate if the schema is not available as JSON. */
function readToolSchema(tool: unknown): string {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.schema === undefined)
    return toJsonText(tool)
  const description = typeof tool.description === 'string' ? tool.description : ''
  const parameters = toJsonSchema(tool.schema)
  return toJsonText({ type: 'function', function: { name: tool.name, description, parameters } })
}

function toJsonSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return {}
  return convertByStandard(schema) ?? describeShape(schema) ?? schema
}

/** Uses the Standard JSON Schema interface of Zod 4.2 and other libraries. */
function convertByStandard(schema: JsonObject): unknown {
  const convert = readMember(readMember(schema['~standard'], 'jsonSchema'), 'input')
  if (typeof convert !== 'function') return undefined
  try {
    return convert({ target: 'draft-07' })
  } catch {
    // It throws for types that JSON Schema cannot describe, such as a date.
    return undefined
  }
}

function describeShape(schema: JsonObject): unknown {
  const { shape } = schema
  if (!isJsonObject(shape)) return undefined
  const properties = Object.entries(shape).map(([name, field]) => {
    const description: unknown = isJsonObject(field) ? field.description : undefined
    return [name, { type: 'string', ...(typeof description === 'string' && { description }) }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(shape),
  }
}
