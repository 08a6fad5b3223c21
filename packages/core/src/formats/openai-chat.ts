import { findAnswerOrigin, findUserOrigin } from '../conversation/injected-text.ts'
import { toJsonText } from '../conversation/json-text.ts'
import type { Message, ToolResultPart } from '../conversation/message.ts'
import { type Glimpse, hasRoles } from './detection/glimpse.ts'
import type { Format } from './format.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from './json/object.ts'
import { createMessageFormat, readRole } from './message-format.ts'
import {
  encodeAssistantParts,
  encodeContentParts,
  parseAssistantParts,
  parseContentParts,
} from './openai-chat/parts.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** Request bodies of OpenAI's `POST /v1/chat/completions` and of the many servers that speak it. */
export const openaiChat: Format = createMessageFormat({
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
  readModel: (model) => model,
  encodeSystem: encodeContentParts,
  encodeRecord: (messages, record) => messages.flatMap((message) => encodeMessage(message, record)),
})

const ANTHROPIC_BLOCKS = new Set(['tool_use', 'tool_result', 'redacted_thinking'])

function judge(glimpse: Glimpse): number {
  const { body, elements } = glimpse
  if (!hasRoles(glimpse, ROLES)) return 0
  if (elements.some((element) => 'parts' in element)) return 0
  const blocks = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (blocks.some((block) => ANTHROPIC_BLOCKS.has(String(readMember(block, 'type'))))) return 0.1
  if (elements.some((element) => 'tool_calls' in element || 'tool_call_id' in element)) return 0.95
  if (Array.isArray(body.tools) && body.tools.some((tool) => isJsonObject(readMember(tool, 'function')))) return 0.95
  if (elements.some(({ role }) => role === 'tool' || role === 'function')) return 0.9
  // Messages of the Responses API may have these roles too.
  if (elements.some(({ role }) => role === 'system' || role === 'developer')) return 0.55
  return elements.length > 0 ? 0.5 : glimpse.listKey === undefined ? 0 : 0.3
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
        return { role, origin: findAnswerOrigin(parts), parts, ...at }
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
    case 'assistant':
      return message.parts.length === 0 ? [] : [encodeAssistantParts(message.parts, native ?? { role: 'assistant' })]
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
  const content = encodeContentParts(part.output, native?.content) ?? ''
  if (native?.role === 'function') return native.content === content ? native : { ...native, content }
  if (native && native.content === content && native.tool_call_id === part.callId) return native
  return { ...(native ?? { role: 'tool' }), tool_call_id: part.callId, content }
}

function isResultRole(role: unknown): boolean {
  return role === 'tool' || role === 'function'
}
