/**
 * A rollout of Codex (0.118 to 0.169 were seen): what of it is live, and where the lines around that lie.
 *
 *   session_meta   the thread, with the system prompt
 *   event_msg      task_started ┐ a turn as the person sees it; none of it reaches the model
 *   response_item               │ what the model reads
 *   world_state, turn_context   │ what the model was told of its surroundings, and under which settings
 *   compacted                   │ `replacement_history` stands for every response_item before
 *   event_msg      task_complete┘
 */
import type { JsonObject } from '../json/object.ts'
import type { Span } from '../json/spans.ts'
import type { LocatedItem } from '../openai-responses/read-messages.ts'

export const FORMAT_NAME = 'codex'

export interface Rollout {
  readonly meta: { readonly line: Span; readonly payload: JsonObject }
  /** Whether its lines are numbered, as Codex 0.169 does and then insists on. */
  readonly isNumbered: boolean
  readonly lineCount: number
  /** The live conversation, without the surroundings. */
  readonly items: readonly RolloutItem[]
  readonly turns: readonly RolloutTurn[]
  /** The newest `turn_context`: model, directory and settings. */
  readonly turnContext?: Span
  readonly lineBreak: string
  /** ISO 8601 time of the newest line. */
  readonly timestamp: string
  readonly model?: string
  readonly workingDirectory?: string
}

export interface RolloutItem extends LocatedItem {
  /** Where its line lies. */
  readonly line: Span
  /** Place in `replacement_history` when the line is a `compacted` one. */
  readonly element?: number
  /** Which turn it belongs to; -1 before the first one. */
  readonly turn: number
  /** Lines that show this item to the person, and go where it goes. */
  readonly before: EventLine[]
  readonly after: EventLine[]
}

export interface EventLine {
  /** Type of the event; of an `item_completed`, the type of its item. */
  readonly type: string
  readonly line: Span
}

export interface RolloutTurn {
  readonly opening: Span[]
  readonly closing: Span[]
}
