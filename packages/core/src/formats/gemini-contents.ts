import type { AssistantMessage, Conversation, Message, Part } from '../conversation/message.ts'
import type { Format } from './format.ts'
import { createPartReader, encodeGeminiPart, type GeminiPart } from './gemini-parts.ts'
import { findUserOrigin } from './injected-text.ts'
import { type JsonDocument, openJsonDocument, readBodyField } from './json-document.ts'
import { type Glimpse, glimpseJson } from './json-glimpse.ts'
import { isJsonObject, readMember } from './json-object.ts'
import { toJsonText } from './json-text.ts'
import {
  type RecordDocument,
  type RecordFormat,
  readRole,
  serializeRecords,
  splitUserParts,
  toContentPart,
} from './message-records.ts'

const SYSTEM_KEYS = ['systemInstruction', 'system_instruction']

const records: RecordFormat = {
  name: 'gemini-contents',
  listKeys: ['contents'],
  systemKeys: SYSTEM_KEYS,
  joinsResults: true,
  encodeSystem: (parts, native) => {
    const encoded = parts.flatMap((part) => encodeGeminiPart(part) ?? [])
    return isJsonObject(native) ? { ...native, parts: encoded } : { parts: encoded }
  },
  encodeRecord,
}

/** Request bodies of Google's `POST /v1beta/models/{model}:generateContent`. */
export const geminiContents: Format = {
  name: 'gemini-contents',
  kind: 'messages',
  detect: (input) => {
    const glimpse = glimpseJson(input, records.listKeys)
    return glimpse ? judge(glimpse) : 0
  },
  parse: (input) => parseDocument(openJsonDocument(input, 'gemini-contents', records.listKeys)),
  serialize: (conversation) => serializeRecords(records, conversation),
}

function judge({ keys, listKey, elements, endsEarly }: Glimpse): number {
  const isContent = (element: object, index: number) =>
    Array.isArray(readMember(element, 'parts')) || (endsEarly && index === elements.length - 1)
  if (!elements.every(isContent)) return 0
  // UI messages of the AI SDK have `parts` too; theirs have a type and their role is never `model`.
  const parts = elements.flatMap((element) => (Array.isArray(element.parts) ? element.parts : []))
  if (elements.some(({ role }) => role !== undefined && !isRole(role))) return 0
  if (parts.some((part) => readMember(part, 'type') !== undefined)) return 0
  if (listKey !== undefined) return elements.length > 0 || keys.has('generationConfig') ? 0.95 : 0.5
  return elements.length > 0 ? 0.8 : 0
}

const ROLES = ['user', 'model', 'function'] as const

function isRole(role: unknown): boolean {
  return ROLES.some((name) => name === role)
}

function parseDocument(json: JsonDocument): Conversation {
  const readPart = createPartReader()
  const system = SYSTEM_KEYS.map((key) => readBodyField(json, key)).find((value) => value !== undefined)
  const systemParts = readParts(system, readPart).map(toContentPart)
  const messages: Message[] =
    systemParts.length > 0 ? [{ role: 'system', origin: 'environment', parts: systemParts, records: [] }] : []
  json.records.forEach((record, index) => {
    messages.push(...parseRecord(record, index, readPart))
  })
  const document: RecordDocument = { formatName: 'gemini-contents', json, messages }
  const model = readBodyField(json, 'model')
  return {
    protocol: 'gemini-contents',
    messages,
    tools: readTools(readBodyField(json, 'tools')),
    ...(typeof model === 'string' && { model: model.replace(/^models\//, '') }),
    document,
  }
}

/** One text per declared function; a tool of Google's own is one as it stands. */
function readTools(tools: unknown): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    const functions = readMember(tool, 'functionDeclarations') ?? readMember(tool, 'function_declarations')
    return Array.isArray(functions) ? functions.map(toJsonText) : [toJsonText(tool)]
  })
}

function parseRecord(record: unknown, index: number, readPart: (native: unknown) => GeminiPart): Message[] {
  // The API takes a content without a role for the person's.
  const role = readMember(record, 'role') === undefined ? 'user' : readRole(record, index, 'gemini-contents', ROLES)
  const parts = readParts(record, readPart)
  if (role === 'model') {
    return [{ role: 'assistant', origin: 'agent', parts: parts.map(toAssistantPart), records: [index] }]
  }
  return splitUserParts(parts).map((run): Message => {
    if (run.role === 'tool') return { role: 'tool', origin: 'environment', parts: run.parts, records: [index] }
    return { role: 'user', origin: findUserOrigin(run.parts), parts: run.parts, records: [index] }
  })
}

function readParts(content: unknown, readPart: (native: unknown) => GeminiPart): GeminiPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = readMember(content, 'parts')
  if (Array.isArray(parts)) return parts.map(readPart)
  return isJsonObject(parts) ? [readPart(parts)] : []
}

function toAssistantPart(part: Part): AssistantMessage['parts'][number] {
  return part.type === 'reasoning' || part.type === 'tool-call' ? part : toContentPart(part)
}

function encodeRecord(messages: readonly Message[], record: unknown): unknown[] {
  const [first] = messages
  if (!first) return []
  // Responses come first in their content.
  const parts = [...messages]
    .sort((a, b) => Number(b.role === 'tool') - Number(a.role === 'tool'))
    .flatMap((message): readonly Part[] => message.parts)
    .flatMap((part) => encodeGeminiPart(part) ?? [])
  if (parts.length === 0) return []
  if (isJsonObject(record)) return [{ ...record, parts }]
  return [{ role: first.role === 'assistant' ? 'model' : 'user', parts }]
}
