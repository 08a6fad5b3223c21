/** What the compactions that happened in a session have cost: words of the user, facts, money. */
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { type Conversation, createTokenCounter, findModel, type Message } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { pricePrompt, priceTokens } from '@precis/core/engine'
import { clipSentence, findCompactionLosses, flatten, type GoneFact } from '@precis/core/facts'
import { type ByteSource, FormatError } from '@precis/core/formats'
import type { Agent, BilledRequest, Measured, RecordedCompaction } from '../agents/shared/agent.ts'
import { openStretches, type SessionStretches } from './session-stretches.ts'

export interface SessionCompaction extends RecordedCompaction {
  /** Undefined if the history before or after it cannot be read. */
  readonly lost: CompactionLoss | undefined
  /** Undefined if the price of the model is unknown. */
  readonly cost: CompactionCost | undefined
  /** The model that wrote it: its own request, or else the request before. */
  readonly model: string | undefined
}

/** The history that was sent just before a compaction against the one just after it. */
interface CompactionLoss {
  readonly words: LostWords
  /** Undefined if only the provider can read the summary. */
  readonly facts: LostFacts | undefined
}

/** The user's earlier messages. Each is in exactly one of the other three counts. */
interface LostWords {
  readonly total: number
  /** Verbatim, even if only the summary quotes them. */
  readonly verbatim: number
  /** Their beginning is there. */
  readonly clipped: number
  readonly missing: number
  /**
   * At most three sentences of the user that no later request contains. Sentences with a binding
   * word come first, by their importance. Without any, the beginnings of the latest messages.
   */
  readonly sentences: readonly LostSentence[]
}

interface LostSentence {
  /** One line, cut at the end of a word if it is long. */
  readonly text: string
  /** The turn that said it last, from 1, over the whole session. Undefined if it is unknown. */
  readonly turn: number | undefined
  /** Whether it has a word that binds. */
  readonly isBinding: boolean
}

interface LostFacts {
  /** Facts of the history before that nothing later had made stale. */
  readonly total: number
  readonly lost: number
  /** At most ten lost facts, the most important first. The user's words are not among them. */
  readonly weightiest: readonly LostFact[]
}

interface LostFact extends Pick<GoneFact, 'kind' | 'text' | 'writer' | 'count'> {
  /** Number of the native record that said it last. */
  readonly record: number | undefined
}

/** US dollars at list prices of the request that wrote the summary. */
interface CompactionCost {
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
  // What one compaction kept, it kept of what followed the one before.
  const findStart = (index: number) => compactions[index - 2]?.record ?? 0
  const measured = compactions.map((compaction, index) =>
    measureLoss(agent, stretches, findStart(index), compaction),
  )
  const sentences = findUnsaid(agent, source, measured, () =>
    readStretch(agent, stretches, findStart(compactions.length), Number.POSITIVE_INFINITY),
  )
  return compactions.map((compaction, index) => {
    const { lost } = measured[index] ?? {}
    return {
      ...compaction,
      lost: lost && { ...lost, words: { ...lost.words, sentences: sentences[index] ?? [] } },
      cost: priceCompaction(compaction, requests),
      model: findWriter(compaction, requests)?.model,
    }
  })
}

interface MeasuredLoss {
  readonly lost: Omit<CompactionLoss, 'words'> & { readonly words: Omit<LostWords, 'sentences'> }
  readonly before: readonly Message[]
  /** Candidates: what later requests say is not known yet. */
  readonly sentences: readonly {
    readonly text: string
    readonly record: number | undefined
    readonly isBinding: boolean
  }[]
}

function readStretch(agent: Agent, stretches: SessionStretches, start: number, end: number) {
  return agent.format.parse(stretches.read(start, end))
}

function measureLoss(
  agent: Agent,
  stretches: SessionStretches,
  start: number,
  { record, lastRecord, summary, isWhole }: RecordedCompaction,
): MeasuredLoss | undefined {
  try {
    const before = readStretch(agent, stretches, start, record)
    const { messages: after } = readStretch(
      agent,
      stretches,
      isWhole ? record : start,
      lastRecord + 1,
    )
    const { words, facts, ledger, ...gone } = findCompactionLosses({ before, after })
    const findState = openWords(after)
    const clipped = ledger.words.filter(({ text }) => findState(text) !== 'gone').length
    const findRecord = (message: number | undefined) => {
      const own = message === undefined ? undefined : before.messages[message]?.records?.[0]
      return own === undefined ? undefined : stretches.findRecord(start, own)
    }
    const named = gone.weightiest
      .slice(0, MOST_NAMED)
      .map(({ kind, text, writer, count, message }) => ({
        kind,
        text,
        writer,
        count,
        record: findRecord(message),
      }))
    const missing = ledger.words.filter(({ text }) => findState(text) === 'gone').toReversed()
    return {
      before: before.messages,
      sentences: [
        ...gone.sentences.map((sentence) => ({ ...sentence, isBinding: true })),
        ...missing.map((said) => ({ ...said, text: clipSentence(said.text), isBinding: false })),
      ].map(({ text, message, isBinding }) => ({ text, isBinding, record: findRecord(message) })),
      lost: {
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
      },
    }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** The sentences of each compaction that neither a later history nor the present one contains. */
function findUnsaid(
  agent: Agent,
  source: ByteSource,
  measured: readonly (MeasuredLoss | undefined)[],
  readPresent: () => Conversation,
): LostSentence[][] {
  if (measured.every((one) => !one?.sentences.length)) return []
  const later = createSearch()
  try {
    later.add(readPresent().messages)
  } catch (error) {
    if (error instanceof FormatError) return []
    throw error
  }
  const requests = listRequestRecords(agent, source)
  const findTurn = (record: number | undefined) =>
    requests && record !== undefined
      ? requests.filter((request) => request <= record).length
      : undefined
  const named = new Set<string>()
  const found = measured.toReversed().map((one) => {
    const findFirst = (isBinding: boolean) => {
      const unsaid: MeasuredLoss['sentences'][number][] = []
      for (const sentence of one?.sentences ?? []) {
        if (unsaid.length === MOST_SENTENCES) break
        const { text } = sentence
        if (sentence.isBinding === isBinding && !named.has(text) && !later.contains(text))
          unsaid.push(sentence)
      }
      return unsaid
    }
    const binding = findFirst(true)
    const shown = binding.length > 0 ? binding : findFirst(false)
    for (const { text } of shown) named.add(text)
    if (one) later.add(one.before)
    return shown.map(({ text, record, isBinding }) => ({ text, turn: findTurn(record), isBinding }))
  })
  return found.toReversed()
}

/** Records of the user's requests. Undefined if the agent's whole history is not known. */
const listRequestRecords = (agent: Agent, source: ByteSource): number[] | undefined =>
  agent
    .readTimeline?.(source)
    .timed.flatMap(({ message, records }) =>
      isUserRequest(message) && records[0] !== undefined ? records[0] : [],
    )

const MOST_SENTENCES = 3

/** Histories of a session repeat each other: each message is kept and searched once. */
function createSearch() {
  const said = new Set<string>()
  return {
    add(messages: readonly Message[]): void {
      for (const message of messages) said.add(flatten(readText(message)))
    },
    /** Whether a message contains a text, or all of it before the mark of a cut. */
    contains(text: string): boolean {
      const sought = flatten(text.endsWith('…') ? text.slice(0, -1) : text)
      for (const one of said) if (one.includes(sought)) return true
      return false
    },
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
  const said = flatten(after.map(readText).join('\n'))
  return (text) => {
    const flat = flatten(text)
    if (said.includes(flat)) return 'word for word'
    return flat.length > BEGINNING && said.includes(flat.slice(0, BEGINNING)) ? 'shortened' : 'gone'
  }
}

const findWriter = (
  { record, request }: Pick<RecordedCompaction, 'record' | 'request'>,
  requests: readonly BilledRequest[],
): BilledRequest | undefined => request ?? requests.findLast((other) => other.record < record)

function priceCompaction(
  { by, record, request, summary, tokensBefore }: RecordedCompaction,
  requests: readonly BilledRequest[],
): CompactionCost | undefined {
  // No model was asked.
  if (by === 'precis') return { dollars: { value: 0, isEstimated: false }, coldDollars: undefined }
  const writer = findWriter({ record, request }, requests)
  const model = writer && findModel(writer.model)
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
