/**
 * A rollout of Codex (0.118 to 0.169 were seen): what of it is live, and where the lines around
 * that are.
 *
 *   session_meta   the thread, with the system prompt
 *   event_msg      task_started ┐ a turn as the user sees it; none of it reaches the model
 *   response_item               │ what the model reads
 *   world_state, turn_context   │ the surroundings as they were described to the model, and settings
 *   compacted                   │ `replacement_history` replaces every response_item before
 *   event_msg      task_complete┘
 */

import type { LocatedItem } from '../openai-responses/read-items.ts'
import type { NewSession } from '../shared/format.ts'
import type { JsonObject } from '../shared/json.ts'
import type { SessionDocument } from '../shared/session-format.ts'
import type { Replacement, Span } from '../shared/spans.ts'

export const FORMAT_NAME = 'codex'

export interface CodexDocument extends SessionDocument {
  readonly rollout: Rollout
}

export interface Rollout {
  readonly meta: { readonly line: Span; readonly payload: JsonObject }
  /** Whether its lines are numbered, as Codex 0.169 does and then insists on. */
  readonly isNumbered: boolean
  readonly lineCount: number
  /** The live conversation, without the surroundings. */
  readonly items: readonly RolloutItem[]
  readonly turns: readonly RolloutTurn[]
  /** Lines that a changed session keeps, before the first item and the first turn. */
  readonly leading: readonly Span[]
  /** Ids of all items and calls, also of those that are no longer live. */
  readonly ids: ReadonlySet<string>
  /** The newest `turn_context`: model, directory and settings. */
  readonly turnContext?: Span
  /** The newest event of type `thread_settings_applied`. */
  readonly settings?: Span
  readonly lineBreak: string
  /** ISO 8601 time of the newest line. */
  readonly timestamp: string
  readonly model?: string
  readonly workingDirectory?: string
}

export interface RolloutItem extends LocatedItem {
  readonly line: Span
  /** Place in `replacement_history` when the line is a `compacted` one. */
  readonly element?: number
  /** Which turn it belongs to; -1 before the first one. */
  readonly turn: number
  /** Lines that show this item to the user: kept, moved and removed with it. */
  readonly before: EventLine[]
  readonly after: EventLine[]
}

export interface EventLine {
  /**
   * Type of the event; of an `item_completed`, the type of its item. Undefined for a line that only
   * comes after the item and shows nothing of it.
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
