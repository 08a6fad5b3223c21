/** Content blocks of pi, which are the same for every provider, to parts and back. */
import { toJsonText } from '../../conversation/json-text.ts'
import { type ContentPart, isContentPart, type Part, renderPart } from '../../conversation/message.ts'
import { measureData } from '../content/media-data.ts'
import { toInputObject } from '../content/tool-input.ts'
import { isJsonObject, withMembers } from '../json/object.ts'

/** The `native` of a part: the block it was parsed from, or its whole entry. */
export interface NativeBlock {
  /** Line of the entry. */
  readonly record: number
  readonly block: unknown
}

/** A string, or a list of blocks. */
export function readBlocks(content: unknown, record: number, api?: string): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, native: createNative(content, record) }]
  return Array.isArray(content) ? content.map((block: unknown) => readBlock(block, record, api)) : []
}

export function readContentBlocks(content: unknown, record: number): ContentPart[] {
  return readBlocks(content, record).filter(isContentPart)
}

export function createNative(block: unknown, record: number): NativeBlock {
  return { record, block }
}

export function isNativeBlock(native: unknown): native is NativeBlock {
  return isJsonObject(native) && typeof native.record === 'number' && 'block' in native
}

// For Chat Completions a signature is the name of the field that the text came in.
const UNSIGNED_APIS = new Set(['openai-completions', 'mistral-conversations'])

function readBlock(block: unknown, record: number, api: string | undefined): Part {
  const native = createNative(block, record)
  if (!isJsonObject(block)) return { type: 'opaque', kind: typeof block, text: toJsonText(block), native }
  switch (block.type) {
    case 'text':
      if (typeof block.text === 'string') return { type: 'text', text: block.text, native }
      break
    case 'thinking': {
      const { thinking, thinkingSignature } = block
      const isSigned = typeof thinkingSignature === 'string' && !UNSIGNED_APIS.has(api ?? '')
      const text = typeof thinking === 'string' ? thinking : ''
      return { type: 'reasoning', text, signatureLength: isSigned ? thinkingSignature.length : 0, native }
    }
    case 'toolCall':
      if (typeof block.id !== 'string' || typeof block.name !== 'string') break
      return { type: 'tool-call', callId: block.id, name: block.name, input: block.arguments ?? {}, native }
    case 'image': {
      const mediaType = typeof block.mimeType === 'string' ? block.mimeType : 'image/*'
      return { type: 'image', ...measureData(block.data, mediaType), native }
    }
  }
  const kind = typeof block.type === 'string' ? block.type : 'block'
  return { type: 'opaque', kind, text: toJsonText(block), native }
}

/** The block itself where the part says the same; a signature holds for unchanged content only. */
export function encodeBlock(part: Part): unknown {
  const block = isNativeBlock(part.native) && isJsonObject(part.native.block) ? part.native.block : undefined
  switch (part.type) {
    case 'text':
      if (block?.type !== 'text') return { type: 'text', text: part.text }
      return block.text === part.text ? block : withMembers(block, { text: part.text, textSignature: undefined })
    case 'tool-call': {
      const { callId: id, name, input } = part
      if (block?.type !== 'toolCall') return { type: 'toolCall', id, name, arguments: toInputObject(input) }
      const isSame = block.id === id && block.name === name && (block.arguments ?? input) === input
      return isSame
        ? block
        : withMembers(block, { id, name, arguments: toInputObject(input), thoughtSignature: undefined })
    }
    default:
      return block ?? { type: 'text', text: renderPart(part) }
  }
}
