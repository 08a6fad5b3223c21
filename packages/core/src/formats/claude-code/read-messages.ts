import { findAnswerOrigin } from '../../conversation/injected-text.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  isContentPart,
  type Message,
  type Origin,
  type Part,
  type ToolResultPart,
} from '../../conversation/message.ts'
import type { JsonlSource } from '../json/lines.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { type Entry, readEntry } from './entries.ts'
import { disown, findEntryOrigin, isTyped } from './entry-origin.ts'
import { type NativeBlock, readContent } from './native-block.ts'

export interface LiveMessages {
  readonly messages: readonly Message[]
  readonly model?: string
  readonly workingDirectory?: string
}

/** Attachments that Claude Code does not send again when it resumes (observed with 2.1.329). */
const UNSENT_ATTACHMENTS = new Set([
  'hook_system_message',
  'command_permissions',
  'prompt_snapshot',
  'deferred_tools_record',
  'session_context',
])

/** What Claude Code announces anew at every resume (observed with 2.1.329): kept, it would be told twice. */
const ANNOUNCEMENTS = new Set([
  'deferred_tools_delta',
  'mcp_instructions_delta',
  'agent_listing_delta',
  'skill_listing',
])

/**
 * Reads the entries of the live branch into messages: what the agent sends when it resumes. Entries that share a
 * `message.id` are one message, at the place of the first.
 */
export function readMessages(source: JsonlSource, entries: readonly Entry[], branch: readonly number[]): LiveMessages {
  const reader: Reader = { messages: [], open: new Map(), toolNames: new Map(), model: undefined }
  let workingDirectory: string | undefined
  const read = (position: number | undefined) => (position === undefined ? {} : readEntry(source, entries[position]!))
  let ahead = read(branch[0])
  branch.forEach((record, step) => {
    const value = ahead
    ahead = read(branch[step + 1])
    if (typeof value.cwd === 'string' && value.cwd !== '') workingDirectory = value.cwd
    if (value.type === 'assistant') readAssistantEntry(value, record, reader)
    else if (value.type === 'user') addAll(reader, readUserEntry(value, record, reader.toolNames, ahead))
    else if (value.type === 'system') addAll(reader, readSystemEntry(value, record))
    else if (value.type === 'attachment') addAll(reader, readAttachment(value.attachment, record))
  })
  return {
    messages: reader.messages.filter(isSent),
    ...(reader.model !== undefined && { model: reader.model }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  }
}

/** What has been read so far. */
interface Reader {
  readonly messages: Message[]
  /** Answers that a later entry may still add to, by `message.id`. */
  readonly open: Map<string, OpenAnswer>
  readonly toolNames: Map<string, string>
  model: string | undefined
}

interface OpenAnswer {
  readonly role: 'assistant'
  origin: Origin
  readonly parts: AssistantMessage['parts'][number][]
  readonly records: number[]
}

function addAll(reader: Reader, messages: readonly Message[]): void {
  // An id that comes back after words of the person is another answer; only results and notices come in between.
  if (messages.some((message) => message.role === 'user' && message.origin !== 'environment')) reader.open.clear()
  reader.messages.push(...messages)
}

function readAssistantEntry(entry: JsonObject, record: number, reader: Reader): void {
  // A failed request is shown to the person and never sent.
  if (!isJsonObject(entry.message) || entry.isApiErrorMessage === true) return
  const { id, model, content } = entry.message
  const isModel = typeof model === 'string' && model !== '<synthetic>'
  if (isModel) reader.model = model
  const parts = readSpoken(content, record).filter((part) => part.type !== 'tool-result')
  for (const part of parts) if (part.type === 'tool-call') reader.toolNames.set(part.callId, part.name)
  const begun = typeof id === 'string' ? reader.open.get(id) : undefined
  if (begun) {
    begun.parts.push(...parts)
    begun.records.push(record)
    if (isModel) begun.origin = findAnswerOrigin(begun.parts)
    return
  }
  const origin = isModel ? findAnswerOrigin(parts) : 'synthetic'
  const opened: OpenAnswer = { role: 'assistant', origin, parts, records: [record] }
  if (typeof id === 'string') reader.open.set(id, opened)
  reader.messages.push(opened)
}

/** Results first, as the API wants them, then what the person or the client said. */
function readUserEntry(
  entry: JsonObject,
  record: number,
  toolNames: ReadonlyMap<string, string>,
  following: unknown,
): Message[] {
  const parts = readSpoken(isJsonObject(entry.message) ? entry.message.content : undefined, record)
  const results: ToolResultPart[] = []
  const words: ContentPart[] = []
  for (const part of parts) {
    if (part.type === 'tool-result') {
      const name = toolNames.get(part.callId)
      results.push(name === undefined ? part : { ...part, name })
    } else if (isContentPart(part)) words.push(part)
  }
  const messages: Message[] = []
  if (results.length > 0) messages.push({ role: 'tool', origin: 'environment', parts: results, records: [record] })
  if (words.length > 0) {
    const texts = words.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    messages.push({ role: 'user', origin: findEntryOrigin(entry, texts, following), parts: words, records: [record] })
  }
  return messages
}

/** Of the system entries only the record of a local command is sent, in the user role. */
function readSystemEntry(entry: JsonObject, record: number): Message[] {
  if (entry.subtype !== 'local_command' || typeof entry.content !== 'string') return []
  if (entry.content.trim() === '') return []
  const native: NativeBlock = { record, index: undefined, block: entry.content }
  const origin = disown('synthetic', [entry.content])
  return [{ role: 'user', origin, parts: [{ type: 'text', text: entry.content, native }], records: [record] }]
}

function readAttachment(attachment: unknown, record: number): Message[] {
  if (!isJsonObject(attachment) || typeof attachment.type !== 'string') return []
  if (UNSENT_ATTACHMENTS.has(attachment.type) || ANNOUNCEMENTS.has(attachment.type)) return []
  if (attachment.type.startsWith('hook_') && !attachment.content) return []
  const records = [record]
  const native: NativeBlock = { record, index: undefined, block: attachment }
  // What the person typed while the agent was at work: words, or blocks with a picture.
  if (attachment.type === 'queued_command') {
    const parts = readSpoken(attachment.prompt, record).filter(isContentPart)
    const isCommand = attachment.commandMode === undefined || attachment.commandMode === 'prompt'
    const isOwn = parts.some((part) => part.type !== 'text' || isTyped(part.text))
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return [{ role: 'user', origin: disown(isCommand && isOwn ? 'user' : 'synthetic', texts), parts, records }]
  }
  // Newer versions keep the words that were sent; older attachments are turned into words at each request.
  const rendered = Array.isArray(attachment.rendered) ? attachment.rendered : undefined
  const text = toJsonText(rendered ?? attachment)
  return [
    { role: 'user', origin: 'environment', parts: [{ type: 'opaque', kind: attachment.type, text, native }], records },
  ]
}

/** Claude Code leaves out an answer that is thinking and nothing else. */
function isSent(message: Message): boolean {
  return message.parts.some((part) => part.type !== 'reasoning')
}

/** Claude Code leaves out blank text. */
function readSpoken(content: unknown, record: number): Part[] {
  return readContent(content, record).filter((part) => part.type !== 'text' || part.text.trim() !== '')
}
