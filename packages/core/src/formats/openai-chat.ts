import type { Conversation, Message, Part, ToolResultPart } from '../conversation/message.ts'
import type { Format } from './format.ts'
import { findUserOrigin } from './injected-text.ts'
import { type JsonDocument, openJsonDocument, readBodyField } from './json-document.ts'
import { type Glimpse, glimpseJson, hasRoles } from './json-glimpse.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from './json-object.ts'
import { toJsonText } from './json-text.ts'
import { type RecordDocument, type RecordFormat, readRole, serializeRecords } from './message-records.ts'
import {
  encodeAssistantParts,
  encodeContentParts,
  parseAssistantParts,
  parseContentParts,
} from './openai-chat-parts.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const records: RecordFormat = {
  name: 'openai-chat',
  listKeys: ['messages'],
  systemKeys: [],
  joinsResults: false,
  encodeSystem: encodeContentParts,
  encodeRecord: (messages, record) => messages.flatMap((message) => encodeMessage(message, record)),
}

/** Request bodies of OpenAI's `POST /v1/chat/completions` and of the many servers that speak it. */
export const openaiChat: Format = {
  name: 'openai-chat',
  kind: 'messages',
  detect: (input) => {
    const glimpse = glimpseJson(input, records.listKeys)
    return glimpse ? judge(glimpse) : 0
  },
  parse: (input) => parseDocument(openJsonDocument(input, 'openai-chat', records.listKeys)),
  serialize: (conversation) => serializeRecords(records, conversation),
}

const ANTHROPIC_BLOCKS = new Set(['tool_use', 'tool_result', 'redacted_thinking'])

function judge(glimpse: Glimpse): number {
  const { body, elements } = glimpse
  if (!hasRoles(glimpse, ROLES)) return 0
  if (elements.some((element) => 'parts' in element)) return 0
  const blocks = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (blocks.some((block) => ANTHROPIC_BLOCKS.has(String(readMember(block, 'type'))))) return 0.1
  if (elements.some((element) => 'tool_calls' in element || 'tool_call_id' in element)) return 0.95
  if (Array.isArray(body.tools) && body.tools.some((tool) => isJsonObject(readMember(tool, 'function')))) return 0.95
  if (elements.some(({ role }) => role === 'system' || role === 'developer' || role === 'tool')) return 0.9
  return elements.length > 0 ? 0.5 : glimpse.listKey === undefined ? 0 : 0.3
}

function parseDocument(json: JsonDocument): Conversation {
  const read = createRecordReader()
  const messages = json.records.map(read)
  const document: RecordDocument = { formatName: 'openai-chat', json, messages }
  const tools = readBodyField(json, 'tools') ?? readBodyField(json, 'functions')
  const model = readBodyField(json, 'model')
  return {
    protocol: 'openai-chat',
    messages,
    tools: Array.isArray(tools) ? tools.map(toJsonText) : [],
    ...(typeof model === 'string' && { model }),
    document,
  }
}

/** Reads in order: a result knows the name of its call, and one of the old `function` role answers by name alone. */
function createRecordReader(): (record: unknown, index: number) => Message {
  const callNames = new Map<string, string>()
  const openByName = new Map<string, string>()
  return (record, index) => {
    const role = readRole(record, index, 'openai-chat', ROLES)
    const native = isJsonObject(record) ? record : {}
    const at = { records: [index] }
    switch (role) {
      case 'system':
      case 'developer':
        return { role: 'system', origin: 'environment', parts: parseContentParts(native.content), ...at }
      case 'user': {
        const parts = parseContentParts(native.content)
        return { role, origin: findUserOrigin(parts), parts, ...at }
      }
      case 'assistant': {
        const parts = parseAssistantParts(native, `function_call ${index}`)
        for (const part of parts) {
          if (part.type !== 'tool-call') continue
          callNames.set(part.callId, part.name)
          if (part.callId === `function_call ${index}`) openByName.set(part.name, part.callId)
        }
        return { role, origin: 'agent', parts, ...at }
      }
      case 'tool':
      case 'function':
        return { role: 'tool', origin: 'environment', parts: [readResult(native, index, callNames, openByName)], ...at }
    }
  }
}

function readResult(
  record: JsonObject,
  index: number,
  callNames: ReadonlyMap<string, string>,
  openByName: Map<string, string>,
): ToolResultPart {
  const ownName = typeof record.name === 'string' ? record.name : undefined
  const byName = record.role === 'function' ? openByName.get(ownName ?? '') : undefined
  if (byName !== undefined) openByName.delete(ownName ?? '')
  const callId = typeof record.tool_call_id === 'string' ? record.tool_call_id : (byName ?? `no call ${index}`)
  const name = ownName ?? callNames.get(callId)
  const output = parseContentParts(record.content)
  return { type: 'tool-result', callId, ...(name !== undefined && { name }), output, isError: false, native: record }
}

function encodeMessage(message: Message, record: unknown): unknown[] {
  const native = isJsonObject(record) ? record : undefined
  switch (message.role) {
    case 'assistant': {
      const encoded = encodeAssistantParts(message.parts, native ?? { role: 'assistant' })
      const isEmpty = message.parts.length === 0
      return isEmpty ? [] : [encoded]
    }
    case 'tool':
      return message.parts.flatMap((part) => (part.type === 'tool-result' ? [encodeResult(part)] : []))
    case 'user':
    case 'system': {
      const content = encodeContentParts(message.parts, native?.content)
      return content === undefined ? [] : [withMembers(native ?? { role: message.role }, { content })]
    }
  }
}

function encodeResult(part: ToolResultPart): unknown {
  const native = isJsonObject(part.native) && isResultRole(part.native.role) ? part.native : undefined
  const content = encodeContentParts(part.output satisfies readonly Part[], native?.content) ?? ''
  if (native?.role === 'function') return native.content === content ? native : { ...native, content }
  if (native && native.content === content && native.tool_call_id === part.callId) return native
  return { ...(native ?? { role: 'tool' }), tool_call_id: part.callId, content }
}

function isResultRole(role: unknown): boolean {
  return role === 'tool' || role === 'function'
}
