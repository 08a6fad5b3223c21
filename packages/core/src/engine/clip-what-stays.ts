import { apply } from '../conversation/apply.ts'
import type { SettledEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import { clipParts } from '../strategies/clip-parts.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { createView } from './view.ts'

// What is clipped may take this much of the room, and more where there is little else to summarize.
const CLIPPED_SHARE = 0.6
const SUMMARY_FRAME_TOKENS = 100

/**
 * Clips what every plan has to keep, the last request and a call that waits for its result, so that they leave room for a
 * summary of the rest. The same conversation when they do, or when nothing in them can be clipped.
 */
export function clipWhatStays(conversation: Conversation, counter: TokenCounter, limitTokens: number): Conversation {
  const { cutPoints, lastUserRequest } = createView(conversation, counter)
  const first = cutPoints.pendingStart ?? Infinity
  const stays = (index: number) =>
    conversation.messages[index]!.role === 'system' || index === lastUserRequest || index >= first
  const positions = conversation.messages.flatMap((_, index) => (stays(index) ? [index] : []))
  const bare = { ...conversation, messages: positions.map((index) => conversation.messages[index]!) }
  const view = createView(bare, counter)
  const overheadTokens = counter.countConversation({
    ...bare,
    messages: bare.messages.filter(({ role }) => role === 'system'),
  }).upper
  const room = Math.max(limitTokens - overheadTokens, 0)
  const restTokens = counter.countConversation(conversation).upper - counter.countConversation(bare).upper
  const shareTokens = Math.max(Math.floor(room * CLIPPED_SHARE), room - restTokens - SUMMARY_FRAME_TOKENS)
  const targetTokens = overheadTokens + shareTokens
  const plan = clipParts.plan(view, { targetTokens })
  if ('noop' in plan) return conversation
  const edits = plan.edits.flatMap((edit): SettledEdit[] =>
    edit.type === 'replace' && edit.end === edit.start + 1
      ? [{ ...edit, start: positions[edit.start]!, end: positions[edit.start]! + 1 }]
      : [],
  )
  return apply(conversation, edits)
}
