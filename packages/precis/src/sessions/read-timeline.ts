import type { Timeline } from '../agents/ground/agent.ts'
import type { LoadedSession } from './load-session.ts'

/**
 * All that was said in a session, its agent's own compactions undone; what would be sent of it now,
 * where that is all there is.
 */
export function readTimeline({ agent, conversation, document }: LoadedSession): Timeline {
  if (agent?.readTimeline) return agent.readTimeline(document.source)
  const timed = conversation.messages.map((message) => ({
    message,
    timeMs: undefined,
    records: message.records ?? [],
  }))
  return { timed, compactions: 0 }
}
