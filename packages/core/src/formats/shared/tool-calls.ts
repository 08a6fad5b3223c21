import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { addTo } from '../../conversation/lists.ts'
import type { Message, ToolCallPart, ToolResultPart } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** The input of a call for providers that accept only objects. Others have JSON or free text. */
export function toInputObject(input: unknown): JsonObject {
  if (isJsonObject(input)) return input
  if (typeof input !== 'string') return {}
  const value = parseJson(input)
  return isJsonObject(value) ? value : { input }
}

/**
 * The input of a call for providers that accept JSON text. If the text is cut off or not JSON, it
 * is put into an object.
 */
export function toInputJson(input: unknown): string {
  const text = toInputText(input)
  if (isJsonObject(parseJson(text))) return text
  return text.trim() === '' ? '{}' : toJsonText(toInputObject(input))
}

/** The input of a call for providers that accept only text. */
export function toInputText(input: unknown): string {
  return typeof input === 'string' ? input : toJsonText(input ?? {})
}

/** The id of a call. Some servers number their calls. */
export function readCallId(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : typeof id === 'string' ? id : undefined
}

/** The stored id if it says the same. */
export function encodeCallId(callId: string, stored: unknown): unknown {
  return readCallId(stored) === callId ? stored : callId
}

// Anthropic accepts letters, digits, "_" and "-". OpenAI accepts 64 of them, or 40 in older
// deployments.
export const VALID_CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/
const INVALID_IN_NAME = /[^a-zA-Z0-9_-]/g
const LONGEST_NAME = 64

export interface CallNames {
  /** The id for the next call with this id. */
  nameCall(callId: string): string
  /** The id for a result: the new id of the latest call with this id. */
  nameResult(callId: string): string
}

/**
 * Valid ids stay, unless an earlier call of the session has the same id. Agents look up calls only
 * by id.
 */
export function createCallNames(): CallNames {
  const taken = new Set<string>()
  const newest = new Map<string, string>()
  let count = 0
  const invent = () => {
    let name: string
    do name = `call_precis_${count++}`
    while (taken.has(name))
    return name
  }
  return {
    nameCall(callId) {
      const name = VALID_CALL_ID.test(callId) && !taken.has(callId) ? callId : invent()
      taken.add(name)
      newest.set(callId, name)
      return name
    },
    nameResult: (callId) => newest.get(callId) ?? callId,
  }
}

/** OpenAI accepts at most 64 letters, digits, "_" and "-". */
export function toToolName(name: string): string {
  return name.replace(INVALID_IN_NAME, '_').slice(0, LONGEST_NAME) || 'unknown'
}

/** Results come in the order of their calls. A reused id belongs to the calls of the newer answer. */
export function matchResults(messages: readonly Message[]): Map<ToolCallPart, ToolResultPart> {
  const results = new Map<ToolCallPart, ToolResultPart>()
  const open = new Map<string, ToolCallPart[]>()
  for (const { parts } of messages) {
    const own = new Map<string, ToolCallPart[]>()
    for (const part of parts) {
      if (part.type === 'tool-call') addTo(own, part.callId, part)
      if (part.type !== 'tool-result') continue
      const call = open.get(part.callId)?.pop()
      if (call) results.set(call, part)
    }
    // The first one is taken first.
    for (const [callId, calls] of own) open.set(callId, calls.reverse())
  }
  return results
}
