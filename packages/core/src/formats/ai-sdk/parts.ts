/** Parts of the AI SDK to parts of a conversation and back. */
import { toJsonText } from '../../conversation/json-text.ts'
import { type Part, type ReasoningPart, renderPart, type ToolCallPart } from '../../conversation/message.ts'
import { toInputObject } from '../content/tool-input.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import { keepSameList } from '../json/same-list.ts'
import { encodeMedia, readMedia } from './media.ts'
import { encodeResult, readResult } from './results.ts'
import { countSignature, hasItemId, withoutItemIds, withoutTies } from './signatures.ts'

/** Reads the parts of one conversation in order: what the provider ran itself is carried, not understood. */
export function createPartReader(): (native: unknown) => Part {
  const runByProvider = new Set<string>()
  return (native) => {
    const callId = readMember(native, 'toolCallId')
    const type = readMember(native, 'type')
    if (type === 'tool-call' && typeof callId === 'string') {
      if (readMember(native, 'providerExecuted') === true) runByProvider.add(callId)
      else return readCall(native, callId)
    }
    if (type === 'tool-result' && typeof callId === 'string' && !runByProvider.has(callId)) {
      return readResult(native, callId)
    }
    return readOther(native, type)
  }
}

function readCall(native: unknown, callId: string): ToolCallPart {
  const name = readMember(native, 'toolName')
  return {
    type: 'tool-call',
    callId,
    name: typeof name === 'string' ? name : '',
    input: readMember(native, 'input'),
    native,
  }
}

function readOther(native: unknown, type: unknown): Part {
  const text = readMember(native, 'text')
  if (type === 'text' && typeof text === 'string') return { type, text, native }
  if (type === 'reasoning' && typeof text === 'string') {
    return { type, text, signatureLength: countSignature(native), native }
  }
  const media = readMedia(native)
  if (media) return media
  return { type: 'opaque', kind: typeof type === 'string' ? type : typeof native, text: toJsonText(native), native }
}

/** The parts of `content`: a string or a list of parts. */
export function readParts(content: unknown, readPart: (native: unknown) => Part): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(readPart) : []
}

/** `content` of a system message, which is one text; undefined when nothing is left. */
export function encodeText(parts: readonly Part[]): string | undefined {
  return parts.length === 0 ? undefined : parts.map(renderPart).join('\n')
}

/**
 * `content` of any other message: a string where a string was and text is all there is, else a list, which prompts
 * must have; undefined when nothing is left.
 */
export function encodeContent(parts: readonly Part[], original: unknown): unknown {
  if (typeof original === 'string' && parts.length > 0 && parts.every(({ type }) => type === 'text')) {
    return encodeText(parts)
  }
  const encoded = parts.flatMap((part) => encodePart(part) ?? [])
  if (keepSameList(encoded, original) === original) return original
  const left = withoutLooseReasoning(Array.isArray(original) && original.some(isStoredReasoning), encoded)
  return left.length === 0 ? undefined : left
}

/**
 * OpenAI refuses stored reasoning without the items it led to, and those without their reasoning: once a message is
 * changed, its reasoning goes, and the ids that tie the rest to it. No provider takes reasoning that leads nowhere.
 */
function withoutLooseReasoning(isStored: boolean, content: readonly unknown[]): unknown[] {
  const kept = isStored ? content.filter((part) => !isStoredReasoning(part)).map(withoutItemIds) : [...content]
  const end = kept.findLastIndex((part) => readMember(part, 'type') !== 'reasoning')
  return kept.slice(0, end + 1)
}

function isStoredReasoning(part: unknown): boolean {
  return readMember(part, 'type') === 'reasoning' && hasItemId(part)
}

/** The native part itself when it still says the same; undefined for reasoning that no other provider would take. */
function encodePart(part: Part): unknown {
  const native = isJsonObject(part.native) ? part.native : undefined
  switch (part.type) {
    case 'text':
      if (native?.type !== 'text') return { type: 'text', text: part.text }
      return native.text === part.text ? native : { ...withoutTies(native), text: part.text }
    case 'reasoning':
      return encodeReasoning(part, native)
    case 'tool-call':
      return encodeCall(part, native)
    case 'tool-result':
      return encodeResult(part, native)
    case 'image':
    case 'file':
      return encodeMedia(part) ?? { type: 'text', text: renderPart(part) }
    case 'opaque':
      return part.native ?? { type: 'text', text: part.text }
  }
}

function encodeReasoning(part: ReasoningPart, native: JsonObject | undefined): unknown {
  if (native?.type !== 'reasoning' || typeof native.text !== 'string') {
    // A signature holds in the shape of its own provider only.
    return part.signatureLength > 0 || part.text === '' ? undefined : { type: 'reasoning', text: part.text }
  }
  return native.text === part.text ? native : { type: 'reasoning', text: part.text }
}

function encodeCall(part: ToolCallPart, native: JsonObject | undefined): JsonObject {
  if (native?.type !== 'tool-call' || typeof native.toolCallId !== 'string') {
    return { type: 'tool-call', toolCallId: part.callId, toolName: part.name, input: toInputObject(part.input) }
  }
  const isSame = native.toolCallId === part.callId && (native.toolName ?? '') === part.name
  if (isSame && native.input === part.input) return native
  const input = native.input === part.input ? part.input : toInputObject(part.input)
  return { ...toObject(withoutItemIds(native)), toolCallId: part.callId, toolName: part.name, input }
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
