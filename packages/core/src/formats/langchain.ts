import { findAnswerOrigin, findUserOrigin } from '../conversation/injected-text.ts'
import { isContentPart, type Message, type Part, type ToolResultPart } from '../conversation/message.ts'
import { toContentPart } from './content/parts.ts'
import type { Glimpse } from './detection/glimpse.ts'
import type { Format } from './format.ts'
import { isJsonObject, type JsonObject, readMember } from './json/object.ts'
import { keepSameList } from './json/same-list.ts'
import { encodeAssistantFields, readAssistantParts } from './langchain/assistant.ts'
import { encodeBlock, encodeContent, readContent } from './langchain/blocks.ts'
import {
  createRecord,
  isLangChainMessage,
  isMessage,
  type RecordShape,
  readShape,
  withFields,
} from './langchain/record-shape.ts'
import { readToolSchema } from './langchain/tool-schema.ts'
import { createMessageFormat } from './message-format.ts'

/** Messages of LangChain, as instances or stored, without importing it. */
export const langchain: Format = createMessageFormat({
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
          typeof native === 'string' ? readContent(native) : readContent(readShape(native, 0).fields.content)
        return parts.map(toContentPart)
      },
      readRecord: (record, index) => [readRecord(readShape(record, index), index, callNames)],
    }
  },
  readTool: (tool) => [readToolSchema(tool)],
  readModel: (model) => model,
  encodeSystem: (parts) => encodeContent(parts, undefined),
  encodeRecord: (messages, record, sample) => messages.flatMap((message) => encodeMessage(message, record, sample)),
})

function judge({ elements }: Glimpse): number {
  if (elements.length === 0) return 0
  // What LangChain makes an instance of may stand among its own.
  if (elements.some(isLangChainMessage) && elements.every(isMessage)) return 0.98
  const hasCall = ({ tool_calls }: JsonObject) =>
    Array.isArray(tool_calls) && tool_calls.some((call) => readMember(call, 'type') === 'tool_call')
  return elements.every(({ role, type }) => typeof (role ?? type) === 'string') && elements.some(hasCall) ? 0.96 : 0
}

function readRecord({ kind, fields }: RecordShape, index: number, callNames: Map<string, string>): Message {
  const records = [index]
  switch (kind) {
    case 'system':
      return { role: 'system', origin: 'environment', parts: readContent(fields.content).map(toContentPart), records }
    case 'human': {
      const parts = readContent(fields.content).map(toContentPart)
      return { role: 'user', origin: findUserOrigin(parts), parts, records }
    }
    case 'ai': {
      const parts = readAssistantParts(fields)
      for (const part of parts) if (part.type === 'tool-call') callNames.set(part.callId, part.name)
      return { role: 'assistant', origin: findAnswerOrigin(parts), parts, records }
    }
    case 'tool':
      return { role: 'tool', origin: 'environment', parts: [readResult(fields, index, callNames)], records }
    // From before there were tools; it answers by name, and no provider checks whom.
    case 'function':
      return { role: 'user', origin: 'environment', parts: readContent(fields.content).map(toContentPart), records }
  }
}

function readResult(fields: JsonObject, index: number, callNames: ReadonlyMap<string, string>): ToolResultPart {
  const callId = typeof fields.tool_call_id === 'string' ? fields.tool_call_id : `no call ${index}`
  const name = typeof fields.name === 'string' ? fields.name : callNames.get(callId)
  const output = readContent(fields.content).map(toContentPart)
  return {
    type: 'tool-result',
    callId,
    ...(name !== undefined && { name }),
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
      // Reasoning that leads nowhere is taken by no provider.
      if (message.parts.every(({ type }) => type === 'reasoning')) return []
      return [shape ? write('ai', encodeAssistantFields(message.parts, fields)) : createAnswer(message.parts, sample)]
    case 'tool':
      return message.parts.flatMap((part) => (part.type === 'tool-result' ? [encodeResult(part, write)] : []))
    case 'user':
    case 'system': {
      if (message.parts.length === 0) return []
      const kind = message.role === 'system' ? 'system' : shape?.kind === 'function' ? 'function' : 'human'
      return [write(kind, { content: encodeList(message.parts, fields.content) })]
    }
  }
}

function createAnswer(parts: readonly Part[], sample: unknown): JsonObject {
  const { content, tool_calls } = encodeAssistantFields(parts, {})
  return createRecord('ai', { content, tool_calls }, sample)
}

function encodeResult(part: ToolResultPart, write: (kind: 'tool', changes: JsonObject) => unknown): unknown {
  const before = isJsonObject(part.native) && 'tool_call_id' in part.native ? part.native : {}
  const isMarked = before.status === 'error'
  return write('tool', {
    content: encodeList(part.output, before.content),
    tool_call_id: part.callId,
    ...(part.name !== undefined && before.name !== part.name && { name: part.name }),
    ...(part.isError !== isMarked && { status: part.isError ? 'error' : 'success' }),
  })
}

function encodeList(parts: readonly Part[], original: unknown): unknown {
  if (!Array.isArray(original)) return encodeContent(parts, original)
  return keepSameList(parts.filter(isContentPart).map(encodeBlock), original)
}
