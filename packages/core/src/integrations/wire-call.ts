import type { HostRequest } from '../context/follow.ts'
import type { Usage } from '../context/usage.ts'
import type { JsonObject } from '../formats/json/object.ts'

/** How an API says what precis has to know: what is asked, and what was reported. */
export interface WireCall {
  /** Undefined for a request whose history is not in it, or is not a list of messages. */
  readRequest(body: JsonObject): HostRequest | undefined
  /** The body with other messages, everything else as it was. */
  writeMessages(body: JsonObject, messages: readonly object[]): JsonObject
  readUsage(answer: unknown): Usage | undefined
  /** Told every event of a stream in order, with what the events before it reported. */
  readEventUsage(event: unknown, before: Usage | undefined): Usage | undefined
  /** Whether an event comes before the model's first word. */
  isPrelude(event: unknown): boolean
  /** What an event says went wrong, where that is not an error of its own. */
  findFailure(event: unknown): unknown
}

/** A list of objects; undefined for what else an API takes in its place. */
export function readObjects(value: unknown): readonly object[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((entry: unknown) => typeof entry === 'object' && entry !== null) ? value : undefined
}

/** A whole number of tokens; 0 for anything else. */
export function readTokens(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}

export function isAbortSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'throwIfAborted' in value
}
