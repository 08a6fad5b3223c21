import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import {
  type AssistantMessage,
  type Conversation,
  isContentPart,
  type Message,
  type Part,
  type Protocol,
  renderPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../shared/json.ts'
import { type JsonlSource, readObject } from '../shared/lines.ts'
import { measureData } from '../shared/media.ts'
import { toOpaque } from '../shared/parts.ts'
import { isNativeBlock, type NativeBlock } from '../shared/records.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { findEdits, type PiSessionEntry } from './entries.ts'

/**
 * The mark of messages that precis wrote. pi sends them unchanged and shows them under this name.
 */
export const OWN_CUSTOM_TYPE = 'precis'

type Served = Pick<Conversation, 'model' | 'provider'>

/** The entries that pi sends when it resumes, as messages. Adjacent results are one message. */
export function readMessages(source: JsonlSource, live: readonly PiSessionEntry[]) {
  const messages: Message[] = []
  const values = new Map<number, JsonObject>()
  const edits = findEdits(live)
  let protocol: Protocol = 'openai-chat'
  let served: Served = {}
  for (const entry of live) {
    const edit = edits.get(entry.line)
    const stored = readObject(source, entry)
    const value = edit ? applyEdit(stored, readObject(source, edit)) : stored
    if (!value) continue
    if (value.type === 'model_change') served = readServed(value.modelId, value.provider) ?? served
    const message = readMessage(value, entry.line)
    if (!message) continue
    values.set(entry.line, value)
    if (message.role === 'assistant' && isJsonObject(value.message)) {
      protocol = findProtocol(value.message.api)
      served = readServed(value.message.model, value.message.provider) ?? served
    }
    const last = messages.at(-1)
    if (message.role === 'tool' && last?.role === 'tool')
      messages[messages.length - 1] = joinResults(last, message)
    else messages.push(message)
  }
  return { messages, protocol, values, edits, ...served }
}

const EDITABLE_ROLES: ReadonlySet<unknown> = new Set([
  'user',
  'assistant',
  'toolResult',
  'custom',
  'hookMessage',
])

/**
 * The entry as pi 1.5 sends it after an edit of its context. Undefined if the edit hides it.
 * Summaries and other roles can be hidden but not replaced. An unreadable replacement hides the
 * entry too, because the content may be a secret.
 */
function applyEdit(entry: JsonObject, { replacement }: JsonObject): JsonObject | undefined {
  const content = readMember(replacement, 'content')
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined
  // The details are for the screen, and may repeat what was replaced.
  if (entry.type === 'custom_message') return withMembers(entry, { content, details: undefined })
  const { message } = entry
  if (!isJsonObject(message) || !EDITABLE_ROLES.has(message.role)) return entry
  const isList = message.role === 'assistant' || message.role === 'toolResult'
  const blocks = isList && typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return { ...entry, message: withMembers(message, { content: blocks, details: undefined }) }
}

/** Undefined if no model is named. The model that was named before stays valid. */
function readServed(model: unknown, provider: unknown): Served | undefined {
  if (typeof model !== 'string') return undefined
  return { model, provider: typeof provider === 'string' && provider !== '' ? provider : undefined }
}

function joinResults(first: ToolMessage, second: ToolMessage): ToolMessage {
  const records = [...(first.records ?? []), ...(second.records ?? [])]
  return { ...first, parts: [...first.parts, ...second.parts], records }
}

/** The provider's rules that a request follows, by pi's name of the API. */
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
      const parts = readBlocks(message.content, record).filter(isContentPart)
      return parts.length === 0
        ? undefined
        : { role: 'user', origin: findUserOrigin(parts), parts, records: [record] }
    }
    case 'assistant':
      return readAnswer(message, record)
    case 'toolResult':
      return readResult(message, record)
    case 'bashExecution':
      return message.excludeFromContext === true
        ? undefined
        : createNote(renderExecution(message), { record, block: message })
    case 'custom':
    case 'hookMessage':
      return readCustom(message, record)
    default:
      return undefined
  }
}

/** pi leaves out answers that failed, were aborted or are empty. */
function readAnswer(
  { content, api, stopReason }: JsonObject,
  record: number,
): AssistantMessage | undefined {
  if (stopReason === 'error' || stopReason === 'aborted') return undefined
  const parts = readBlocks(content, record, typeof api === 'string' ? api : undefined).flatMap(
    (part) =>
      part.type === 'tool-result' || (part.type === 'text' && part.text.trim() === '')
        ? []
        : [part],
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
    name: typeof toolName === 'string' ? toolName : undefined,
    output: readBlocks(content, record).filter(isContentPart),
    isError: isError === true,
    native: { record, block: message },
  }
  return { role: 'tool', origin: 'environment', parts: [part], records: [record] }
}

/** A message that an extension added. Only a message by precis may count as a summary by precis. */
function readCustom({ content, customType }: JsonObject, record: number): UserMessage | undefined {
  const parts = readBlocks(content, record).filter(isContentPart)
  const isForeignSummary =
    customType !== OWN_CUSTOM_TYPE &&
    parts.some((part) => part.type === 'text' && isSummaryText(part.text))
  const origin = isForeignSummary ? 'environment' : 'synthetic'
  return parts.length === 0 ? undefined : { role: 'user', origin, parts, records: [record] }
}

function readNote(
  text: unknown,
  record: number,
  render: (text: string) => string,
): UserMessage | undefined {
  return typeof text === 'string' ? createNote(render(text), { record, block: text }) : undefined
}

function createNote(text: string, native: NativeBlock): UserMessage {
  return {
    role: 'user',
    origin: 'synthetic',
    parts: [{ type: 'text', text, native }],
    records: [native.record],
  }
}

// The words that pi 0.73 and 1.5 send around what it stores.
function renderCompaction(summary: string): string {
  return `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`
}

function renderBranchSummary(summary: string): string {
  return `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`
}

function renderExecution({
  command,
  output,
  cancelled,
  exitCode,
  truncated,
  fullOutputPath,
}: JsonObject): string {
  const shown =
    typeof output === 'string' && output !== '' ? `\`\`\`\n${output}\n\`\`\`` : '(no output)'
  const hasFailed = typeof exitCode === 'number' && exitCode !== 0
  const outcome = cancelled
    ? '\n\n(command cancelled)'
    : hasFailed
      ? `\n\nCommand exited with code ${exitCode}`
      : ''
  const rest =
    truncated && typeof fullOutputPath === 'string'
      ? `\n\n[Output truncated. Full output: ${fullOutputPath}]`
      : ''
  return `Ran \`${typeof command === 'string' ? command : ''}\`\n${shown}${outcome}${rest}`
}

function readBlocks(content: unknown, record: number, api?: string): Part[] {
  if (typeof content === 'string')
    return [{ type: 'text', text: content, native: { record, block: content } }]
  return Array.isArray(content)
    ? content.map((block: unknown) => readBlock(block, record, api))
    : []
}

// In Chat Completions, a signature is the name of the field that contained the text.
const UNSIGNED_APIS = new Set(['openai-completions', 'mistral-conversations'])

function readBlock(block: unknown, record: number, api: string | undefined): Part {
  const native: NativeBlock = { record, block }
  if (!isJsonObject(block)) return toOpaque(block, native)
  switch (block.type) {
    case 'text':
      if (typeof block.text === 'string') return { type: 'text', text: block.text, native }
      break
    case 'thinking': {
      const { thinking, thinkingSignature } = block
      const isSigned = typeof thinkingSignature === 'string' && !UNSIGNED_APIS.has(api ?? '')
      const text = typeof thinking === 'string' ? thinking : ''
      return {
        type: 'reasoning',
        text,
        signatureLength: isSigned ? thinkingSignature.length : 0,
        native,
      }
    }
    case 'toolCall':
      if (typeof block.id !== 'string' || typeof block.name !== 'string') break
      return {
        type: 'tool-call',
        callId: block.id,
        name: block.name,
        input: block.arguments ?? {},
        native,
      }
    case 'image': {
      const mediaType = typeof block.mimeType === 'string' ? block.mimeType : 'image/*'
      return { type: 'image', ...measureData(block.data, mediaType), native }
    }
  }
  return toOpaque(block, native, typeof block.type === 'string' ? block.type : 'block')
}

/**
 * The stored block itself if the part is unchanged. A signature is valid only for unchanged
 * content.
 */
export function encodeBlock(part: Part): unknown {
  const block =
    isNativeBlock(part.native) && isJsonObject(part.native.block) ? part.native.block : undefined
  switch (part.type) {
    case 'text':
      if (block?.type !== 'text') return { type: 'text', text: part.text }
      return block.text === part.text
        ? block
        : withMembers(block, { text: part.text, textSignature: undefined })
    case 'tool-call': {
      const { callId: id, name, input } = part
      if (block?.type !== 'toolCall')
        return { type: 'toolCall', id, name, arguments: toInputObject(input) }
      const isSame = block.id === id && block.name === name && (block.arguments ?? input) === input
      return isSame
        ? block
        : withMembers(block, {
            id,
            name,
            arguments: toInputObject(input),
            thoughtSignature: undefined,
          })
    }
    default:
      return block ?? { type: 'text', text: renderPart(part) }
  }
}
