/** Requests that partly look like an agent's compaction. They pass, and people are told. */

import type { Conversation, Message } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import type { ApiRequest } from './api-request.ts'
import type { ActRequest, Passed } from './gateway.ts'

/**
 * For a request that no known agent sends exactly so: a new version of an agent, or a text about
 * such requests. Undefined for every other request.
 */
export function findHalfCompaction(request: ActRequest, { json }: ApiRequest): Passed | undefined {
  const asking = findAsking(request, json)
  if (!asking) return undefined
  const problem = `${asking.title} asks so for its own compaction, but with another body or other headers`
  return { reason: 'unknown', problem }
}

function findAsking(
  { api, purpose, headers, owner }: ActRequest,
  json: ApiRequest['json'],
): Agent | undefined {
  const own = agents.find(({ name }) => name === owner.agent)
  if (own && (purpose === 'compact' || own.wire?.announcesCompaction?.(headers))) return own
  const newest = readNewest(formats[api].parse(json))
  return agents.find(({ wire }) => wire?.marks.some((mark) => newest.includes(mark)))
}

/**
 * What the request asks for: the host's instructions, and everything from the user's latest message
 * on, except results of tools.
 */
function readNewest({ messages }: Conversation): string {
  const place = messages.findLastIndex(({ role }) => role === 'user')
  const isAsked = ({ role }: Message, index: number) =>
    role === 'system' || (index >= place && role !== 'tool')
  const parts = messages
    .filter(isAsked)
    .flatMap((message): readonly Message['parts'][number][] => message.parts)
  return parts
    .map((part) => (part.type === 'text' || part.type === 'opaque' ? part.text : ''))
    .join('\n')
}
