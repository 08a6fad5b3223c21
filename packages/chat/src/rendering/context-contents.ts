/** The contents of a chat's window, by kind. Each message is counted only once. */

import { createTokenCounter, findModel, type TokenCounter } from '@precis/core'
import { isSummaryText, readText } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import type { ContextWindow } from '@precis/core/models'
import type { ModelMessage } from 'ai'
import type { ChatAgent } from '../contract/chat-agent.ts'
import { CONTENT_KINDS, type ContentKind } from './chat-view.ts'

export interface WindowContents extends ContextWindow {
  /** They add up to `tokens`. */
  readonly kinds: Readonly<Record<ContentKind, number>>
  readonly tokens: number
  /** From here on, a request is compressed first. */
  readonly thresholdTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
}

type KindTokens = Readonly<Partial<Record<ContentKind, number>>>

/** Counts each message once, while the model stays the same. */
export function createContentsMeasure(): (agent: ChatAgent) => WindowContents {
  let counter: TokenCounter | undefined
  let known = new WeakMap<object, KindTokens>()
  let newest: { messages: readonly object[]; contents: WindowContents } | undefined
  return (agent) => {
    const { state, messages } = agent.context
    if (counter?.model.id !== state.model) {
      counter = createTokenCounter(findModel(state.model))
      known = new WeakMap()
      newest = undefined
    }
    if (newest?.messages === messages && newest.contents.tokens === state.tokens)
      return newest.contents
    const sums = { system: 0, requests: 0, answers: 0, reasoning: 0, tools: 0, summary: 0 }
    for (const message of messages) {
      const tokens = known.get(message) ?? countKinds(message, counter)
      known.set(message, tokens)
      for (const { kind } of CONTENT_KINDS) sums[kind] += tokens[kind] ?? 0
    }
    newest = { messages, contents: toWindow(sums, agent) }
    return newest.contents
  }
}

/** The counted parts are scaled to the provider's total. */
function toWindow(sums: Record<ContentKind, number>, { context }: ChatAgent): WindowContents {
  const { tokens, fixedTokens, windowTokens, thresholdTokens, reserveTokens } = context.state
  const counted = Object.values(sums).reduce((a, b) => a + b, 0)
  const scale = counted > 0 ? Math.max(tokens - fixedTokens, 0) / counted : 0
  const kinds = { ...sums }
  for (const { kind } of CONTENT_KINDS) kinds[kind] = Math.round(sums[kind] * scale)
  kinds.system += Math.min(fixedTokens, tokens)
  return { kinds, tokens, windowTokens, thresholdTokens, reserveTokens }
}

function countKinds(native: ModelMessage, counter: TokenCounter): KindTokens {
  const tokens: Partial<Record<ContentKind, number>> = {}
  for (const message of formats['ai-sdk'].parse([native]).messages) {
    const isSummary = message.origin === 'synthetic' && isSummaryText(readText(message))
    const own = isSummary ? 'summary' : KIND_OF_ROLE[message.role]
    for (const part of message.parts) {
      const call = part.type === 'tool-call' ? 'tools' : own
      const kind = part.type === 'reasoning' ? 'reasoning' : call
      tokens[kind] = (tokens[kind] ?? 0) + counter.countPart(part).upper
    }
  }
  return tokens
}

const KIND_OF_ROLE = {
  system: 'system',
  user: 'requests',
  assistant: 'answers',
  tool: 'tools',
} as const
