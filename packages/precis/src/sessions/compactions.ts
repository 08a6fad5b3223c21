/** What the compactions that happened in a session have cost: words of the user, facts, money. */
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { type Conversation, createTokenCounter, findModel, type Message } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { pricePrompt, priceTokens } from '@precis/core/engine'
import {
  createTextSearch,
  findCompactionLosses,
  findLostSentences,
  findLostWords,
  flatten,
  type GoneFact,
} from '@precis/core/facts'
import { type ByteSource, FormatError } from '@precis/core/formats'
import type { Agent, Measured, RecordedCompaction } from '../agents/shared/agent.ts'
import { bisect } from '../files/lists.ts'
import type { ReadRequest } from './read-usage.ts'
import { searchHistories } from './search-histories.ts'
import { openStretches } from './session-stretches.ts'

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
  readonly words: CountedWords
  /** Undefined if only the provider can read the summary. */
  readonly facts: LostFacts | undefined
}

/** The user's earlier messages. Each is in exactly one of the other three counts. */
interface CountedWords {
  readonly total: number
  /** Verbatim, even if only the summary quotes them. */
  readonly verbatim: number
  /** Their beginning is there. */
  readonly clipped: number
  readonly missing: number
  /**
   * At most three sentences of the user that no later request contains, the latest first. Sentences
   * of one line with a binding word, or else the beginnings of messages. Those of one line come
   * before those of several, most of which were pasted.
   */
  readonly sentences: readonly ShownSentence[]
}

interface ShownSentence {
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

interface ReadCompactionsOptions {
  /** All requests of the session, if they were read. */
  readonly requests?: readonly ReadRequest[]
  /** Whether lost words are counted, and neither sentences nor facts are looked for. */
  readonly isBrief?: boolean
}

/** In order. Reads the whole document, and leaves out unreadable parts. */
export function readSessionCompactions(
  agent: Agent,
  source: ByteSource,
  { requests, isBrief = false }: ReadCompactionsOptions = {},
): SessionCompaction[] {
  const compactions = agent.readCompactions?.(source) ?? []
  if (compactions.length === 0) return []
  const billed = requests ?? agent.readRequests(source)
  const stretches = openStretches(source, agent)
  // What one compaction kept, it kept of what followed the one before.
  const findStart = (index: number) =>
    compactions[compactions[index - 1]?.isWhole ? index - 1 : index - 2]?.record ?? 0
  const read = (start: number, end: number): Stretch => ({
    conversation: agent.format.parse(stretches.read(start, end)),
    findRecord: (message) => {
      const [own] = message?.records ?? []
      return own === undefined ? undefined : stretches.findRecord(start, own)
    },
  })
  const measured = compactions.map((compaction, index) =>
    measureLoss(compaction, { start: findStart(index), read, isBrief }),
  )
  const sentences = findUnsaid(measured, {
    readPresent: () => read(findStart(compactions.length), Number.POSITIVE_INFINITY),
    // Without a timeline, the agent's whole history is not known.
    findTurns: agent.readTimeline ? (all) => openTurns(all, compactions) : () => () => undefined,
  })
  return compactions.map((compaction, index) => {
    const { lost } = measured[index] ?? {}
    return {
      ...compaction,
      lost: lost && { ...lost, words: { ...lost.words, sentences: sentences[index] ?? [] } },
      cost: priceCompaction(compaction, billed),
      model: findWriter(compaction, billed)?.model,
    }
  })
}

/** A part of the session, as the agent sent it at the end of that part. */
interface Stretch {
  readonly conversation: Conversation
  /** The number in the whole session of the first record of a message. */
  readonly findRecord: (message: Message | undefined) => number | undefined
}

interface MeasuredLoss {
  readonly lost: Omit<CompactionLoss, 'words'> & { readonly words: Omit<CountedWords, 'sentences'> }
  readonly before: Stretch
  /** Candidates, the best group first: what later requests say is not known yet. */
  readonly sentences: readonly (readonly PlacedSentence[])[]
}

interface PlacedSentence extends Omit<ShownSentence, 'turn'> {
  readonly record: number | undefined
}

interface MeasureOptions {
  /** The first record of what was sent before. */
  readonly start: number
  readonly read: (start: number, end: number) => Stretch
  readonly isBrief: boolean
}

function measureLoss(
  { record, lastRecord, summary, isWhole }: RecordedCompaction,
  { start, read, isBrief }: MeasureOptions,
): MeasuredLoss | undefined {
  try {
    const stretch = read(start, record)
    const before = stretch.conversation
    const { messages: after } = read(isWhole ? record : start, lastRecord + 1).conversation
    const compacted = { before, after }
    const named = isBrief ? undefined : findCompactionLosses(compacted)
    const { words, ledger } = named ?? findLostWords(compacted)
    const findState = openWords(after)
    const clipped = ledger.words.filter(({ text }) => findState(text) !== 'gone').length
    const counts = {
      total: words.total,
      verbatim: words.total - words.gone,
      clipped,
      missing: words.gone - clipped,
    }
    if (!named) return { before: stretch, sentences: [], lost: { words: counts, facts: undefined } }
    const findRecord = (message: number | undefined) =>
      stretch.findRecord(before.messages[message ?? -1])
    const weightiest = named.weightiest
      .slice(0, MOST_NAMED)
      .map(({ kind, text, writer, count, message }) => ({
        kind,
        text,
        writer,
        count,
        record: findRecord(message),
      }))
    return {
      before: stretch,
      sentences: findLostSentences(ledger).map((group) =>
        group
          .filter(({ text }) => findState(text) === 'gone')
          .map(({ message, ...sentence }) => ({ ...sentence, record: findRecord(message) })),
      ),
      lost: {
        words: counts,
        facts:
          summary === undefined
            ? undefined
            : { total: named.facts.total, lost: named.facts.gone, weightiest },
      },
    }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

interface WholeHistory {
  readonly readPresent: () => Stretch
  /** The turn of a record, from 1, by all stretches of a session. */
  readonly findTurns: (
    stretches: readonly (Stretch | undefined)[],
  ) => (record: number | undefined) => number | undefined
}

/** The sentences of each compaction that neither a later history nor the present one contains. */
function findUnsaid(
  measured: readonly (MeasuredLoss | undefined)[],
  { readPresent, findTurns }: WholeHistory,
): ShownSentence[][] {
  if (!measured.some((one) => one?.sentences.some(({ length }) => length > 0))) return []
  let present: Stretch
  try {
    present = readPresent()
  } catch (error) {
    if (error instanceof FormatError) return []
    throw error
  }
  const histories = [...measured.map((one) => one?.before), present]
  const findTurn = findTurns(histories)
  const all = measured.flatMap((one) => one?.sentences.flat() ?? [])
  const findLatest = searchHistories(
    histories.map((history) => history?.conversation.messages),
    all.map(({ text }) => text),
  )
  const named = new Set<string>()
  const found = [...measured.entries()].reverse().map(([index, one]) => {
    const shown: PlacedSentence[] = []
    for (const group of one?.sentences ?? []) {
      for (const sentence of group) {
        const { text } = sentence
        if (shown.length === MOST_SENTENCES) break
        if (named.has(text) || findLatest(text) > index) continue
        named.add(text)
        shown.push(sentence)
      }
      if (shown.length > 0) break
    }
    return shown.map(({ text, record, isBinding }) => ({ text, turn: findTurn(record), isBinding }))
  })
  return found.toReversed()
}

function openTurns(
  stretches: readonly (Stretch | undefined)[],
  compactions: readonly RecordedCompaction[],
): (record: number | undefined) => number | undefined {
  const requests = new Set<number>()
  let last = -1
  const ends = compactions.map(({ lastRecord }) => (last = Math.max(last, lastRecord)))
  // What a compaction wrote again is the request of an earlier record.
  const isAgain = (record: number) => {
    const count = bisect(compactions.length, (index) => compactions[index]!.record > record)
    return record <= (ends[count - 1] ?? -1)
  }
  for (const stretch of stretches) {
    if (!stretch) return () => undefined
    const { conversation, findRecord } = stretch
    for (const message of conversation.messages) {
      const record = isUserRequest(message) ? findRecord(message) : undefined
      if (record !== undefined && !isAgain(record)) requests.add(record)
    }
  }
  const ordered = [...requests].sort((a, b) => a - b)
  return (record) =>
    record === undefined ? undefined : bisect(ordered.length, (index) => ordered[index]! > record)
}

const MOST_SENTENCES = 3

const MOST_NAMED = 10
// Shorter beginnings are of many messages.
const BEGINNING = 60

/**
 * Looks up a user's text in the history with which an agent continues. White space does not count.
 */
export function openWords(
  after: readonly Message[],
): (text: string) => 'word for word' | 'shortened' | 'gone' {
  const says = createTextSearch(after)
  const said = flatten(after.map(readText).join('\n'))
  return (text) => {
    if (says(text)) return 'word for word'
    const flat = flatten(text)
    return flat.length > BEGINNING && said.includes(flat.slice(0, BEGINNING)) ? 'shortened' : 'gone'
  }
}

const findWriter = (
  { record, request }: Pick<RecordedCompaction, 'record' | 'request'>,
  requests: readonly ReadRequest[],
): ReadRequest | undefined => request ?? requests.findLast((other) => other.record < record)

function priceCompaction(
  { by, record, request, summary, tokensBefore }: RecordedCompaction,
  requests: readonly ReadRequest[],
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
