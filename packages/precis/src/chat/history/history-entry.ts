/**
 * One line of a history file. The file only grows; what a chat looks like now follows from all of its lines.
 *
 *   {"type":"chat","version":1,"id":"5f0c…","workingDirectory":"/home/ada/app",…}
 *   {"type":"message","message":{"role":"user",…}}          number 0
 *   {"type":"message","message":{"role":"assistant",…}}     number 1
 *   {"type":"history","reason":"compression","parts":[{"message":{…}},[1,2]]}    now: message 2 (new), then message 1
 */
import type { ModelMessage } from 'ai'
import { asCount, asObject, asText, type JsonObject } from '../../sessions/lines.ts'
import { SETTING_NAMES, type SettingName } from '../chat-agent.ts'

export const HISTORY_VERSION = 1

export type HistoryEntry =
  | ChatHeader
  /** Goes behind all others. Numbered from 0 in the order of the file, as those of `history` entries. */
  | { readonly type: 'message'; readonly message: ModelMessage }
  /** What the history is from here on. */
  | HistoryChange
  | { readonly type: 'model'; readonly model: string; readonly windowTokens?: number }
  | { readonly type: 'pin'; readonly text: string }
  /** A setting that the user changed, as they typed it; without a text it is no longer changed. */
  | { readonly type: 'setting'; readonly name: SettingName; readonly text?: string }
  /** A stretch of an answer that is still being written; void as soon as any message or `void` follows. */
  | { readonly type: 'partial-text'; readonly text: string }
  /** A result of several that are still being waited for; void in the same way. */
  | { readonly type: 'partial-result'; readonly callId: string; readonly output: string; readonly isError: boolean }
  /** What was streamed is of no account: the request is made again. */
  | { readonly type: 'void' }

export interface ChatHeader {
  readonly type: 'chat'
  readonly version: number
  readonly id: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly workingDirectory: string
  readonly model: string
  readonly windowTokens?: number
  readonly isDemo: boolean
  /** The session of an agent that it goes on from. */
  readonly from?: { readonly format: string; readonly session: string }
}

export interface HistoryChange {
  readonly type: 'history'
  /** `undo` takes back the newest change that is not taken back yet. */
  readonly reason: 'compression' | 'undo'
  /** Messages by number, from and up to but without, and messages that are new. */
  readonly parts: readonly HistoryPart[]
}

export type HistoryPart = readonly [from: number, to: number] | { readonly message: ModelMessage }

/** Undefined for what is no entry of ours: a torn line, or one of a later version. */
export function parseHistoryEntry(value: JsonObject): HistoryEntry | undefined {
  switch (value.type) {
    case 'chat':
      return parseHeader(value)
    case 'message': {
      const message = parseMessage(value.message)
      return message && { type: 'message', message }
    }
    case 'history':
      return parseChange(value)
    case 'model': {
      const model = asText(value.model)
      return model === undefined ? undefined : { type: 'model', model, ...parseWindow(value) }
    }
    case 'setting': {
      const name = SETTING_NAMES.find((known) => known === value.name)
      const text = asText(value.text)
      return name && { type: 'setting', name, ...(text !== undefined && { text }) }
    }
    case 'pin':
    case 'partial-text': {
      const text = asText(value.text)
      return text === undefined ? undefined : { type: value.type, text }
    }
    case 'partial-result': {
      const [callId, output] = [asText(value.callId), asText(value.output)]
      if (callId === undefined || output === undefined) return undefined
      return { type: 'partial-result', callId, output, isError: value.isError === true }
    }
    case 'void':
      return { type: 'void' }
    default:
      return undefined
  }
}

function parseHeader(value: JsonObject): ChatHeader | undefined {
  const [id, workingDirectory, model] = [asText(value.id), asText(value.workingDirectory), asText(value.model)]
  if (id === undefined || workingDirectory === undefined || model === undefined) return undefined
  const from = asObject(value.from)
  return {
    type: 'chat',
    version: asCount(value.version),
    id,
    createdAt: asText(value.createdAt) ?? '',
    workingDirectory,
    model,
    ...parseWindow(value),
    isDemo: value.isDemo === true,
    ...(from && { from: { format: asText(from.format) ?? '', session: asText(from.session) ?? '' } }),
  }
}

function parseWindow({ windowTokens }: JsonObject): { windowTokens?: number } {
  return asCount(windowTokens) > 0 ? { windowTokens: asCount(windowTokens) } : {}
}

function parseChange({ reason, parts }: JsonObject): HistoryChange | undefined {
  if ((reason !== 'compression' && reason !== 'undo') || !Array.isArray(parts)) return undefined
  const parsed = parts.map(parsePart)
  const known = parsed.filter((part) => part !== undefined)
  return known.length === parsed.length ? { type: 'history', reason, parts: known } : undefined
}

function parsePart(part: unknown): HistoryPart | undefined {
  if (Array.isArray(part)) {
    const [from, to]: unknown[] = part
    return Number.isSafeInteger(from) && Number.isSafeInteger(to) ? [Number(from), Number(to)] : undefined
  }
  const message = parseMessage(asObject(part)?.message)
  return message && { message }
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

/** Only precis writes this file, so the shape is not looked at further than a slip of an editor would reach. */
function parseMessage(value: unknown): ModelMessage | undefined {
  const message = asObject(value)
  if (!message || !ROLES.includes(message.role)) return undefined
  const isText = typeof message.content === 'string' && message.role !== 'tool'
  const isList = Array.isArray(message.content) && message.content.every((part) => asText(asObject(part)?.type))
  return isText || isList ? (value as ModelMessage) : undefined
}
