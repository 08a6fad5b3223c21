import { findAnswerOrigin, findUserOrigin } from '../conversation/injected-text.ts'
import { toJsonText } from '../conversation/json-text.ts'
import type { Message, Part } from '../conversation/message.ts'
import { joinUserParts, splitUserParts, toAssistantPart, toContentPart } from './content/parts.ts'
import type { Glimpse } from './detection/glimpse.ts'
import type { Format } from './format.ts'
import { createPartReader, encodePart } from './gemini-contents/parts.ts'
import { isJsonObject, type JsonObject, readMember } from './json/object.ts'
import { createMessageFormat, readRole } from './message-format.ts'

/** Request bodies of Google's `POST /v1beta/models/{model}:generateContent`. */
export const geminiContents: Format = createMessageFormat({
  name: 'gemini-contents',
  protocol: 'gemini-contents',
  listKeys: ['contents'],
  systemKeys: ['systemInstruction', 'system_instruction'],
  toolKeys: ['tools'],
  joinsResults: true,
  judge,
  createReader() {
    const readPart = createPartReader()
    return {
      readSystem: (native) => readParts(native, readPart).map(toContentPart),
      readRecord: (record, index) => readRecord(record, index, readPart),
    }
  },
  readTool,
  readModel: (model) => model.replace(/^models\//, ''),
  encodeSystem(parts, native) {
    const encoded = parts.flatMap((part) => encodePart(part) ?? [])
    return isJsonObject(native) ? { ...native, parts: encoded } : { parts: encoded }
  },
  encodeRecord,
})

function judge({ keys, listKey, elements, endsEarly }: Glimpse): number {
  const isContent = ({ role, parts }: JsonObject, index: number) =>
    // An answer that was cut off before its first word has no parts.
    Array.isArray(parts) || (role === 'model' && parts === undefined) || (endsEarly && index === elements.length - 1)
  if (!elements.every(isContent)) return 0
  // UI messages of the AI SDK have `parts` too; theirs have a type and their role is never `model`.
  const parts = elements.flatMap((element) => (Array.isArray(element.parts) ? element.parts : []))
  if (elements.some(({ role }) => role !== undefined && !isRole(role))) return 0
  if (parts.some((part) => readMember(part, 'type') !== undefined)) return 0
  if (listKey !== undefined) return elements.length > 0 || keys.has('generationConfig') ? 0.95 : 0.5
  // One message that is longer than the glimpse shows its role at most.
  return elements.some((element) => 'parts' in element) ? 0.8 : elements.length > 0 ? 0.3 : 0
}

const ROLES = ['user', 'model', 'function'] as const

function isRole(role: unknown): boolean {
  return ROLES.some((name) => name === role)
}

/** One text per declared function; a tool of Google's own is one as it stands. */
function readTool(tool: unknown): string[] {
  const functions = readMember(tool, 'functionDeclarations') ?? readMember(tool, 'function_declarations')
  return Array.isArray(functions) ? functions.map(toJsonText) : [toJsonText(tool)]
}

function readRecord(record: unknown, index: number, readPart: (native: unknown) => Part): Message[] {
  // The API takes a content without a role for the person's.
  const role = readMember(record, 'role') === undefined ? 'user' : readRole(record, index, 'gemini-contents', ROLES)
  const parts = readParts(record, readPart)
  if (role === 'model') {
    return [{ role: 'assistant', origin: findAnswerOrigin(parts), parts: parts.map(toAssistantPart), records: [index] }]
  }
  return splitUserParts(parts).map((run): Message => {
    if (run.role === 'tool') return { role: 'tool', origin: 'environment', parts: run.parts, records: [index] }
    return { role: 'user', origin: findUserOrigin(run.parts), parts: run.parts, records: [index] }
  })
}

function readParts(content: unknown, readPart: (native: unknown) => Part): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = readMember(content, 'parts')
  if (Array.isArray(parts)) return parts.map(readPart)
  return isJsonObject(parts) ? [readPart(parts)] : []
}

function encodeRecord(messages: readonly Message[], record: unknown): unknown[] {
  const [first] = messages
  if (!first) return []
  const parts = joinUserParts(messages).flatMap((part) => encodePart(part) ?? [])
  if (parts.length === 0) return []
  if (isJsonObject(record)) return [{ ...record, parts }]
  return [{ role: first.role === 'assistant' ? 'model' : 'user', parts }]
}
