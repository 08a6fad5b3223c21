/**
 * Records as the messages that OpenCode makes of them: one for each run of the user's words, each
 * step and its results. Converts parts of messages back to parts of a record too. Parts without
 * edits are the objects that were read.
 */
import { findAnswerOrigin } from '../../conversation/injected-text.ts'
import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type MediaPart,
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { countSignature } from '../ai-sdk/parts.ts'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { findMediaSource, measureData, toMediaPart, toUrl } from '../shared/media.ts'
import { toOpaque } from '../shared/parts.ts'
import { placeAmong } from '../shared/records.ts'
import { shrinkCopy } from '../shared/rewrite.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { isUserRecord, type SessionRecord } from './records.ts'

// OpenCode sends this for parts without words, and instead of missing results.
export const COMPACTION_TEXT = 'What did we do so far?'
const SUBTASK_TEXT = 'The following tool was executed by the user'
const CLEARED_TEXT = '[Old tool result content cleared]'
const INTERRUPTED_TEXT = '[Tool execution was interrupted]'

/** Empty for a record of which nothing is sent. */
export function readMessages(record: SessionRecord, index: number): Message[] {
  return isUserRecord(record)
    ? readUserMessages(record, [index])
    : readAssistantMessages(record, [index])
}

function readUserMessages(record: SessionRecord, records: readonly number[]): Message[] {
  const messages: {
    role: 'user'
    origin: 'user' | 'synthetic'
    parts: ContentPart[]
    records: readonly number[]
  }[] = []
  for (const native of record.parts) {
    const part = readUserPart(native)
    if (!part) continue
    const origin = isTyped(native) ? 'user' : 'synthetic'
    const last = messages.at(-1)
    if (last?.origin === origin) last.parts.push(part)
    else messages.push({ role: 'user', origin, parts: [part], records })
  }
  return messages
}

function isTyped(native: unknown): boolean {
  const type = readMember(native, 'type')
  return type === 'file' || (type === 'text' && readMember(native, 'synthetic') !== true)
}

/**
 * Undefined for parts that are only carried: marks of the client, and files whose text is in a
 * separate part.
 */
function readUserPart(native: unknown): ContentPart | undefined {
  const text = readString(native, 'text')
  switch (readMember(native, 'type')) {
    case 'text':
      return text && readMember(native, 'ignored') !== true
        ? { type: 'text', text, native }
        : undefined
    case 'file':
      return ['text/plain', 'application/x-directory'].includes(readString(native, 'mime') ?? '')
        ? undefined
        : readFile(native)
    case 'compaction':
      return { type: 'text', text: COMPACTION_TEXT, native }
    case 'subtask':
      return { type: 'text', text: SUBTASK_TEXT, native }
    default:
      return undefined
  }
}

function readFile(native: unknown): MediaPart {
  const measures = measureData(
    readMember(native, 'url'),
    readString(native, 'mime') ?? 'application/octet-stream',
  )
  return toMediaPart(measures, native)
}

function readAssistantMessages(record: SessionRecord, records: readonly number[]): Message[] {
  const messages: Message[] = []
  let parts: AssistantMessage['parts'][number][] = []
  let results: ToolResultPart[] = []
  const endStep = () => {
    const origin = record.info.summary === true ? 'synthetic' : findAnswerOrigin(parts)
    if (parts.length > 0) messages.push({ role: 'assistant', origin, parts, records })
    if (results.length > 0)
      messages.push({ role: 'tool', origin: 'environment', parts: results, records })
    parts = []
    results = []
  }
  for (const native of record.parts) {
    if (readMember(native, 'type') === 'step-start') endStep()
    const part = readAssistantPart(native)
    if (part) parts.push(part)
    if (part?.type === 'tool-call') results.push(readResult(native))
  }
  endStep()
  return messages
}

/**
 * Undefined for parts that are only carried: marks of steps, snapshots, retries, and blank text.
 */
function readAssistantPart(native: unknown): AssistantMessage['parts'][number] | undefined {
  const text = readString(native, 'text')
  switch (readMember(native, 'type')) {
    case 'text':
      return text ? { type: 'text', text, native } : undefined
    case 'reasoning':
      return text === undefined
        ? undefined
        : {
            type: 'reasoning',
            text,
            signatureLength: countSignature({ providerOptions: readMember(native, 'metadata') }),
            native,
          }
    case 'tool':
      return readCall(native)
    default:
      return undefined
  }
}

function readCall(native: unknown): AssistantMessage['parts'][number] {
  const callId = readString(native, 'callID')
  const name = readString(native, 'tool')
  // A tool that the provider ran itself has its call and result together in the answer.
  const isOwn = readMember(readMember(native, 'metadata'), 'providerExecuted') !== true
  if (!isOwn || callId === undefined || name === undefined) {
    return toOpaque(native, native, 'tool')
  }
  return {
    type: 'tool-call',
    callId,
    name,
    input: readMember(readMember(native, 'state'), 'input') ?? {},
    native,
  }
}

/** The result that OpenCode sends for the part of a call. */
function readResult(native: unknown): ToolResultPart {
  const state = readMember(native, 'state')
  const { text, isError } = readOutcome(toObject(state))
  const isCleared = isResultCleared(state)
  const attachments = isCleared ? undefined : readMember(state, 'attachments')
  return {
    type: 'tool-result',
    callId: readString(native, 'callID') ?? '',
    name: readString(native, 'tool') ?? '',
    output: [
      { type: 'text', text },
      ...(Array.isArray(attachments) ? attachments.map(readFile) : []),
    ],
    isError,
    native,
  }
}

function readOutcome(state: JsonObject): { text: string; isError: boolean } {
  if (state.status === 'completed') {
    return {
      text: isResultCleared(state) ? CLEARED_TEXT : (readString(state, 'output') ?? ''),
      isError: false,
    }
  }
  if (state.status !== 'error') return { text: INTERRUPTED_TEXT, isError: true }
  const metadata = readMember(state, 'metadata')
  const partial =
    readMember(metadata, 'interrupted') === true ? readString(metadata, 'output') : undefined
  return partial === undefined
    ? { text: readString(state, 'error') ?? '', isError: true }
    : { text: partial, isError: false }
}

function isResultCleared(state: unknown): boolean {
  return Boolean(readMember(readMember(state, 'time'), 'compacted'))
}

/** Facts for writing the parts of one record. */
interface PartContext {
  /** Which result answers which call. */
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
