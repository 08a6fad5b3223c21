/** Parts of messages back to parts of a record; those nobody edited are the very objects that were read. */
import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { type Part, renderPart, type ToolCallPart, type ToolResultPart } from '../../conversation/message.ts'
import { findMediaSource } from '../content/media-source.ts'
import { shrinkCopy } from '../content/shrink-copy.ts'
import { toInputObject } from '../content/tool-input.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { isSameList } from '../json/same-list.ts'
import { readAssistantPart, readResult, readUserPart } from './read-messages.ts'
import { isUserRecord, type SessionRecord } from './records.ts'

/** What the parts of one record have to be written with. */
export interface PartContext {
  /** Which result answers which call. */
  readonly results: ReadonlyMap<ToolCallPart, ToolResultPart>
  /** Whether new texts are words that nobody said. */
  readonly isSynthetic: boolean
  /** Milliseconds since 1970 of what is new. */
  readonly timeMs: number
}

/**
 * The parts of a record of which `parts` are left. What is carried stays where it is:
 *
 *   read      step-start   reasoning   text   tool   step-finish
 *   left                               text′
 *   written   step-start               text′         step-finish
 */
export function encodeParts(
  parts: readonly Part[],
  record: SessionRecord | undefined,
  context: PartContext,
): readonly unknown[] {
  const natives = record?.parts ?? []
  const positions = new Map(natives.map((native, index) => [native, index]))
  const isCarried = (native: unknown) =>
    (record && isUserRecord(record) ? readUserPart(native) : readAssistantPart(native)) === undefined
  const written: unknown[] = []
  let next = 0
  const carryUpTo = (end: number) => {
    for (; next < end; next++) if (isCarried(natives[next])) written.push(natives[next])
  }
  for (const part of parts) {
    const position = positions.get(part.native)
    if (position !== undefined) carryUpTo(position)
    const encoded = encodePart(part, position === undefined ? undefined : part.native, context)
    if (encoded !== undefined) written.push(encoded)
    if (position !== undefined) next = Math.max(next, position + 1)
  }
  carryUpTo(natives.length)
  return isSameList(written, natives) ? natives : written
}

/** Undefined for a result: it stands in the part of its call. */
function encodePart(part: Part, native: unknown, context: PartContext): unknown {
  switch (part.type) {
    case 'tool-result':
      return undefined
    case 'tool-call':
      return encodeCall(part, native, context)
    case 'text':
      return encodeText(part.text, native, context)
    case 'reasoning':
      if (readMember(native, 'text') === part.text) return native
      if (isReasoningPart(part.native) && part.native.text === part.text) return part.native
      return isJsonObject(native)
        ? withMembers(native, { text: part.text, metadata: undefined })
        : { type: 'reasoning', text: part.text, time: { start: context.timeMs, end: context.timeMs } }
    case 'image':
    case 'file':
    case 'opaque':
      return native ?? (isFilePart(part.native) ? part.native : encodeForeign(part, context))
  }
}

/** In the shape that OpenCode stores, though of no record that was read. */
function isFilePart(native: unknown): boolean {
  return readMember(native, 'type') === 'file' && typeof readMember(native, 'url') === 'string'
}

function isReasoningPart(native: unknown): native is JsonObject {
  return readMember(native, 'type') === 'reasoning' && isJsonObject(readMember(native, 'time'))
}

function encodeText(text: string, native: unknown, { isSynthetic }: PartContext): unknown {
  const read = readUserPart(native)
  if (read?.type === 'text' && read.text === text) return native
  // Ids and signatures of the provider hold for the old words only.
  if (isJsonObject(native) && native.type === 'text') return withMembers(native, { text, metadata: undefined })
  return { type: 'text', text, ...(isSynthetic && { synthetic: true }) }
}

function encodeForeign(part: Part, context: PartContext): unknown {
  const source = findMediaSource(part.native)
  if (!source) return encodeText(renderPart(part), undefined, context)
  const mime = source.mediaType ?? (part.type === 'image' ? 'image/png' : 'application/octet-stream')
  const url = source.isReference ? source.data : `data:${mime};base64,${source.data}`
  return { type: 'file', mime, ...(source.filename !== undefined && { filename: source.filename }), url }
}

function encodeCall(call: ToolCallPart, native: unknown, { results, timeMs }: PartContext): unknown {
  const part = isJsonObject(native) ? native : {}
  const state = isJsonObject(part.state) ? part.state : {}
  const result = results.get(call)
  const isSameCall = part.callID === call.callId && part.tool === call.name && Object.is(state.input, call.input)
  if (isSameCall && result && isSameResult(result, readResult(native))) return native
  const input = toInputObject(call.input)
  return {
    ...part,
    type: 'tool',
    callID: call.callId,
    tool: call.name,
    state: result ? encodeState(result, state, input, timeMs) : { status: 'pending', input, raw: '' },
  }
}

function isSameResult(result: ToolResultPart, read: ToolResultPart): boolean {
  return (
    result.isError === read.isError &&
    result.output.length === read.output.length &&
    result.output.every((part, index) => {
      const other = read.output[index]
      return part.type === 'text' && other?.type === 'text' ? part.text === other.text : part.native === other?.native
    })
  )
}

function encodeState(result: ToolResultPart, state: JsonObject, input: JsonObject, timeMs: number): JsonObject {
  const known = isJsonObject(state.time) ? state.time : {}
  const time = { start: known.start ?? timeMs, end: known.end ?? timeMs }
  const isMedia = ({ type }: Part) => type === 'image' || type === 'file'
  const text = result.output
    .filter((part) => !isMedia(part))
    .map(renderPart)
    .join('\n')
  const metadata = shrinkMetadata(state.metadata)
  if (result.isError) return { status: 'error', input, error: text, ...(metadata && { metadata }), time }
  const title = typeof state.title === 'string' ? state.title : ''
  const attachments = result.output
    .filter(isMedia)
    .map(({ native }) => native)
    .filter(isJsonObject)
  const completed = { ...state, status: 'completed', input, output: text, title, metadata: metadata ?? {}, time }
  return withMembers(completed, { error: undefined, attachments: attachments.length > 0 ? attachments : undefined })
}

/** What the client shows of a call: copies of its output shrink with it, a diff stays what it can draw. */
function shrinkMetadata(metadata: unknown): JsonObject | undefined {
  if (!isJsonObject(metadata)) return undefined
  const kept = withMembers(metadata, { interrupted: undefined })
  if (typeof metadata.diff === 'string') return kept
  const shrunk = parseJson(shrinkCopy(toJsonText(kept)))
  return isJsonObject(shrunk) ? shrunk : undefined
}
