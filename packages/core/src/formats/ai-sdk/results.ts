/** Results of tools: their `output` has a kind, and only some kinds are text. */
import { toJsonText } from '../../conversation/json-text.ts'
import { type ContentPart, renderPart, type ToolResultPart } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { keepSameList } from '../json/same-list.ts'
import { encodeOutputMedia, readOutputMedia } from './media.ts'

export function readResult(native: unknown, callId: string): ToolResultPart {
  const name = readMember(native, 'toolName')
  const output = readMember(native, 'output')
  return {
    type: 'tool-result',
    callId,
    ...(typeof name === 'string' && { name }),
    output: readOutput(output),
    isError: isFailure(output),
    native,
  }
}

function isFailure(output: unknown): boolean {
  const type = readMember(output, 'type')
  return type === 'error-text' || type === 'error-json' || type === 'execution-denied'
}

function readOutput(output: unknown): ContentPart[] {
  const value = readMember(output, 'value')
  switch (readMember(output, 'type')) {
    case 'text':
    case 'error-text':
      return [{ type: 'text', text: typeof value === 'string' ? value : toJsonText(value) }]
    case 'json':
    case 'error-json':
      return [{ type: 'text', text: toJsonText(value) }]
    case 'execution-denied': {
      const reason = readMember(output, 'reason')
      // What the SDK itself tells the model then.
      return [{ type: 'text', text: typeof reason === 'string' ? reason : 'Tool execution denied.' }]
    }
    case 'content':
      return Array.isArray(value) ? value.map(readItem) : []
    default:
      return [{ type: 'opaque', kind: 'output', text: toJsonText(output), native: output }]
  }
}

function readItem(native: unknown): ContentPart {
  const type = readMember(native, 'type')
  const text = readMember(native, 'text')
  if (type === 'text' && typeof text === 'string') return { type, text, native }
  const media = readOutputMedia(native)
  if (media) return media
  return { type: 'opaque', kind: typeof type === 'string' ? type : typeof native, text: toJsonText(native), native }
}

/** The native part itself when it still says the same. */
export function encodeResult(part: ToolResultPart, native: JsonObject | undefined): JsonObject {
  const own = native?.type === 'tool-result' && typeof native.toolCallId === 'string' ? native : undefined
  const before = own?.output
  const isSame = own !== undefined && part.isError === isFailure(before) && isSameOutput(part.output, before)
  const output = isSame ? before : writeOutput(part, before)
  if (own && output === before && own.toolCallId === part.callId) return own
  const toolName = part.name ?? own?.toolName ?? 'unknown'
  return { ...(own ?? { type: 'tool-result' }), toolCallId: part.callId, toolName, output }
}

function isSameOutput(output: readonly ContentPart[], before: unknown): boolean {
  const read = readOutput(before)
  return (
    read.length === output.length &&
    read.every((part, index) => {
      const now = output[index]
      return now?.type === part.type && now.native === part.native && renderPart(now) === renderPart(part)
    })
  )
}

function writeOutput({ output, isError }: ToolResultPart, before: unknown): unknown {
  const kind = readMember(before, 'type')
  const options = isJsonObject(before) ? before : {}
  const isPlain = output.every((part) => part.type === 'text')
  if (isPlain && kind !== 'content') {
    const value = output.map(renderPart).join('\n')
    return { ...withMembers(options, { reason: undefined }), type: isError ? 'error-text' : 'text', value }
  }
  const [only, ...others] = output
  if (only?.type === 'opaque' && only.kind === 'output' && others.length === 0) return only.native
  const value = keepSameList(output.map(writeItem), readMember(before, 'value'))
  return { ...withMembers(options, { reason: undefined }), type: 'content', value }
}

function writeItem(part: ContentPart): unknown {
  if (part.type === 'text') {
    if (readMember(part.native, 'type') !== 'text') return { type: 'text', text: part.text }
    const native = isJsonObject(part.native) ? part.native : {}
    return native.text === part.text ? native : { ...native, text: part.text }
  }
  const item = part.type === 'opaque' ? part.native : encodeOutputMedia(part)
  return item ?? { type: 'text', text: renderPart(part) }
}
