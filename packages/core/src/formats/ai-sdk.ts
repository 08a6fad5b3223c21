import { findAnswerOrigin, findUserOrigin } from '../conversation/injected-text.ts'
import { toJsonText } from '../conversation/json-text.ts'
import type { ContentPart, Message, Part, ToolMessage } from '../conversation/message.ts'
import { createPartReader, encodeContent, encodeText, readParts } from './ai-sdk/parts.ts'
import { toAssistantPart, toContentPart } from './content/parts.ts'
import { type Glimpse, hasRoles } from './detection/glimpse.ts'
import type { Format } from './format.ts'
import { isJsonObject, type JsonObject, readMember } from './json/object.ts'
import { createMessageFormat, readRole } from './message-format.ts'

const ROLES = ['system', 'user', 'assistant', 'tool'] as const

/**
 * Messages of the Vercel AI SDK 5 to 7: the `ModelMessage` list that its users hold, and the `prompt` that its models
 * and their middleware are given.
 */
export const aiSdk: Format = createMessageFormat({
  name: 'ai-sdk',
  protocol: 'openai-chat',
  listKeys: ['messages', 'prompt'],
  systemKeys: ['system', 'instructions'],
  toolKeys: ['tools'],
  joinsResults: true,
  judge,
  createReader() {
    const readPart = createPartReader()
    return {
      readSystem: (native) => readSystem(native, readPart),
      readRecord: (record, index) => [readRecord(record, index, readPart)],
    }
  },
  readTool: (tool) => [toJsonText(tool)],
  readModel: (model) => model,
  encodeSystem: (parts) => encodeText(parts),
  encodeRecord,
})

function judge(glimpse: Glimpse): number {
  const { body, elements, listKey } = glimpse
  if (elements.length === 0 || !hasRoles(glimpse, ROLES)) return 0
  if (elements.some((element) => 'parts' in element || 'tool_calls' in element || 'tool_call_id' in element)) return 0
  const parts = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (parts.some(isTelling)) return 0.97
  if ([...elements, ...parts].some((value) => isJsonObject(readMember(value, 'providerOptions')))) return 0.96
  if (Array.isArray(body.tools) && body.tools.some((tool) => isJsonObject(readMember(tool, 'inputSchema')))) return 0.96
  return listKey === 'prompt' ? 0.9 : 0.2
}

/** Whether no other API has such a part. */
function isTelling(part: unknown): boolean {
  const type = readMember(part, 'type')
  if (type === 'tool-call' || type === 'tool-result') return typeof readMember(part, 'toolCallId') === 'string'
  if (type === 'tool-approval-request' || type === 'tool-approval-response') return true
  if (type === 'reasoning') return typeof readMember(part, 'text') === 'string'
  if (type === 'image') return readMember(part, 'image') !== undefined
  return type === 'file' && typeof readMember(part, 'mediaType') === 'string'
}

type ReadPart = (native: unknown) => Part

/** A string, one system message, or a list of them. */
function readSystem(native: unknown, readPart: ReadPart): ContentPart[] {
  const prompts: readonly unknown[] = Array.isArray(native) ? native : [native]
  return prompts.flatMap((prompt) => {
    const content = isJsonObject(prompt) ? prompt.content : prompt
    return readParts(content, readPart).map(toContentPart)
  })
}

function readRecord(record: unknown, index: number, readPart: ReadPart): Message {
  const role = readRole(record, index, 'ai-sdk', ROLES)
  const parts = readParts(readMember(record, 'content'), readPart)
  const records = [index]
  switch (role) {
    case 'system':
      return { role, origin: 'environment', parts: parts.map(toContentPart), records }
    case 'user': {
      const content = parts.map(toContentPart)
      return { role, origin: findUserOrigin(content), parts: content, records }
    }
    case 'assistant':
      return { role, origin: findAnswerOrigin(parts), parts: parts.map(toAssistantPart), records }
    case 'tool':
      return { role, origin: 'environment', parts: parts.map(toToolPart), records }
  }
}

function toToolPart(part: Part): ToolMessage['parts'][number] {
  if (part.type === 'tool-result' || part.type === 'opaque') return part
  return { type: 'opaque', kind: part.type, text: toJsonText(part.native), native: part.native }
}

function encodeRecord(messages: readonly Message[], record: unknown): JsonObject[] {
  const [first] = messages
  if (!first) return []
  const parts = messages.flatMap((message): readonly Part[] => message.parts)
  const native = isJsonObject(record) ? record : undefined
  const content = first.role === 'system' ? encodeText(parts) : encodeContent(parts, native?.content)
  if (content === undefined) return []
  return [native ? { ...native, content } : { role: first.role, content }]
}
