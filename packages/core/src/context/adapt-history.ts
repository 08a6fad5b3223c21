import { findCutPoints } from '../conversation/cut-points.ts'
import { ACKNOWLEDGEMENT } from '../conversation/injected-text.ts'
import { keepPartsOf } from '../conversation/invariants/change-parts.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, createSyntheticMessage, type Message, type Part } from '../conversation/message.ts'
import type { Settings } from './settings.ts'

/** The history as another model may be sent it. A signature holds for the provider that gave it, and for no other. */
export function adaptHistory(conversation: Conversation, from: Settings, to: Settings): Conversation {
  const isForeign = from.model.provider !== to.model.provider
  const own = isForeign ? keepPartsOf(conversation, (part) => !isSigned(part)) : conversation
  if (own === conversation && to.protocol === conversation.protocol) return conversation
  return repairInvariants({ ...own, protocol: to.protocol })
}

export function isSigned(part: Part): boolean {
  return part.type === 'reasoning' && part.signatureLength > 0
}

/** The note of a switch, behind an answer alone: anywhere else two messages of the user would follow each other. */
export function createSwitchNote({ messages }: Conversation, from: string, to: string): readonly Message[] {
  const last = messages.findLast(({ role }) => role !== 'system')
  if (last?.role !== 'assistant' || from === to || findCutPoints(messages).pendingStart !== undefined) return []
  const note = createSyntheticMessage('user', `[The model was switched from ${from} to ${to}.]`)
  return [note, createSyntheticMessage('assistant', ACKNOWLEDGEMENT)]
}
