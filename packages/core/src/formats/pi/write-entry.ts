/** Entries of pi with other content, and new ones; links between them are the chain's business. */
import type { Message, Part } from '../../conversation/message.ts'
import { parseTimestamp } from '../content/parse-timestamp.ts'
import { FormatError, type NewSession } from '../format.ts'
import { isJsonObject, type JsonObject, withMembers } from '../json/object.ts'
import { findApi } from './adopt.ts'
import { encodeBlock, isNativeBlock } from './blocks.ts'
import { OWN_CUSTOM_TYPE } from './read-messages.ts'

/** The entry with other content; undefined for one that keeps its words in other fields. */
export function changeEntry(entry: JsonObject, parts: readonly Part[]): JsonObject | undefined {
  if (entry.type === 'custom_message') return { ...entry, content: encodeContent(parts, entry.content) }
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
      // The details repeat parts of the output for the screen.
      return { ...entry, message: withMembers(message, { toolCallId, isError, content, details: undefined }) }
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

// pi takes the usage of the newest answer for the size of the context, and would compact at once.
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
 * Finds the entry that gets the time of the copy, or gives -1. The list of pi goes by the newest time of a request or an answer,
 * and without it a copy would stand where its original does. A request where there is one: the time of an answer also says
 * whether the size that it tells of the context is from before a compaction.
 */
export function findNewest(entries: readonly (JsonObject | undefined)[]): number {
  const findRole = (role: string) =>
    entries.findLastIndex(
      (entry) => entry?.type === 'message' && isJsonObject(entry.message) && entry.message.role === role,
    )
  const request = findRole('user')
  return request >= 0 ? request : findRole('assistant')
}

/** The entry with the time of the new session. */
export function dateEntry(entry: JsonObject, { timestamp }: NewSession): JsonObject {
  const { message } = entry
  const timeMs = parseTimestamp(timestamp)
  if (!isJsonObject(message) || timeMs === undefined) return entry
  return { ...entry, message: { ...message, timestamp: timeMs } }
}

/** The name in the list of sessions. */
export function createTitleEntry({ timestamp, title }: NewSession, link: JsonObject): JsonObject {
  return { type: 'session_info', ...link, timestamp, name: title }
}

/** What new entries have in common with what was stored before them. */
export interface EntryDefaults {
  /** ISO 8601. */
  readonly timestamp: string
  /** The same of a message, in milliseconds since 1970: only the order counts. */
  readonly timeMs: unknown
  /** To whom answers are given: `api`, `provider` and `model`. */
  readonly answeredBy: JsonObject
}

/** `stored`: values of all entries that are there. Reasoning goes back to the model that thought it only. */
export function createEntryDefaults(timestamp: string, stored: readonly JsonObject[]): EntryDefaults {
  const messages = stored.flatMap(({ message }) => (isJsonObject(message) ? [message] : []))
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const change = stored.findLast(({ type }) => type === 'model_change')
  const { provider: asked, modelId } = change ?? {}
  const answeredBy = answer ?? { api: findApi(asked, modelId), provider: asked, model: modelId }
  const { api = 'openai-completions', provider = 'unknown', model = 'unknown' } = answeredBy
  const timeMs = messages.at(-1)?.timestamp ?? parseTimestamp(timestamp) ?? 0
  return { timestamp, timeMs, answeredBy: { api, provider, model } }
}

/** New entries for a message: one for each result, else one. */
export function createMessageEntries(
  message: Message,
  { timestamp, timeMs: time, answeredBy }: EntryDefaults,
): JsonObject[] {
  switch (message.role) {
    case 'system':
      throw new FormatError(
        'cannot-serialize',
        'Writing a pi session: found a system message. pi makes its system prompt anew; leave it out.',
      )
    case 'user':
      if (message.origin !== 'user') return [createCustomEntry(message.parts, timestamp)]
      return [
        {
          type: 'message',
          timestamp,
          message: { role: 'user', content: message.parts.map(encodeBlock), timestamp: time },
        },
      ]
    case 'assistant': {
      const stopReason = message.parts.some(({ type }) => type === 'tool-call') ? 'toolUse' : 'stop'
      const content = message.parts
        .filter((part) => part.type !== 'reasoning' || isNativeBlock(part.native))
        .map(encodeBlock)
      const answer = { role: 'assistant', content, ...answeredBy, usage: NO_USAGE, stopReason, timestamp: time }
      return [{ type: 'message', timestamp, message: answer }]
    }
    case 'tool':
      return message.parts.flatMap((part) => {
        if (part.type !== 'tool-result') return []
        const { callId: toolCallId, name: toolName = 'unknown', isError } = part
        const content = part.output.map(encodeBlock)
        return [
          {
            type: 'message',
            timestamp,
            message: { role: 'toolResult', toolCallId, toolName, content, isError, timestamp: time },
          },
        ]
      })
  }
}

/** pi sends such an entry as it is, in the user role, and does not take it for typed. */
export function createCustomEntry(parts: readonly Part[], timestamp: string): JsonObject {
  const content = encodeContent(parts, '')
  return { type: 'custom_message', timestamp, customType: OWN_CUSTOM_TYPE, content, display: true }
}
