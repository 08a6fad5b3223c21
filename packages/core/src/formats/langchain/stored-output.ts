/**
 * The items of a response of OpenAI, as LangChain stores them beside the content. It sends OpenAI
 * these items instead of the content, so they say what the content cannot: what OpenAI ran itself,
 * what it asks approval for, and its compactions.
 */
import type { OpaquePart, Part, ToolCallPart } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../shared/json.ts'
import { isNativeField, type NativeField, toOpaque } from '../shared/parts.ts'
import { toInputObject } from '../shared/tool-calls.ts'

const FIELD = 'output'
const IN_CONTENT = /^(?:message|reasoning|(?:function|custom_tool|computer|image_generation)_call)$/

const isInContent = (item: JsonObject): boolean => IN_CONTENT.test(readString(item, 'type') ?? '')

function readItems(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && 'type' in item)
    ? value
    : []
}

const listOutput = (fields: JsonObject) => readItems(readMember(fields.response_metadata, 'output'))
const listRun = (fields: JsonObject) =>
  readItems(readMember(fields.additional_kwargs, 'tool_outputs'))

/** The items that the content does not contain. */
export function readOutput(fields: JsonObject): OpaquePart[] {
  if (readMember(fields.response_metadata, 'output_version') === 'v1') return []
  const output = listOutput(fields)
  return (output.length > 0 ? output : listRun(fields))
    .filter((item) => !isInContent(item))
    .map((item) => toOpaque(item, { field: FIELD, value: item } satisfies NativeField))
}

/** What an edited answer stores of them. Undefined members are left out. */
export function encodeOutput(parts: readonly Part[], fields: JsonObject) {
  const kept = parts.flatMap(({ native }) =>
    isNativeField(native) && native.field === FIELD && isJsonObject(native.value)
      ? [native.value]
      : [],
  )
  const names = new Set(kept.map(nameItem))
  const isKept = (item: JsonObject) => isInContent(item) || names.has(nameItem(item))
  const run = listRun(fields).filter(isKept)
  const output = kept.length > 0 ? listOutput(fields).filter(isKept) : []
  return {
    output: output.length > 0 ? encodeItems(output, parts) : undefined,
    tool_outputs: run.length > 0 ? run : undefined,
  }
}

const nameItem = (item: JsonObject): string => readString(item, 'id') ?? JSON.stringify(item)

/** The items as the parts say them. Text that changed is in the place of the first changed message. */
function encodeItems(items: readonly JsonObject[], parts: readonly Part[]): JsonObject[] {
  const texts = new Set(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  const same = new Set(items.filter((item) => readWords(item).every((text) => texts.has(text))))
  for (const item of same) for (const text of readWords(item)) texts.delete(text)
  const calls = new Map(
    parts.flatMap((part) => (part.type === 'tool-call' ? [[part.callId, part] as const] : [])),
  )
  const media = new Set(parts.map(({ native }) => readMember(native, 'id')))
  return items.flatMap((item) => {
    switch (item.type) {
      case 'message': {
        if (same.has(item)) return [item]
        const text = [...texts].join('\n')
        texts.clear()
        return text === ''
          ? []
          : [{ ...item, content: [{ type: 'output_text', text, annotations: [] }] }]
      }
      case 'function_call':
      case 'custom_tool_call':
      case 'computer_call': {
        const call = calls.get(readString(item, 'call_id') ?? '')
        return call ? [encodeCallItem(call, item)] : []
      }
      case 'reasoning':
        return parts.some(({ type }) => type === 'reasoning') ? [item] : []
      case 'image_generation_call':
        return media.has(item.id) ? [item] : []
      default:
        return [item]
    }
  })
}

function readWords({ type, content }: JsonObject): string[] {
  if (type !== 'message' || !Array.isArray(content)) return []
  return content.flatMap((block) => readString(block, 'text') ?? [])
}

function encodeCallItem({ input, native }: ToolCallPart, item: JsonObject): JsonObject {
  const isSame = readMember(readMember(native, 'call'), 'args') === input
  if (isSame || item.type !== 'function_call') return item
  return { ...item, arguments: JSON.stringify(toInputObject(input)) }
}
