/**
 * A rollout of Codex (observed with 0.118 to 0.171): which part of it is live, and where the lines
 * around that part are.
 *
 *   session_meta   the thread, with the system prompt
 *   event_msg      task_started ┐ a turn as the user sees it; the model gets none of it
 *   response_item               │ what the model reads
 *   world_state, turn_context   │ the surroundings as described to the model, and settings
 *   compacted                   │ `replacement_history` replaces every response_item before
 *   event_msg      task_complete┘
 */

import type { LocatedItem } from '../openai-responses/read-items.ts'
import type { NewSession } from '../shared/format.ts'
import { type JsonObject, readMember, readString } from '../shared/json.ts'
import type { SessionDocument } from '../shared/session-format.ts'
import type { Replacement, Span } from '../shared/spans.ts'

export const FORMAT_NAME = 'codex'

export interface CodexDocument extends SessionDocument {
  readonly rollout: Rollout
}

export interface Rollout {
  readonly meta: { readonly line: Span; readonly payload: JsonObject }
  /** Whether its lines are numbered. Codex 0.169 numbers them, and then requires the numbers. */
  readonly isNumbered: boolean
  readonly lineCount: number
  /** The live conversation, without the surroundings. */
  readonly items: readonly RolloutItem[]
  readonly turns: readonly RolloutTurn[]
  /** Lines that a changed session keeps, before the first item and the first turn. */
  readonly leading: readonly Span[]
  /** Ids of all items and calls, even if they are no longer live. */
  readonly ids: ReadonlySet<string>
  /** The latest `turn_context`: model, folder and settings. */
  readonly turnContext?: Span
  /** The latest event of type `thread_settings_applied`. */
  readonly settings?: Span
  readonly lineBreak: string
  /** ISO 8601 time of the latest line. */
  readonly timestamp: string
  readonly model?: string
  readonly workingDirectory?: string
}

export interface RolloutItem extends LocatedItem {
  readonly line: Span
  /** Place in `replacement_history` if the line is a `compacted` line. */
  readonly element?: number
  /** The turn it belongs to. -1 before the first turn. */
  readonly turn: number
  /** Lines that show this item to the user. They are kept, moved and removed with it. */
  readonly before: EventLine[]
  readonly after: EventLine[]
}

export interface EventLine {
  /**
   * Type of the event, or of its item for an `item_completed`. Undefined for a line that comes
   * after the item but does not show it.
   */
  readonly type: string | undefined
  readonly line: Span
}

export interface RolloutTurn {
  readonly opening: Span[]
  readonly closing: Span[]
}

export function renameMeta(
  payload: JsonObject,
  { sessionId, timestamp }: NewSession,
): Replacement[] {
  const id = JSON.stringify(sessionId)
  const time = JSON.stringify(timestamp)
  return [
    { path: ['payload', 'id'], json: id },
    ...(payload.session_id === payload.id ? [{ path: ['payload', 'session_id'], json: id }] : []),
    { path: ['timestamp'], json: time },
    { path: ['payload', 'timestamp'], json: time },
  ]
}

export function renameThread({ sessionId }: NewSession): Replacement[] {
  return [{ path: ['payload', 'thread_id'], json: JSON.stringify(sessionId) }]
}

/** Whether the line replaces the history. Others of its type keep it. */
export const isCompactionLine = ({ type, payload }: JsonObject): boolean =>
  type === 'compacted' &&
  (Array.isArray(readMember(payload, 'replacement_history')) ||
    readString(payload, 'message') !== undefined)

const TYPED_EVENTS = new Set(['user_message', 'UserMessage'])

/**
 * Whether the event shows what the user typed. Codex does not list a thread without such an event.
 */
export function isTypedEvent(type: string): boolean {
  return TYPED_EVENTS.has(type)
}
