import { findAnswerOrigin, findUserOrigin } from '../conversation/injected-text.ts'
import { toJsonText } from '../conversation/json-text.ts'
import type { Message, Part } from '../conversation/message.ts'
import { encodePart, parseBlocks } from './anthropic-messages/blocks.ts'
import { joinUserParts, splitUserParts, toAssistantPart, toContentPart } from './content/parts.ts'
import { type Glimpse, hasRoles } from './detection/glimpse.ts'
import type { Format } from './format.ts'
import { isJsonObject, type JsonObject, readMember } from './json/object.ts'
import { createMessageFormat, readRole } from './message-format.ts'

/** Request bodies of Anthropic's `POST /v1/messages`. */
export const anthropicMessages: Format = createMessageFormat({
  name: 'anthropic-messages',
  protocol: 'anthropic-messages',
  listKeys: ['messages'],
  systemKeys: ['system'],
  toolKeys: ['tools'],
  joinsResults: true,
  judge,
  createReader() {
    const callNames = new Map<string, string>()
    return {
      readSystem: (native) => parseBlocks(native).map(toContentPart),
      readRecord: (record, index) => readRecord(record, index, callNames),
    }
  },
  readTool: (tool) => [toJsonText(tool)],
  readModel: (model) => model,
  encodeSystem: encodeContent,
  encodeRecord,
})

const BLOCK_TYPES =
  /^(?:thinking|redacted_thinking|document|search_result|container_upload|(?:[a-z_]+_)?tool_(?:use|result))$/

function judge(glimpse: Glimpse): number {
  const { keys, body, elements } = glimpse
  if (!hasRoles(glimpse, ['user', 'assistant', 'system'])) return 0
  if (elements.some((element) => 'tool_calls' in element || 'tool_call_id' in element || 'parts' in element)) return 0
  const blocks = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (blocks.some((block) => BLOCK_TYPES.test(String(readMember(block, 'type'))))) return 0.95
  if (blocks.some((block) => readMember(block, 'type') === 'image' && isJsonObject(readMember(block, 'source'))))
    return 0.9
  const { tools, model } = body
  if (Array.isArray(tools) && tools.some((tool) => readMember(tool, 'input_schema') !== undefined)) return 0.95
  if (keys.has('system') || keys.has('anthropic_version')) return 0.9
  if (elements.some((element) => element.role === 'system')) return 0.2
  if (typeof model === 'string' && model.includes('claude')) return 0.8
  // A list of plain texts is the same in both APIs; it is read as the more common one.
  return elements.length > 0 ? 0.4 : 0
}

function readRecord(record: unknown, index: number, callNames: Map<string, string>): Message[] {
  const role = readRole(record, index, 'anthropic-messages', ['user', 'assistant', 'system'])
  const parts = parseBlocks(readMember(record, 'content'))
  if (role === 'system') {
    return [{ role, origin: 'environment', parts: parts.map(toContentPart), records: [index] }]
  }
  if (role === 'assistant') {
    for (const part of parts) if (part.type === 'tool-call') callNames.set(part.callId, part.name)
    return [{ role, origin: findAnswerOrigin(parts), parts: parts.map(toAssistantPart), records: [index] }]
  }
  return splitUserParts(parts).map((run): Message => {
    if (run.role === 'user') {
      return { role: 'user', origin: findUserOrigin(run.parts), parts: run.parts, records: [index] }
    }
    const named = run.parts.map((part) => {
      const name = callNames.get(part.callId)
      return name === undefined ? part : { ...part, name }
    })
    return { role: 'tool', origin: 'environment', parts: named, records: [index] }
  })
}

function encodeRecord(messages: readonly Message[], record: unknown): JsonObject[] {
  const [first] = messages
  if (!first) return []
  const content = encodeContent(joinUserParts(messages), readMember(record, 'content'))
  if (content === undefined) return []
  const role = first.role === 'tool' ? 'user' : first.role
  return [isJsonObject(record) ? { ...record, role, content } : { role, content }]
}

/** A string where one text is all there is and no list was; undefined when nothing is left. */
function encodeContent(parts: readonly Part[], original: unknown): unknown {
  const [first] = parts
  const isPlain = first?.type === 'text' && first.native === undefined && !Array.isArray(original)
  if (parts.length === 1 && isPlain) return first.text
  const blocks = parts.flatMap((part) => encodePart(part) ?? [])
  return blocks.length === 0 ? undefined : blocks
}
