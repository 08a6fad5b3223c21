/** What fills the window of a chat, by kind. A message is counted once in its life. */
import { createTokenCounter, findModel, readText, type TokenCounter } from '@precis/core'
import { formats } from '@precis/core/formats'
import type { ModelMessage } from 'ai'
import type { ChatAgent } from '../chat-agent.ts'
import { CONTENT_KINDS, type ContentKind } from './content-kinds.ts'

export interface WindowContents {
  /** They add up to `tokens`. */
  readonly kinds: Readonly<Record<ContentKind, number>>
  readonly tokens: number
  readonly windowTokens: number
  /** From here on a request is compressed first. */
  readonly thresholdTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
}

type KindTokens = Readonly<Partial<Record<ContentKind, number>>>

export type MeasureContents = (agent: ChatAgent) => WindowContents

interface Counted {
  readonly counter: TokenCounter
  readonly known: WeakMap<object, KindTokens>
  newest?: { readonly messages: readonly object[]; readonly tokens: number; readonly contents: WindowContents }
}

export function createContentsMeasure(): MeasureContents {
  let counted: Counted | undefined
  return (agent) => {
    const { state, messages } = agent.context
    const isSameModel = counted?.counter.model.id === state.model
    const now = counted && isSameModel ? counted : startCounting(state.model)
    counted = now
    const { counter, known, newest } = now
    if (newest && newest.messages === messages && newest.tokens === state.tokens) return newest.contents
    const sums = { system: 0, requests: 0, answers: 0, reasoning: 0, tools: 0, summary: 0 }
    for (const message of messages) {
      const tokens = known.get(message) ?? countKinds(message, counter)
      known.set(message, tokens)
      for (const { kind } of CONTENT_KINDS) sums[kind] += tokens[kind] ?? 0
    }
    const contents = toWindow(sums, agent)
    now.newest = { messages, tokens: state.tokens, contents }
    return contents
  }
}

function startCounting(model: string): Counted {
  return { counter: createTokenCounter(findModel(model)), known: new WeakMap() }
}

/** Counted parts are scaled to what the provider reported of the whole. */
function toWindow(sums: Record<ContentKind, number>, { context }: ChatAgent): WindowContents {
  const { tokens, fixedTokens, windowTokens, thresholdTokens, reserveTokens } = context.state
  const counted = Object.values(sums).reduce((a, b) => a + b, 0)
  const scale = counted > 0 ? Math.max(tokens - fixedTokens, 0) / counted : 0
  const scaled = (kind: ContentKind) => Math.round(sums[kind] * scale)
  const kinds = {
    system: Math.min(fixedTokens, tokens) + scaled('system'),
    requests: scaled('requests'),
    answers: scaled('answers'),
    reasoning: scaled('reasoning'),
    tools: scaled('tools'),
    summary: scaled('summary'),
  }
  return { kinds, tokens, windowTokens, thresholdTokens, reserveTokens }
}

const SUMMARY_OPENING = '<conversation-summary by="precis">'

/** Of the text of a message that nobody typed. */
export function isSummaryText(text: string): boolean {
  return text.trimStart().startsWith(SUMMARY_OPENING)
}

function countKinds(native: ModelMessage, counter: TokenCounter): KindTokens {
  const tokens: Partial<Record<ContentKind, number>> = {}
  for (const message of formats['ai-sdk'].parse([native]).messages) {
    const isSummary = message.origin === 'synthetic' && isSummaryText(readText(message))
    const own = isSummary ? 'summary' : KIND_OF_ROLE[message.role]
    for (const part of message.parts) {
      const kind = part.type === 'reasoning' ? 'reasoning' : part.type === 'tool-call' ? 'tools' : own
      tokens[kind] = (tokens[kind] ?? 0) + counter.countPart(part).upper
    }
  }
  return tokens
}

const KIND_OF_ROLE = { system: 'system', user: 'requests', assistant: 'answers', tool: 'tools' } as const
