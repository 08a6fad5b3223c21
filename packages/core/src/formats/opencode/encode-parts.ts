import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import {
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember, toObject, withMembers } from '../shared/json.ts'
import { findMediaSource, toUrl } from '../shared/media.ts'
import { placeAmong } from '../shared/records.ts'
import { shrinkCopy } from '../shared/rewrite.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { readAssistantPart, readResult, readUserPart } from './parts.ts'
import { isUserRecord, type SessionRecord } from './records.ts'

/** Facts for writing the parts of one record. */
interface PartContext {
  /** The result of each call. */
  readonly results: ReadonlyMap<ToolCallPart, ToolResultPart>
  /** Whether new texts are not the user's. */
  readonly isSynthetic: boolean
  /** Time of new content, in milliseconds since 1970. */
  readonly timeMs: number
}

/**
 * The parts of a record in which `parts` remain. Carried parts stay where they are:
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
    (record && isUserRecord(record) ? readUserPart(native) : readAssistantPart(native)) ===
    undefined
  const carried = natives.flatMap((value, place) => (isCarried(value) ? [{ place, value }] : []))
  const encoded = parts.map((part) => {
    const place = positions.get(part.native)
    return {
      place,
      value: encodePart(part, place === undefined ? undefined : part.native, context),
    }
  })
  const placed = placeAmong<{ place: number | undefined; value: unknown }>(
    encoded,
    carried,
    ({ place }) => place,
  )
  const written = [...placed].flatMap(({ value }) => (value === undefined ? [] : [value]))
  return isSameList(written, natives) ? natives : written
}

/** Undefined for a result, which is written into the part of its call. */
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
        : {
            type: 'reasoning',
            text: part.text,
            time: { start: context.timeMs, end: context.timeMs },
          }
    case 'image':
    case 'file':
    case 'opaque':
      return native ?? (isFilePart(part.native) ? part.native : encodeForeign(part, context))
  }
}

/** Whether it has the shape that OpenCode stores, even if it was not read from a record. */
function isFilePart(native: unknown): boolean {
  return readMember(native, 'type') === 'file' && typeof readMember(native, 'url') === 'string'
}

function isReasoningPart(native: unknown): native is JsonObject {
  return readMember(native, 'type') === 'reasoning' && isJsonObject(readMember(native, 'time'))
}

function encodeText(text: string, native: unknown, { isSynthetic }: PartContext): unknown {
  const read = readUserPart(native)
  if (read?.type === 'text' && read.text === text) return native
  // Ids and signatures of the provider are valid only for the old words.
  if (isJsonObject(native) && native.type === 'text')
    return withMembers(native, { text, metadata: undefined })
  return { type: 'text', text, ...(isSynthetic && { synthetic: true }) }
}

function encodeForeign(part: Part, context: PartContext): unknown {
  const source = findMediaSource(part.native)
  if (!source) return encodeText(renderPart(part), undefined, context)
  const mime =
    source.mediaType ?? (part.type === 'image' ? 'image/png' : 'application/octet-stream')
  return withMembers(
    { type: 'file', mime },
    { filename: source.filename, url: toUrl(source, mime) },
  )
}

function encodeCall(
  call: ToolCallPart,
  native: unknown,
  { results, timeMs }: PartContext,
): unknown {
  const part = toObject(native)
  const state = toObject(part.state)
  const result = results.get(call)
  const isSameCall =
    part.callID === call.callId && part.tool === call.name && Object.is(state.input, call.input)
  if (isSameCall && result && isSameResult(result, readResult(native))) return native
  const input = toInputObject(call.input)
  return {
    ...part,
    type: 'tool',
    callID: call.callId,
    tool: call.name,
    state: result
      ? encodeState(result, state, input, timeMs)
      : { status: 'pending', input, raw: '' },
  }
}

function isSameResult(result: ToolResultPart, read: ToolResultPart): boolean {
  return (
    result.isError === read.isError &&
    result.output.length === read.output.length &&
    result.output.every((part, index) => {
      const other = read.output[index]
      return part.type === 'text' && other?.type === 'text'
        ? part.text === other.text
        : part.native === other?.native
    })
  )
}

function encodeState(
  result: ToolResultPart,
  state: JsonObject,
  input: JsonObject,
  timeMs: number,
): JsonObject {
  const known = toObject(state.time)
  const time = { start: known.start ?? timeMs, end: known.end ?? timeMs }
  const isMedia = ({ type }: Part) => type === 'image' || type === 'file'
  const text = result.output
    .filter((part) => !isMedia(part))
    .map(renderPart)
    .join('\n')
  const metadata = shrinkMetadata(state.metadata)
  if (result.isError)
    return { status: 'error', input, error: text, ...(metadata && { metadata }), time }
  const title = typeof state.title === 'string' ? state.title : ''
  const attachments = result.output
    .filter(isMedia)
    .map(({ native }) => native)
    .filter(isJsonObject)
  const completed = {
    ...state,
    status: 'completed',
    input,
    output: text,
    title,
    metadata: metadata ?? {},
    time,
  }
  return withMembers(completed, {
    error: undefined,
    attachments: attachments.length > 0 ? attachments : undefined,
  })
}

/**
 * The data of a call that the client shows. Copies of the output are shortened, but not diffs,
 * which the client draws.
 */
function shrinkMetadata(metadata: unknown): JsonObject | undefined {
  if (!isJsonObject(metadata)) return undefined
  const kept = withMembers(metadata, { interrupted: undefined })
  if (typeof metadata.diff === 'string') return kept
  const shrunk = parseJson(shrinkCopy(toJsonText(kept)))
  return isJsonObject(shrunk) ? shrunk : undefined
}
