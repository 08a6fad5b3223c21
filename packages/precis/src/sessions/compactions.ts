/** What the compactions that happened in a session have cost: words of the user, facts, money. */
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { createTokenCounter, findModel, type Message } from '@precis/core'
import { readText } from '@precis/core/conversation'
import { pricePrompt, priceTokens } from '@precis/core/engine'
import { findCompactionLosses, type GoneFact } from '@precis/core/facts'
import { type ByteSource, FormatError } from '@precis/core/formats'
import type { Agent, BilledRequest, Measured, RecordedCompaction } from '../agents/shared/agent.ts'
import { openStretches, type SessionStretches } from './session-stretch.ts'

export interface SessionCompaction extends RecordedCompaction {
  /** Undefined if the history before or after it cannot be read. */
  readonly lost: CompactionLoss | undefined
  /** Undefined if the price of the model is unknown. */
  readonly cost: CompactionCost | undefined
}

/** The history that was sent just before a compaction against the one just after it. */
export interface CompactionLoss {
  readonly words: LostWords
  /** Undefined if only the provider can read the summary. */
  readonly facts: LostFacts | undefined
}

/** The user's earlier messages. Each is in exactly one of the other three counts. */
export interface LostWords {
  readonly total: number
  /** Verbatim, even if only the summary quotes them. */
  readonly verbatim: number
  /** Their beginning is there. */
  readonly clipped: number
  readonly missing: number
}

export interface LostFacts {
  /** Facts of the history before that nothing later had made stale. */
  readonly total: number
  readonly lost: number
  /**
   * The weightiest of those that are lost and no words of the user, at most ten, weightiest first.
   */
  readonly weightiest: readonly LostFact[]
}

export interface LostFact extends Pick<GoneFact, 'kind' | 'text' | 'writer' | 'count'> {
  /** Number of the native record that said it last. */
  readonly record: number | undefined
}

/** US dollars at list prices of the request that wrote the summary. */
export interface CompactionCost {
  /**
   * The bill, or a bill with the whole history in the provider's cache, as in the request before.
   */
  readonly dollars: Measured
  /** The same with nothing in the cache, as after a pause. Undefined for what was billed. */
  readonly coldDollars: number | undefined
}

/** In order. Reads the whole document, and leaves out unreadable parts. */
export function readSessionCompactions(agent: Agent, source: ByteSource): SessionCompaction[] {
  const compactions = agent.readCompactions?.(source) ?? []
  if (compactions.length === 0) return []
  const requests = agent.readRequests(source)
  const stretches = openStretches(source, agent)
  return compactions.map((compaction, index) => ({
    ...compaction,
    // What one compaction kept, it kept of what followed the one before.
    lost: measureLoss(agent, stretches, compactions[index - 2]?.record ?? 0, compaction),
    cost: priceCompaction(compaction, requests),
  }))
}

function measureLoss(
  agent: Agent,
  stretches: SessionStretches,
  start: number,
  { record, lastRecord, summary, isWhole }: RecordedCompaction,
): CompactionLoss | undefined {
  try {
    const before = agent.format.parse(stretches.read(start, record))
    const { messages: after } = agent.format.parse(
      stretches.read(isWhole ? record : start, lastRecord + 1),
    )
    const { words, facts, ledger, weightiest } = findCompactionLosses({ before, after })
    const findState = openWords(after)
    const clipped = ledger.words.filter(({ text }) => findState(text) !== 'gone').length
    const findRecord = (message: number) => {
      const own = before.messages[message]?.records?.[0]
      return own === undefined ? undefined : stretches.findRecord(start, own)
    }
    const named = weightiest.slice(0, MOST_NAMED).map(({ kind, text, writer, count, message }) => ({
      kind,
      text,
      writer,
      count,
      record: findRecord(message),
    }))
    return {
      words: {
        total: words.total,
        verbatim: words.total - words.gone,
        clipped,
        missing: words.gone - clipped,
      },
      facts:
        summary === undefined
          ? undefined
          : { total: facts.total, lost: facts.gone, weightiest: named },
    }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const MOST_NAMED = 10
// Shorter beginnings are of many messages.
const BEGINNING = 60

/**
 * Looks up a user's text in the history with which an agent continues. White space does not count.
 */
export function openWords(
  after: readonly Message[],
): (text: string) => 'word for word' | 'shortened' | 'gone' {
  const flatten = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const said = flatten(after.map(readText).join('\n'))
  return (text) => {
    const flat = flatten(text)
    if (said.includes(flat)) return 'word for word'
    return flat.length > BEGINNING && said.includes(flat.slice(0, BEGINNING)) ? 'shortened' : 'gone'
  }
}

function priceCompaction(
  { by, record, request, summary, tokensBefore }: RecordedCompaction,
  requests: readonly BilledRequest[],
): CompactionCost | undefined {
  // No model was asked.
  if (by === 'precis') return { dollars: { value: 0, isEstimated: false }, coldDollars: undefined }
  const before = request ?? requests.findLast((other) => other.record < record)
  const model = before && findModel(before.model)
  const prices = model?.pricesPerMillionTokens
  if (!prices) return undefined
  if (request)
    return {
      dollars: { value: priceTokens(request, prices), isEstimated: false },
      coldDollars: undefined,
    }
  if (!tokensBefore) return undefined
  const output = summary === undefined ? 0 : createTokenCounter(model).countText(summary).upper
  const price = (cachedTokens: number) =>
    pricePrompt(tokensBefore.value, cachedTokens, { prices, cache: model.cache }) +
    (output * prices.output) / 1e6
  return { dollars: { value: price(tokensBefore.value), isEstimated: true }, coldDollars: price(0) }
}
