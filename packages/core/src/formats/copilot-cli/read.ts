import type { Message, Part, ToolResultPart } from '../../conversation/message.ts'
import { type JsonObject, readMember, readString, toObject } from '../shared/json.ts'
import { type JsonlSource, readObject } from '../shared/lines.ts'
import { measureData, toMediaPart } from '../shared/media.ts'
import { createAnswer, createResults, createUser, toOpaque } from '../shared/parts.ts'
import type { NativeBlock } from '../shared/records.ts'
import { type CopilotEvent, isSent, readSummary } from './events.ts'

export interface ReadSession {
  readonly messages: readonly Message[]
  readonly model: string | undefined
  readonly workingDirectory: string | undefined
  readonly assets: ReadonlyMap<number, readonly number[]>
}

interface ReplayState {
  messages: Message[]
  /** The newest message, if events may still add to it. */
  open: OpenMessage | undefined
  /** What the user typed, for the summary of a compaction. */
  typed: string[]
  /** The newest compaction, with how much was typed before it. */
  compacted: { readonly summary: string; readonly line: number; readonly typed: number } | undefined
  /** The request whose answer the newest event is a part of. */
  chunkOf: string | undefined
  /** Ids of calls, with the names of their tools. */
  readonly calls: Map<string, string>
  readonly assets: Map<string, { readonly line: number; readonly data: unknown }>
  readonly named: Map<number, number[]>
}

interface OpenMessage {
  readonly role: 'assistant' | 'tool'
  readonly parts: Part[]
  readonly records: number[]
}

/** `isWhole`: the history as if nothing had been compacted. */
export function readMessages(
  source: JsonlSource,
  events: readonly CopilotEvent[],
  isWhole = false,
): ReadSession {
  const state: ReplayState = {
    messages: [],
    open: undefined,
    typed: [],
    compacted: undefined,
    chunkOf: undefined,
    calls: new Map(),
    assets: new Map(),
    named: new Map(),
  }
  let model: string | undefined
  let workingDirectory: string | undefined
  for (const event of events) {
    if (event.isAside || !isRead(event)) continue
    const value = readObject(source, event)
    const data = toObject(value.data)
    model = readString(data, 'newModel') ?? readString(data, 'model') ?? model
    if (event.type === 'session.start') {
      model = readString(data, 'selectedModel') ?? model
      workingDirectory = readString(data.context, 'cwd') ?? workingDirectory
    } else if (event.type === 'session.binary_asset') {
      const id = readString(data, 'assetId')
      if (id !== undefined) state.assets.set(id, { line: event.line, data: data.data })
    } else if (event.type === 'session.context_cleared') {
      if (!isWhole) restart(state)
    } else if (!isWhole || isSent(event)) addEvent(state, value, event.line)
  }
  close(state)
  const messages = [...listCompacted(state), ...state.messages]
  return { messages, model, workingDirectory, assets: state.named }
}

const READ: ReadonlySet<string> = new Set([
  'session.start',
  'session.model_change',
  'session.binary_asset',
  'session.context_cleared',
  'session.compaction_complete',
])

const isRead = (event: CopilotEvent): boolean => READ.has(event.type) || isSent(event)

function addEvent(state: ReplayState, value: JsonObject, line: number): void {
  const data = toObject(value.data)
  switch (value.type) {
    case 'user.message':
      addPrompt(state, data, line)
      return
    case 'system.notification': {
      const text = readString(data, 'content')
      if (text) push(state, toSynthetic([createText(text, line)], line))
      return
    }
    case 'assistant.message':
      addAnswer(state, data, line)
      return
    case 'tool.execution_complete':
      addResult(state, data, line)
      return
    default: {
      const summary = readSummary(value)
      if (summary === undefined) return
      restart(state)
      state.compacted = { summary, line, typed: state.typed.length }
    }
  }
}

function push(state: ReplayState, message: Message): void {
  close(state)
  state.messages.push(message)
}

function restart(state: ReplayState): void {
  state.messages = []
  state.open = undefined
  state.compacted = undefined
}

/** Only of the newest compaction, because each repeats the words before it. */
function listCompacted({ compacted, typed }: ReplayState): Message[] {
  if (!compacted) return []
  const { summary, line } = compacted
  const frame = renderFrame(typed.slice(0, compacted.typed), summary)
  return [toSynthetic(listPromptParts(summary, frame, line), line)]
}

/** Adds to the newest message, or begins another one. */
function extend(
  state: ReplayState,
  role: OpenMessage['role'],
  parts: readonly Part[],
  record: number,
): void {
  if (state.open?.role !== role) close(state)
  state.open ??= { role, parts: [], records: [] }
  for (const part of parts) state.open.parts.push(part)
  state.open.records.push(record)
}

function close(state: ReplayState): void {
  const { messages, open } = state
  state.open = undefined
  if (open?.role === 'assistant') messages.push(createAnswer(open.parts, open.records))
  else if (open) {
    const results = open.parts.filter((part) => part.type === 'tool-result')
    messages.push(createResults(results, open.records))
  }
}

const createText = (text: string, record: number): Part => ({
  type: 'text',
  text,
  native: { record, block: { type: 'text', text } } satisfies NativeBlock,
})

const toSynthetic = (parts: readonly Part[], line: number): Message => ({
  ...createUser(parts, [line]),
  origin: 'synthetic',
})

function addPrompt(state: ReplayState, data: JsonObject, line: number): void {
  const text = readString(data, 'content') ?? ''
  const sent = readString(data, 'transformedContent') ?? text
  const media = (Array.isArray(data.attachments) ? data.attachments : []).flatMap(
    (attachment: unknown) => readAttachment(state, attachment, line),
  )
  const parts = [...listPromptParts(text, sent, line), ...media]
  // Autopilot, a skill, another agent.
  if (data.source !== undefined || data.isAutopilotContinuation === true)
    push(state, toSynthetic(parts, line))
  else {
    state.typed.push(text)
    push(state, createUser(parts, [line]))
  }
}

/** What the agent put around the words when it sent them. It counts, and is not edited. */
interface Surroundings {
  readonly before: string
  readonly after: string
}

function listPromptParts(text: string, sent: string, record: number): Part[] {
  const at = text === '' ? 0 : findWords(text, sent)
  // The agent sent other words than those that it shows.
  if (at < 0) return [createText(sent, record)]
  const surroundings: Surroundings = {
    before: sent.slice(0, at),
    after: sent.slice(at + text.length),
  }
  const words = text === '' ? [] : [createText(text, record)]
  if (surroundings.before === '' && surroundings.after === '') return words
  const native: NativeBlock = { record, block: surroundings }
  return [...words, toOpaque(surroundings, native, SURROUNDINGS)]
}

/** On lines of their own, because short words may be part of what is around them. -1 if not there. */
function findWords(text: string, sent: string): number {
  const at = `\n${sent}\n`.indexOf(`\n${text}\n`)
  return at < 0 ? sent.indexOf(text) : at
}

export const SURROUNDINGS = 'surroundings'

function readAttachment(state: ReplayState, attachment: unknown, record: number): Part[] {
  const asset = state.assets.get(readString(attachment, 'assetId') ?? '')
  const data = asset?.data ?? readMember(attachment, 'data')
  if (typeof data !== 'string') return []
  if (asset) state.named.set(record, [...(state.named.get(record) ?? []), asset.line])
  const measures = measureData(data, readString(attachment, 'mimeType') ?? 'image/png')
  return [toMediaPart(measures, { record, block: attachment } satisfies NativeBlock)]
}

// As 1.0.102 sends it in place of everything before the compaction.
function renderFrame(typed: readonly string[], summary: string): string {
  const words = typed.map((text) => `<user_message>\n${text}\n</user_message>\n`).join('')
  return `Some of the conversation history has been summarized to free up context.\n\nYou were originally given instructions from a user over one or more turns. Here were the user messages:\n${words}\nHere is a summary of the prior context:\n<summary>\n${summary}\n</summary>\n`
}

function addAnswer(state: ReplayState, data: JsonObject, line: number): void {
  const text = readString(data, 'content')
  const requests: readonly unknown[] = Array.isArray(data.toolRequests) ? data.toolRequests : []
  const calls = requests.flatMap((block): Part[] => {
    const callId = readString(block, 'toolCallId')
    const name = readString(block, 'name')
    if (callId === undefined || name === undefined)
      return [toOpaque(block, { record: line, block })]
    state.calls.set(callId, name)
    const input: unknown = readMember(block, 'arguments') ?? {}
    return [{ type: 'tool-call', callId, name, input, native: { record: line, block } }]
  })
  const parts = [...(text ? [createText(text, line)] : []), ...calls]
  const chunkOf = readString(data, 'apiCallId')
  const isChunk = chunkOf !== undefined && chunkOf === state.chunkOf
  state.chunkOf = chunkOf
  if (parts.length === 0) return
  if (!isChunk) close(state)
  extend(state, 'assistant', parts, line)
}

function addResult(state: ReplayState, data: JsonObject, line: number): void {
  const callId = readString(data, 'toolCallId') ?? ''
  const name = state.calls.get(callId)
  // A command that the user ran, which the model never called.
  if (name === undefined) return
  const isError = data.success !== true
  const text = readString(isError ? data.error : data.result, isError ? 'message' : 'content') ?? ''
  const part: ToolResultPart = {
    type: 'tool-result',
    callId,
    name,
    output: [{ type: 'text', text }],
    isError,
    native: { record: line, block: data } satisfies NativeBlock,
  }
  extend(state, 'tool', [part], line)
}
