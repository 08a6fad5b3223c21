import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import {
  type AssistantMessage,
  isContentPart,
  type Message,
  type Protocol,
  type ToolResultPart,
  type UserMessage,
} from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import type { JsonlSource } from '../json/lines.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { createNative, readBlocks, readContentBlocks } from './blocks.ts'
import { type Entry, readEntry } from './entries.ts'

/** What precis marks its own messages with; pi sends them as they are and shows them under this name. */
export const OWN_CUSTOM_TYPE = 'precis'

export interface LiveMessages {
  readonly messages: readonly Message[]
  readonly protocol: Protocol
  readonly model?: string
  readonly provider?: string
  /** Values of the entries that are sent, by line. */
  readonly values: ReadonlyMap<number, JsonObject>
}

/** The entries that pi sends when it resumes, as messages; results behind each other are one. */
export function readMessages(source: JsonlSource, live: readonly Entry[]): LiveMessages {
  const messages: Message[] = []
  const values = new Map<number, JsonObject>()
  let protocol: Protocol = 'openai-chat'
  let served: Pick<LiveMessages, 'model' | 'provider'> = {}
  for (const entry of live) {
    const value = readEntry(source, entry)
    if (value.type === 'model_change') served = readServed(value.modelId, value.provider) ?? served
    const message = readMessage(value, entry.line)
    if (!message) continue
    values.set(entry.line, value)
    if (message.role === 'assistant' && isJsonObject(value.message)) {
      protocol = findProtocol(value.message.api)
      served = readServed(value.message.model, value.message.provider) ?? served
    }
    const last = messages.at(-1)
    if (message.role === 'tool' && last?.role === 'tool') messages[messages.length - 1] = joinResults(last, message)
    else messages.push(message)
  }
  return { messages, protocol, values, ...served }
}

/** Undefined where no model is named: what was named before still holds. */
function readServed(model: unknown, provider: unknown): Pick<LiveMessages, 'model' | 'provider'> | undefined {
  if (typeof model !== 'string') return undefined
  return { model, ...(typeof provider === 'string' && provider !== '' && { provider }) }
}

type ResultMessage = Extract<Message, { role: 'tool' }>

function joinResults(first: ResultMessage, second: ResultMessage): ResultMessage {
  return {
    ...first,
    parts: [...first.parts, ...second.parts],
    records: [...(first.records ?? []), ...(second.records ?? [])],
  }
}

/** Whose rules a request obeys, by pi's name of the API. */
function findProtocol(api: unknown): Protocol {
  switch (api) {
    case 'anthropic-messages':
    case 'bedrock-converse-stream':
      return 'anthropic-messages'
    case 'openai-responses':
    case 'azure-openai-responses':
    case 'openai-codex-responses':
      return 'openai-responses'
    case 'google-generative-ai':
    case 'google-vertex':
      return 'gemini-contents'
    default:
      return 'openai-chat'
  }
}

/** Undefined for an entry that is not sent. */
function readMessage(entry: JsonObject, record: number): Message | undefined {
  switch (entry.type) {
    case 'message':
      return isJsonObject(entry.message) ? readStoredMessage(entry.message, record) : undefined
    case 'custom_message':
      return readCustom(entry, record)
    case 'branch_summary':
      return entry.summary === '' ? undefined : readNote(entry.summary, record, renderBranchSummary)
    case 'compaction':
      return readNote(entry.summary, record, renderCompaction)
    default:
      return undefined
  }
}

function readStoredMessage(message: JsonObject, record: number): Message | undefined {
  switch (message.role) {
    case 'user': {
      const parts = readContentBlocks(message.content, record)
      return parts.length === 0 ? undefined : { role: 'user', origin: findUserOrigin(parts), parts, records: [record] }
    }
    case 'assistant':
      return readAnswer(message, record)
    case 'toolResult':
      return readResult(message, record)
    case 'bashExecution':
      return message.excludeFromContext === true
        ? undefined
        : createNote(renderExecution(message), createNative(message, record))
    case 'custom':
    case 'hookMessage':
      return readCustom(message, record)
    default:
      return undefined
  }
}

/** pi leaves out answers that failed or were aborted, and those that say nothing. */
function readAnswer({ content, api, stopReason }: JsonObject, record: number): AssistantMessage | undefined {
  if (stopReason === 'error' || stopReason === 'aborted') return undefined
  const parts = readBlocks(content, record, typeof api === 'string' ? api : undefined).flatMap((part) =>
    part.type === 'tool-result' || (part.type === 'text' && part.text.trim() === '') ? [] : [part],
  )
  return parts.length === 0
    ? undefined
    : { role: 'assistant', origin: findAnswerOrigin(parts), parts, records: [record] }
}

function readResult(message: JsonObject, record: number): Message | undefined {
  const { toolCallId: callId, toolName, content, isError } = message
  if (typeof callId !== 'string') return undefined
  const part: ToolResultPart = {
    type: 'tool-result',
    callId,
    ...(typeof toolName === 'string' && { name: toolName }),
    output: readContentBlocks(content, record),
    isError: isError === true,
    native: createNative(message, record),
  }
  return { role: 'tool', origin: 'environment', parts: [part], records: [record] }
}

/** What an extension put into the conversation; only our own may pass for a summary of ours. */
function readCustom({ content, customType }: JsonObject, record: number): UserMessage | undefined {
  const parts = readBlocks(content, record).filter(isContentPart)
  const isForeignSummary =
    customType !== OWN_CUSTOM_TYPE && parts.some((part) => part.type === 'text' && isSummaryText(part.text))
  const origin = isForeignSummary ? 'environment' : 'synthetic'
  return parts.length === 0 ? undefined : { role: 'user', origin, parts, records: [record] }
}

function readNote(text: unknown, record: number, render: (text: string) => string): UserMessage | undefined {
  return typeof text === 'string' ? createNote(render(text), createNative(text, record)) : undefined
}

function createNote(text: string, native: { readonly record: number; readonly block: unknown }): UserMessage {
  return { role: 'user', origin: 'synthetic', parts: [{ type: 'text', text, native }], records: [native.record] }
}

// The words that pi 0.73 sends around what it stores.
function renderCompaction(summary: string): string {
  return `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`
}

function renderBranchSummary(summary: string): string {
  return `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`
}

/** A command that the person ran, with its output. */
function renderExecution({ command, output, cancelled, exitCode, truncated, fullOutputPath }: JsonObject): string {
  const shown = typeof output === 'string' && output !== '' ? `\`\`\`\n${output}\n\`\`\`` : '(no output)'
  const hasFailed = typeof exitCode === 'number' && exitCode !== 0
  const outcome = cancelled ? '\n\n(command cancelled)' : hasFailed ? `\n\nCommand exited with code ${exitCode}` : ''
  const rest =
    truncated && typeof fullOutputPath === 'string' ? `\n\n[Output truncated. Full output: ${fullOutputPath}]` : ''
  return `Ran \`${String(command)}\`\n${shown}${outcome}${rest}`
}
