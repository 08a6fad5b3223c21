import type { ContextEvents } from '../context/context-events.ts'
import type { FollowSettings } from '../context/follow.ts'

/** How a wrapped client keeps its conversations within the window. All of it may be left out. */
export interface WrapOptions extends FollowSettings {
  /** How many conversations of the client are remembered at a time; 8 by default. */
  readonly maxConversations?: number
  /** Asked at every request: other options for the conversation that begins with it, or false to leave it as it is. */
  readonly perRequest?: (request: { readonly model: string }) => FollowSettings | false | undefined
  /** What happens to any conversation: compressions with their reports and receipts. */
  readonly on?: { readonly [Name in keyof ContextEvents]?: (event: ContextEvents[Name]) => void }
  /** Told what kept precis from its work; the request was sent as it was given. */
  readonly onProblem?: (problem: unknown) => void
}
