import type { Part, Role } from '../conversation/message.ts'

/** What tokens are spent on. Every token of a conversation is of exactly one kind; `system` includes tool schemas. */
export type TokenKind = 'user' | 'assistant' | 'reasoning' | 'toolCalls' | 'toolResults' | 'system'

export function kindOf(part: Part, role: Role): TokenKind {
  if (part.type === 'reasoning') return 'reasoning'
  if (part.type === 'tool-call') return 'toolCalls'
  if (part.type === 'tool-result') return 'toolResults'
  return kindOfRole(role)
}

/** Of what a message costs beside its parts. */
export function kindOfRole(role: Role): TokenKind {
  return role === 'tool' ? 'toolResults' : role
}
