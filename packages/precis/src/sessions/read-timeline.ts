import type { Timeline } from '../agents/shared/agent.ts'
import type { LoadedSession } from './load-session.ts'

/**
 * Everything that was said in a session, with its agent's own compactions undone. If that is not
 * available, the messages that would be sent now.
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
