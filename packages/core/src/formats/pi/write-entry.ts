/** Entries of pi with changed content, and new entries. The chain links them. */
import type { Message, Part } from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { isJsonObject, type JsonObject, withMembers } from '../shared/json.ts'
import { isNativeBlock } from '../shared/records.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { encodeBlock, OWN_CUSTOM_TYPE } from './read.ts'

/** The entry with changed content. Undefined for an entry that keeps its words in other fields. */
export function changeEntry(entry: JsonObject, parts: readonly Part[]): JsonObject | undefined {
  if (entry.type === 'custom_message')
    return { ...entry, content: encodeContent(parts, entry.content) }
  const { message } = entry
  if (!isJsonObject(message)) return undefined
  switch (message.role) {
    case 'user':
    case 'assistant':
    case 'custom':
    case 'hookMessage':
      return { ...entry, message: { ...message, content: encodeContent(parts, message.content) } }
    case 'toolResult': {
      const [part] = parts
      if (part?.type !== 'tool-result') return undefined
      const { callId: toolCallId, isError, output } = part
      const content = output.map(encodeBlock)
      // For the screen, the details repeat parts of the output.
      return {
        ...entry,
        message: withMembers(message, { toolCallId, isError, content, details: undefined }),
      }
    }
    default:
      return undefined
  }
}

function encodeContent(parts: readonly Part[], before: unknown): unknown {
  const [first] = parts
  if (typeof before === 'string' && parts.length === 1 && first?.type === 'text') return first.text
  return parts.map(encodeBlock)
}

// pi reads the latest answer's usage as the size of the context, and would compact immediately.
const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

export function emptyUsage(entry: JsonObject): JsonObject {
  const { message } = entry
  if (!isJsonObject(message) || message.role !== 'assistant') return entry
  return { ...entry, message: { ...message, usage: NO_USAGE } }
}

/**
 * pi sorts its list by the latest request or answer. By the time of an answer it decides whether it
 * is stale.
 */
export function findNewest(entries: readonly (JsonObject | undefined)[]): number {
  const findRole = (role: string) =>
    entries.findLastIndex(
      (entry) =>
        entry?.type === 'message' && isJsonObject(entry.message) && entry.message.role === role,
    )
  const request = findRole('user')
  return request >= 0 ? request : findRole('assistant')
}

export function dateEntry(entry: JsonObject, { timestamp }: NewSession): JsonObject {
  const { message } = entry
  const timeMs = parseTimestamp(timestamp)
  if (!isJsonObject(message) || timeMs === undefined) return entry
  return { ...entry, message: { ...message, timestamp: timeMs } }
}

export function createTitleEntry({ timestamp, title }: NewSession, link: JsonObject): JsonObject {
  return { type: 'session_info', ...link, timestamp, name: title }
}

/** The values that new entries take from stored ones. */
export interface EntryDefaults {
  /** ISO 8601. */
  readonly timestamp: string
  /** The time of a message in milliseconds since 1970. Only the order counts. */
  readonly timeMs: unknown
  /** The model that answers: `api`, `provider` and `model`. */
  readonly answeredBy: JsonObject
}

/**
 * `stored`: values of all existing entries. Reasoning is sent only to the model that produced it.
 */
export function createEntryDefaults(
  timestamp: string,
  stored: readonly JsonObject[],
): EntryDefaults {
  const messages = stored.flatMap(({ message }) => (isJsonObject(message) ? [message] : []))
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const change = stored.findLast(({ type }) => type === 'model_change')
  const { provider: asked, modelId } = change ?? {}
  const answeredBy = answer ?? { api: findApi(asked, modelId), provider: asked, model: modelId }
  const { api = 'openai-completions', provider = 'unknown', model = 'unknown' } = answeredBy
  const timeMs = messages.at(-1)?.timestamp ?? parseTimestamp(timestamp) ?? 0
  return { timestamp, timeMs, answeredBy: { api, provider, model } }
}

const OTHER_API = 'openai-completions'

/** The API that pi uses for each provider. All others get Chat Completions. */
const APIS: ReadonlyMap<unknown, string> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
  ['google', 'google-generative-ai'],
  ['google-vertex', 'google-vertex'],
  ['azure', 'azure-openai-responses'],
  ['amazon-bedrock', 'bedrock-converse-stream'],
])

function findApi(provider: unknown, model: unknown): string {
  const api = APIS.get(provider)
  if (api !== undefined || typeof provider !== 'string') return api ?? OTHER_API
  // Gateways use Anthropic's API for Claude. Only then does pi send signed reasoning as reasoning.
  const isClaude =
    provider.startsWith('opencode') && typeof model === 'string' && model.includes('claude')
  return isClaude || provider.includes('anthropic') ? 'anthropic-messages' : OTHER_API
}

/** New entries for a message: one for each result, or one for any other message. */
export function createMessageEntries(
  message: Message,
  { timestamp, timeMs, answeredBy }: EntryDefaults,
): JsonObject[] {
  const createEntry = (stored: JsonObject) => ({
    type: 'message',
    timestamp,
    message: { ...stored, timestamp: timeMs },
  })
  switch (message.role) {
    case 'system':
      throw refuseSystemMessage('pi', 'pi')
    case 'user':
      if (message.origin !== 'user') return [createCustomEntry(message.parts, timestamp)]
      return [createEntry({ role: 'user', content: message.parts.map(encodeBlock) })]
    case 'assistant': {
      const stopReason = message.parts.some(({ type }) => type === 'tool-call') ? 'toolUse' : 'stop'
      const content = message.parts
        .filter((part) => part.type !== 'reasoning' || isNativeBlock(part.native))
        .map(encodeBlock)
      return [
        createEntry({ role: 'assistant', content, ...answeredBy, usage: NO_USAGE, stopReason }),
      ]
    }
    case 'tool':
      return message.parts.flatMap((part) => {
        if (part.type !== 'tool-result') return []
        const { callId: toolCallId, name: toolName = 'unknown', isError } = part
        const content = part.output.map(encodeBlock)
        return [createEntry({ role: 'toolResult', toolCallId, toolName, content, isError })]
      })
  }
}

/** pi sends such an entry unchanged in the user role, and does not treat it as typed. */
export function createCustomEntry(parts: readonly Part[], timestamp: string): JsonObject {
  const content = encodeContent(parts, '')
  return { type: 'custom_message', timestamp, customType: OWN_CUSTOM_TYPE, content, display: true }
}
