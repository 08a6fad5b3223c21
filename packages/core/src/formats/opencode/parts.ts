/**
 * Records as the messages that OpenCode makes of them: one for each run of the user's words, each
 * step and its results. Converts parts of messages back to parts of a record too. Parts without
 * edits are the objects that were read.
 */
import { findAnswerOrigin } from '../../conversation/injected-text.ts'
import type {
  AssistantMessage,
  ContentPart,
  MediaPart,
  Message,
  ToolResultPart,
} from '../../conversation/message.ts'
import { countSignature } from '../ai-sdk/parts.ts'
import { type JsonObject, readMember, readString, toObject } from '../shared/json.ts'
import { measureData, toMediaPart } from '../shared/media.ts'
import { toOpaque } from '../shared/parts.ts'
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
export function readUserPart(native: unknown): ContentPart | undefined {
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
export function readAssistantPart(native: unknown): AssistantMessage['parts'][number] | undefined {
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
export function readResult(native: unknown): ToolResultPart {
  const state = readMember(native, 'state')
  const { text, isError } = readOutcome(toObject(state))
  const exitCode = readMember(readMember(state, 'metadata'), 'exit')
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
    ...(typeof exitCode === 'number' && { exitCode }),
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
