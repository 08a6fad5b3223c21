import { findAnswerOrigin } from '../../conversation/injected-text.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  isContentPart,
  type Message,
  type Origin,
  type Part,
} from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { parseBlocks } from '../anthropic-messages/anthropic-messages.ts'
import type { CompactionState } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, readString, toObject } from '../shared/json.ts'
import { type JsonlSource, readObject } from '../shared/lines.ts'
import { createResults, listFilled, nameResult } from '../shared/parts.ts'
import type { NativeBlock } from '../shared/records.ts'
import { createState } from '../shared/session-format.ts'
import { ANNOUNCEMENTS } from './carried.ts'
import type { ClaudeEntryList } from './entries.ts'
import { disown, findEntryOrigin, isOfMod, isTyped } from './entry-origin.ts'
import { findLiveBranch } from './live-branch.ts'
import { readQueue } from './queue.ts'

/**
 * Attachments that Claude Code does not send again when it resumes (observed with 2.1.329 and
 * 2.1.332).
 */
const UNSENT_ATTACHMENTS = new Set([
  'hook_system_message',
  'command_permissions',
  'prompt_snapshot',
  'deferred_tools_record',
  'session_context',
])

/**
 * The messages that the agent sends when it resumes. Entries with the same `message.id` are one
 * message.
 */
export function readMessages(
  source: JsonlSource,
  { entries, renderers, values }: ClaudeEntryList,
  branch: readonly number[],
) {
  const reader: ClaudeReader = {
    messages: [],
    open: new Map(),
    toolNames: new Map(),
    model: undefined,
    isRebuilt: false,
  }
  const read = (position: number | undefined) =>
    position === undefined
      ? {}
      : position in values
        ? toObject(values[position])
        : readObject(source, entries[position]!)
  const workingDirectory = findStart(entries.length, read)
  const queued = readQueue(entries, branch, read)
  let ahead = read(branch[0])
  branch.forEach((record, step) => {
    addAll(reader, queued.get(step) ?? [])
    const value = ahead
    ahead = read(branch[step + 1])
    if (value.type === 'assistant') {
      const directory = readString(value, 'cwd') || undefined
      const isElsewhere = directory !== workingDirectory
      readAssistantEntry(value, record, reader, isElsewhere ? directory : undefined)
    } else if (value.type === 'user') {
      reader.isRebuilt ||= isOfMod(value)
      addAll(reader, readUserEntry(value, record, reader.toolNames, ahead))
    } else if (value.type === 'system') addAll(reader, readSystemEntry(value, record))
    else if (value.type === 'attachment') addAll(reader, readAttachment(value, record, renderers))
  })
  addAll(reader, queued.get(branch.length) ?? [])
  // Right after a compaction, only answers before it name the model.
  for (
    let position = (branch[0] ?? 0) - 1;
    reader.model === undefined && position >= 0;
    position--
  ) {
    const { type, isSidechain } = entries[position]!
    const { message } = type === 'assistant' && !isSidechain ? read(position) : {}
    if (isJsonObject(message)) reader.model = readModel(message)
  }
  return { messages: reader.messages.filter(isSent), model: reader.model, workingDirectory }
}

/** Where the session began, though the agent may have gone to other folders. */
function findStart(
  length: number,
  read: (position: number) => { readonly cwd?: unknown },
): string | undefined {
  for (let position = 0; position < length; position++) {
    const { cwd } = read(position)
    if (typeof cwd === 'string' && cwd !== '') return cwd
  }
  return undefined
}

/** Undefined if the client wrote the words instead of the model. */
const readModel = ({ model }: JsonObject): string | undefined =>
  typeof model === 'string' && model !== '<synthetic>' ? model : undefined

interface ClaudeReader {
  readonly messages: Message[]
  /** Answers that a later entry may still add to, by `message.id`. */
  readonly open: Map<string, OpenAnswer>
  readonly toolNames: Map<string, string>
  model: string | undefined
  /** Whether a mod rebuilt answers after a compaction. They name no model, and are the model's. */
  isRebuilt: boolean
}

interface OpenAnswer {
  readonly role: 'assistant'
  origin: Origin
  readonly parts: AssistantMessage['parts'][number][]
  readonly records: number[]
}

function addAll(reader: ClaudeReader, messages: readonly Message[]): void {
  // Within one answer, only results and notices can follow. If an id repeats after words of the
  // user, it is another answer.
  if (messages.some((message) => message.role === 'user' && message.origin !== 'environment'))
    reader.open.clear()
  reader.messages.push(...messages)
}

/** `directory`: where the agent was, if it had left the folder of the conversation. */
function readAssistantEntry(
  entry: JsonObject,
  record: number,
  reader: ClaudeReader,
  directory: string | undefined,
): void {
  // A failed request is shown to the user and never sent.
  if (!isJsonObject(entry.message) || entry.isApiErrorMessage === true) return
  const { id, content } = entry.message
  const model = readModel(entry.message)
  const isModel = model !== undefined
  if (isModel) {
    reader.model = model
    reader.isRebuilt = false
  }
  const parts = readSpoken(content, record).flatMap((part) => {
    if (part.type === 'tool-result') return []
    return part.type === 'tool-call' && directory !== undefined ? { ...part, directory } : part
  })
  for (const part of parts)
    if (part.type === 'tool-call') reader.toolNames.set(part.callId, part.name)
  const begun = typeof id === 'string' ? reader.open.get(id) : undefined
  if (begun) {
    begun.parts.push(...parts)
    begun.records.push(record)
    if (isModel) begun.origin = findAnswerOrigin(begun.parts)
    return
  }
  const origin = isModel || reader.isRebuilt ? findAnswerOrigin(parts) : 'synthetic'
  const opened: OpenAnswer = { role: 'assistant', origin, parts, records: [record] }
  if (typeof id === 'string') reader.open.set(id, opened)
  reader.messages.push(opened)
}

/**
 * Results first, as the API requires, then the words of the user or the client. What precis put next
 * to a summary of the agent is a message of its own.
 */
function readUserEntry(
  entry: JsonObject,
  record: number,
  toolNames: ReadonlyMap<string, string>,
  following: unknown,
): Message[] {
  const parts = readSpoken(readMember(entry.message, 'content'), record)
  const results = parts
    .filter((part) => part.type === 'tool-result')
    .map((part) => nameResult(part, toolNames))
  const words = parts.filter(isContentPart)
  const texts = words.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  // If there is no text next to the results, the tools returned the images and files too.
  const isOfTool = results.length > 0 && texts.length === 0
  const origin = isOfTool ? 'environment' : findEntryOrigin(entry, texts, following)
  const records = [record]
  const say = (own: readonly ContentPart[]) =>
    ({ role: 'user', origin, parts: own, records }) as const
  const start = entry.isCompactSummary === true ? findVerified(words) : 0
  return listFilled(
    createResults(results, records),
    say(words.slice(0, start)),
    say(words.slice(start)),
  )
}

/** Where precis put what the agent's summary lost, in the entry of that summary. 0 if it did not. */
function findVerified(words: readonly ContentPart[]): number {
  const start = words.findLastIndex((part) => part.type === 'text' && isSummaryText(part.text))
  return Math.max(0, start)
}

/**
 * The record of a local command is the only system entry that is sent. It is sent in the user role.
 */
function readSystemEntry(entry: JsonObject, record: number): Message[] {
  if (entry.subtype !== 'local_command' || typeof entry.content !== 'string') return []
  if (entry.content.trim() === '') return []
  const native: NativeBlock = { record, block: entry.content }
  const origin = disown('synthetic', [entry.content])
  return [
    {
      role: 'user',
      origin,
      parts: [{ type: 'text', text: entry.content, native }],
      records: [record],
    },
  ]
}

/**
 * Since 2.1.332, an entry keeps the sent words next to their attachment. An attachment that was not
 * sent has no words. Before 2.1.332, each request turned attachments into words again.
 *
 *   { attachment: { type, … }, rendered: [{ content: "<system-reminder>…" }], renderedRole: "system" }
 */
function readAttachment(
  entry: JsonObject,
  record: number,
  renderers: ReadonlySet<unknown>,
): Message[] {
  const { attachment, version } = entry
  if (!isJsonObject(attachment) || typeof attachment.type !== 'string') return []
  if (UNSENT_ATTACHMENTS.has(attachment.type) || ANNOUNCEMENTS.has(attachment.type)) return []
  if (attachment.type.startsWith('hook_') && !attachment.content) return []
  const records = [record]
  const native: AttachmentBlock = { record, block: attachment, sent: pickSent(entry) }
  // The user typed it while the agent was working: a text, or blocks with a picture.
  if (attachment.type === 'queued_command') {
    const parts = readSpoken(attachment.prompt, record).filter(isContentPart)
    const isCommand = attachment.commandMode === undefined || attachment.commandMode === 'prompt'
    const isOwn = parts.some((part) => part.type !== 'text' || isTyped(part.text))
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return [
      {
        role: 'user',
        origin: disown(isCommand && isOwn ? 'user' : 'synthetic', texts),
        parts,
        records,
      },
    ]
  }
  if (attachment.type === 'hook_additional_context' && attachment.hookEvent === 'SessionStart') {
    const parts = readRestored(attachment.content, native)
    if (parts) return [{ role: 'user', origin: 'synthetic', parts, records }]
  }
  const rendered = readRendered(entry) ?? readRendered(attachment)
  if (rendered === '' || (rendered === undefined && renderers.has(version))) return []
  // A reminder of no items. Whether it was sent depends on the agent's tools.
  if (rendered === undefined && isEmptyList(attachment.content)) return []
  const text = rendered ?? toJsonText(attachment)
  return [
    {
      role: 'user',
      origin: 'environment',
      parts: [{ type: 'opaque', kind: attachment.type, text, native }],
      records,
    },
  ]
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The `native` of an attachment, with the words that were made from it. */
interface AttachmentBlock extends NativeBlock {
  readonly sent: JsonObject
}

const SENT_FIELDS = ['rendered', 'renderedRole', 'renderedBesideToolResult']

function pickSent(entry: JsonObject): JsonObject {
  return Object.fromEntries(SENT_FIELDS.flatMap((key) => (key in entry ? [[key, entry[key]]] : [])))
}

/** The words that were sent. Undefined if they are not recorded. */
function readRendered({ rendered }: JsonObject): string | undefined {
  if (!Array.isArray(rendered)) return undefined
  return rendered
    .map((block: unknown) => readString(block, 'content') ?? toJsonText(block))
    .join('\n')
}

/**
 * What precis restored after a compaction, through a hook that the user configured. Several hooks
 * may have run. Undefined if none was by precis.
 */
function readRestored(content: unknown, native: NativeBlock): ContentPart[] | undefined {
  const texts: readonly unknown[] = Array.isArray(content) ? content : [content]
  const own = texts.findLastIndex((text) => typeof text === 'string' && isSummaryText(text))
  if (own < 0) return undefined
  return texts.map((text, index) =>
    index === own && typeof text === 'string'
      ? { type: 'text', text, native }
      : { type: 'opaque', kind: 'hook_additional_context', text: toJsonText(text), native },
  )
}

/** Claude Code leaves out an answer that contains only thinking. */
function isSent(message: Message): boolean {
  return message.parts.some((part) => part.type !== 'reasoning')
}

/**
 * The parts of `message.content`, a string or a list of blocks. Claude Code leaves out blank text.
 */
function readSpoken(content: unknown, record: number): Part[] {
  const parts: Part[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content, native: { record, block: content } satisfies NativeBlock }]
      : parseBlocks(content, (block, index): NativeBlock => ({ record, index, block }))
  return parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
}

export const isCompaction = ({ type, subtype }: { type?: unknown; subtype?: unknown }): boolean =>
  type === 'system' && subtype === 'compact_boundary'

export function readCompactions(source: JsonlSource, list: ClaudeEntryList): CompactionState[] {
  const readUntil = (end: number) => {
    const entries = list.entries.slice(0, end)
    return readMessages(source, { ...list, entries }, findLiveBranch(entries)).messages
  }
  return list.entries.flatMap((entry, line) =>
    isCompaction(entry) ? [createState(readUntil, line)] : [],
  )
}
