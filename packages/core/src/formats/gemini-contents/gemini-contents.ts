import { toJsonText } from '../../conversation/json-text.ts'
import type { Message, Part } from '../../conversation/message.ts'
import type { Format } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember } from '../shared/json.ts'
import { createMessageFormat, readRole, refuse } from '../shared/message-format.ts'
import { createAnswer, joinUserParts, splitUserParts, toContentPart } from '../shared/parts.ts'
import type { Preview } from '../shared/preview.ts'
import { createPartReader, encodePart } from './parts.ts'

/** Request bodies of Google's `POST /v1beta/models/{model}:generateContent`. */
export const geminiContents: Format<'messages'> = createMessageFormat({
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

function judge({ keys, listKey, elements, endsEarly }: Preview): number {
  const isContent = ({ role, parts }: JsonObject, index: number) =>
    // An answer that was cut off before its first word has no parts.
    Array.isArray(parts) ||
    (role === 'model' && parts === undefined) ||
    (endsEarly && index === elements.length - 1)
  if (!elements.every(isContent)) return 0
  // UI messages of the AI SDK have `parts` too, but their parts have a type and their role is never
  // `model`.
  const parts = elements.flatMap((element) => (Array.isArray(element.parts) ? element.parts : []))
  if (elements.some(({ role }) => role !== undefined && !isRole(role))) return 0
  if (parts.some((part) => readMember(part, 'type') !== undefined)) return 0
  if (listKey !== undefined) return elements.length > 0 || keys.has('generationConfig') ? 0.95 : 0.5
  // If one message is longer than the preview, only its role is certain to be visible.
  return elements.some((element) => 'parts' in element) ? 0.8 : elements.length > 0 ? 0.3 : 0
}

const ROLES = ['user', 'model', 'function'] as const

function isRole(role: unknown): boolean {
  return ROLES.some((name) => name === role)
}

/** One text per declared function. Google's own tools are one text as they are. */
function readTool(tool: unknown): string[] {
  const functions =
    readMember(tool, 'functionDeclarations') ?? readMember(tool, 'function_declarations')
  return Array.isArray(functions) ? functions.map(toJsonText) : [toJsonText(tool)]
}

function readRecord(
  record: unknown,
  index: number,
  readPart: (native: unknown) => Part,
): Message[] {
  // If a content has no role, the API treats it as the user's.
  const role =
    readMember(record, 'role') === undefined
      ? 'user'
      : readRole(record, index, 'gemini-contents', ROLES)
  refuseOther(record, index)
  const parts = readParts(record, readPart)
  return role === 'model' ? [createAnswer(parts, [index])] : splitUserParts(parts, [index])
}

/** Throws `FormatError` for a content whose words are not under `parts`, or are no parts. */
function refuseOther(record: unknown, index: number): void {
  const parts = readMember(record, 'parts')
  const isOther = parts == null ? readMember(record, 'content') != null : typeof parts !== 'object'
  if (!isOther) return
  const found =
    parts == null ? '"content" and no "parts"' : `parts ${toJsonText(parts).slice(0, 60)}`
  throw refuse('gemini-contents', index, `has ${found}. Give a list of parts.`)
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
