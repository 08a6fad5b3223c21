/** Entries of pi with other content, and new ones; links between them are the chain's business. */
import type { Message, Part } from '../../conversation/message.ts'
import { FormatError, type NewSession } from '../format.ts'
import { isJsonObject, type JsonObject, withMembers } from '../json/object.ts'
import { encodeBlock } from './blocks.ts'
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

/** The name in the list of sessions. */
export function createTitleEntry({ timestamp, title }: NewSession, link: JsonObject): JsonObject {
  return { type: 'session_info', ...link, timestamp, name: title }
}

/** New entries for a message: one for each result, else one. `messages` are those stored before, in pi's own shape. */
export function createMessageEntries(
  message: Message,
  timestamp: string,
  messages: readonly JsonObject[],
): JsonObject[] {
  // In milliseconds, as the message before: only the order counts.
  const time = messages.at(-1)?.timestamp ?? 0
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
      const { api = 'openai-completions', provider = 'unknown', model = 'unknown' } = findNewestAnswer(messages)
      const stopReason = message.parts.some(({ type }) => type === 'tool-call') ? 'toolUse' : 'stop'
      const content = message.parts.filter((part) => part.type !== 'reasoning').map(encodeBlock)
      const answer = { role: 'assistant', content, api, provider, model, usage: NO_USAGE, stopReason, timestamp: time }
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

/** Reasoning goes back to the model that thought it only, so a new answer is given to the newest one. */
function findNewestAnswer(messages: readonly JsonObject[]): JsonObject {
  return messages.findLast(({ role }) => role === 'assistant') ?? {}
}
