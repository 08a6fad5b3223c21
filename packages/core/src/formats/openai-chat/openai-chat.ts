import { toJsonText } from '../../conversation/json-text.ts'
import type { Message, ToolResultPart } from '../../conversation/message.ts'
import type { Format } from '../shared/format.ts'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { createMessageFormat, readRole, refuseForeign } from '../shared/message-format.ts'
import { createAnswer, createResults, createSystem, createUser } from '../shared/parts.ts'
import { hasRoles, type Preview } from '../shared/preview.ts'
import { encodeCallId, readCallId } from '../shared/tool-calls.ts'
import {
  encodeAssistantParts,
  encodeContentParts,
  parseAssistantParts,
  parseContentParts,
} from './parts.ts'

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
  if (blocks.some((block) => ANTHROPIC_BLOCKS.has(readString(block, 'type') ?? ''))) return 0.1
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
        const parts = parseAssistantParts(native, `${FUNCTION_CALL}${index}`)
        for (const part of parts) {
          if (part.type !== 'tool-call') continue
          callNames.set(part.callId, part.name)
          if (part.callId.startsWith(FUNCTION_CALL)) openByName.set(part.name, part.callId)
        }
        return createAnswer(parts, records)
      }
      case 'tool':
      case 'function':
        return createResults([readResult(native, index, callNames, openByName)], records)
    }
  }
}

// A call in the old field has no id. It gets one from its place, which is not written.
const FUNCTION_CALL = 'function_call '

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
  const callId = readCallId(record.tool_call_id) ?? byName ?? `no call ${index}`
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
  if (!native && part.callId.startsWith(FUNCTION_CALL))
    return { role: 'function', name: part.name, content }
  const id = encodeCallId(part.callId, native?.tool_call_id)
  if (native && native.content === content && native.tool_call_id === id) return native
  return { ...(native ?? { role: 'tool' }), tool_call_id: id, content }
}

const isResultRole = (role: unknown): boolean => role === 'tool' || role === 'function'
