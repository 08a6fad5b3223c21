import { toJsonText } from '../../conversation/json-text.ts'
import type { ContentPart, Message, Part, ToolMessage } from '../../conversation/message.ts'
import type { Format } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember } from '../shared/json.ts'
import { createMessageFormat, readRole, refuseForeign } from '../shared/message-format.ts'
import {
  carryPart,
  createAnswer,
  createResults,
  createSystem,
  createUser,
  toContentPart,
} from '../shared/parts.ts'
import { hasRoles, type Preview } from '../shared/preview.ts'
import { createPartReader, encodeContent, joinTexts, readParts } from './parts.ts'

const ROLES = ['system', 'user', 'assistant', 'tool'] as const

/**
 * Messages of the Vercel AI SDK 5 to 7: the `ModelMessage` list of its users, and the `prompt` of
 * its models and middleware.
 */
export const aiSdk: Format<'messages'> = createMessageFormat({
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
  encodeSystem: (parts) => joinTexts(parts),
  encodeRecord,
})

function judge(preview: Preview): number {
  const { body, elements, listKey } = preview
  if (elements.length === 0 || !hasRoles(preview, ROLES)) return 0
  if (
    elements.some(
      (element) => 'parts' in element || 'tool_calls' in element || 'tool_call_id' in element,
    )
  )
    return 0
  const parts = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (parts.some(isDistinctive)) return 0.97
  if ([...elements, ...parts].some((value) => isJsonObject(readMember(value, 'providerOptions'))))
    return 0.96
  if (
    Array.isArray(body.tools) &&
    body.tools.some((tool) => isJsonObject(readMember(tool, 'inputSchema')))
  )
    return 0.96
  return listKey === 'prompt' ? 0.9 : 0.2
}

function isDistinctive(part: unknown): boolean {
  const type = readMember(part, 'type')
  if (type === 'tool-call' || type === 'tool-result')
    return typeof readMember(part, 'toolCallId') === 'string'
  if (type === 'tool-approval-request' || type === 'tool-approval-response') return true
  if (type === 'reasoning') return typeof readMember(part, 'text') === 'string'
  if (type === 'image') return readMember(part, 'image') !== undefined
  return type === 'file' && typeof readMember(part, 'mediaType') === 'string'
}

type ReadPart = (native: unknown) => Part

function readSystem(native: unknown, readPart: ReadPart): ContentPart[] {
  const prompts: readonly unknown[] = Array.isArray(native) ? native : [native]
  return prompts.flatMap((prompt) => {
    const content = isJsonObject(prompt) ? prompt.content : prompt
    return readParts(content, readPart).map(toContentPart)
  })
}

function readRecord(record: unknown, index: number, readPart: ReadPart): Message {
  const role = readRole(record, index, 'ai-sdk', ROLES)
  refuseForeign(record, index, 'ai-sdk')
  const parts = readParts(readMember(record, 'content'), readPart)
  const records = [index]
  switch (role) {
    case 'system':
      return createSystem(parts, records)
    case 'user':
      return createUser(parts, records)
    case 'assistant':
      return createAnswer(parts, records)
    case 'tool':
      return createResults(parts.map(toToolPart), records)
  }
}

function toToolPart(part: Part): ToolMessage['parts'][number] {
  return part.type === 'tool-result' || part.type === 'opaque' ? part : carryPart(part)
}

function encodeRecord(messages: readonly Message[], record: unknown): JsonObject[] {
  const [first] = messages
  if (!first) return []
  const parts = messages.flatMap((message): readonly Part[] => message.parts)
  const native = isJsonObject(record) ? record : undefined
  const content = first.role === 'system' ? joinTexts(parts) : encodeContent(parts, native?.content)
  if (content === undefined) return []
  return [native ? { ...native, content } : { role: first.role, content }]
}
