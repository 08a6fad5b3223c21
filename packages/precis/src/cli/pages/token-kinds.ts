import type { TokenKind } from '@precis/core'

/** In the order in which they are drawn: what a request begins with first. */
export const tokenKinds: readonly { readonly kind: TokenKind; readonly title: string; readonly name: string }[] = [
  { kind: 'system', title: 'system and tool schemas', name: 'k-system' },
  { kind: 'user', title: 'user', name: 'k-user' },
  { kind: 'assistant', title: 'assistant', name: 'k-assistant' },
  { kind: 'reasoning', title: 'reasoning', name: 'k-reasoning' },
  { kind: 'toolCalls', title: 'tool calls', name: 'k-calls' },
  { kind: 'toolResults', title: 'tool results', name: 'k-results' },
]

/** The class that has its colour. */
export function nameOfKind(kind: TokenKind): string {
  return tokenKinds.find((known) => known.kind === kind)?.name ?? ''
}

export function createNone(): { [Kind in TokenKind]: number } {
  return { system: 0, user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0 }
}
