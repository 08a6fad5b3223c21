import { bisect } from '../conversation/lists.ts'
import { type Message, type Part, renderInput, renderPart } from '../conversation/message.ts'
import {
  createSummaryMessage,
  isSummary,
  isSummaryText,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../conversation/summary-message.ts'
import { clipWords } from '../facts/clip-words.ts'
import {
  createPartSizes,
  findExcessTokens,
  findNewestAnswer,
  type PieceChange,
  planPieceChanges,
  weighPart,
} from './clearing.ts'
import {
  clipInput,
  clipResult,
  clipText,
  measureLeast,
  renderMedia,
  textPart,
} from './clip-text.ts'
import type { CallView, Strategy, StrategyOptions, StrategyView } from './strategy.ts'

/**
 * The order of clipping, from parts that are clipped first to parts that are clipped only if
 * nothing else is enough.
 */
const RANKS = { older: 0, summary: 1, unread: 2, open: 3, request: 4 } as const

// Sizes are estimated: the plan aims this much lower, so that it fits when it is counted.
const AIM = 0.95
// Nothing is clipped to less than a few words, or for less than the note of it takes.
const FLOOR_TOKENS = 40

/**
 * Clips the largest parts, head and tail, all down to one size. No part loses anything while
 * another is larger. Summaries, results that the agent has not seen yet, the words around them and
 * then the last request come last, and only if nothing else is enough. System prompts, tools and
 * open calls are never clipped.
 *
 *   sizes   ▇ ▂ ▅ ▁ ▇ ▃          cap   ▄ ▂ ▄ ▁ ▄ ▃
 */
export const clipParts: Strategy = createClipParts(RANKS.request)

/** The same for what the agent has answered, and nothing else. */
export const clipOlderParts: Strategy = createClipParts(RANKS.summary)

/** The same, and for results that it has not seen yet. */
export const clipResults: Strategy = createClipParts(RANKS.unread)

function createClipParts(lastRank: number): Strategy {
  return {
    name: 'clip-parts',
    summarizes: false,
    plan(view, options) {
      const excess = findExcessTokens(view, options)
      if (typeof excess === 'string') return { noop: excess }
      const clipped = [...findClipped(view, options, lastRank)]
      return planPieceChanges(
        view,
        clipped.map(([item, cap]) => ({ ...item.at, becomes: item.clip(cap) })),
      )
    },
  }
}

/** The items that become smaller, each with its cap in tokens. */
function findClipped(
  view: StrategyView,
  { targetTokens }: StrategyOptions,
  lastRank: number,
): Map<Clippable, number> {
  const items = findClippable(view).filter(({ tokens }) => tokens > FLOOR_TOKENS)
  const clipped = new Map<Clippable, number>()
  let excess = view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens * AIM
  for (let rank = 0; rank <= lastRank && excess > 0; rank++) {
    const ranked = items.filter((item) => item.rank === rank)
    const cap = findCommonCap(ranked, excess)
    for (const item of ranked) {
      const left = leave(item, cap)
      if (left >= item.tokens) continue
      clipped.set(item, cap)
      excess -= item.tokens - left
    }
  }
  return clipped
}

/** The largest cap that cuts enough, or the floor if even that is not enough. */
function findCommonCap(items: readonly Clippable[], excess: number): number {
  const largest = items.reduce((most, { tokens }) => Math.max(most, tokens), FLOOR_TOKENS)
  const steps = Math.ceil(largest) - FLOOR_TOKENS
  const isEnough = (step: number) => {
    const cap = Math.ceil(largest) - step
    return items.reduce((freed, item) => freed + item.tokens - leave(item, cap), 0) >= excess
  }
  return Math.ceil(largest) - bisect(steps, isEnough)
}

function leave(item: Clippable, cap: number): number {
  return item.tokens <= cap ? item.tokens : Math.min(item.leave(cap), item.tokens)
}

/** A text, an input, an image or reasoning. */
interface Clippable {
  readonly at: Omit<PieceChange, 'becomes'>
  readonly tokens: number
  readonly rank: number
  /** Tokens left of it under a cap. */
  leave(capTokens: number): number
  /**
   * Clips to at most about this many tokens. Returns the part itself if it cannot be clipped, and
   * undefined to remove it.
   */
  clip(tokens: number): Part | undefined
}

/** In order of the messages. Nothing of system prompts, calls that wait, or opaque parts. */
function findClippable(view: StrategyView): Clippable[] {
  const { messages } = view.conversation
  const sizes = createPartSizes(view)
  const newestAnswer = findNewestAnswer(messages)
  const called = new Map(
    view.calls.map((call) => [`${call.resultMessage} ${call.resultPart}`, call]),
  )
  const openStart = view.cutPoints.openStart ?? Infinity
  const waiting = new Set(
    view.calls.filter((call) => call.failed === undefined).map((call) => call.message),
  )
  return messages.flatMap((message, index) => {
    if (message.role === 'system') return []
    const rate = sizes.rateOf(index)
    if (isSummary(message)) return findClippableSummary(message, index, rate)
    const rank = view.asked.includes(index)
      ? RANKS.request
      : index >= openStart
        ? RANKS.open
        : RANKS.older
    const mayDropReasoning =
      index < newestAnswer && message.parts.some(({ type }) => type !== 'reasoning')
    const isWaiting = waiting.has(index)
    return message.parts.flatMap((part, position): Clippable[] => {
      // Only the words of an answer that waits for a result may be cut.
      if ((isWaiting && part.type !== 'text') || part.compaction) return []
      const at = { message: index, part: position, place: undefined }
      if (part.type === 'tool-result') {
        const call = called.get(`${index} ${position}`)
        const words = part.output.length === 1 ? call?.output : undefined
        const rest = HOW_TO_READ[call?.kind ?? 'other'] ?? NARROWER
        const clipUnread: typeof clipText = (text, length) => clipResult(text, length, rest)
        const clip = index < openStart ? clipText : clipUnread
        const resultRank = rank === RANKS.open ? RANKS.unread : rank
        return part.output.flatMap((content, place) => {
          const shape = describe(content, rate, view, words, clip)
          return shape ? [{ at: { ...at, place }, rank: resultRank, ...shape }] : []
        })
      }
      if (part.type === 'reasoning' && (!mayDropReasoning || part.isNeeded)) return []
      const shape = describe(
        part,
        rate,
        view,
        undefined,
        message.origin === 'user' ? clipOwn : clipText,
      )
      return shape ? [{ at, rank, ...shape }] : []
    })
  })
}

/** Binding sentences of the user's words stay longest. */
const clipOwn = (text: string, length: number): string =>
  clipWords(text, length, (some) => some.length)

/** The words of a summary. Text that code wrote around them stays. */
function findClippableSummary(message: Message, index: number, rate: number): Clippable[] {
  const summary = readSummary(message) ?? ''
  const ledger = readLedgerText(message)
  // A host may put words of its own next to it.
  const part = message.parts.findIndex((own: Part) => isSummaryText(renderPart(own)))
  if (summary === '' || part < 0) return []
  const clip = (most: number) => {
    const length = Math.floor(most / rate)
    if (summary.length <= length) return message.parts[part]
    return createSummaryMessage(clipText(summary, length), ledger, readRecallText(message)).parts[0]
  }
  const at = { message: index, part, place: undefined }
  return [{ at, rank: RANKS.summary, tokens: summary.length * rate, leave: (cap) => cap, clip }]
}

type Shape = Pick<Clippable, 'tokens' | 'leave' | 'clip'>

const NARROWER = 'Call the tool again for a part of it'
const HOW_TO_READ: Readonly<Partial<Record<CallView['kind'], string>>> = {
  read: 'Read the rest of the file in smaller ranges',
  search: 'Search again for less at a time',
  command: 'Run it again and filter what it prints',
}

/** `words` is the part of a text that counts, if a host put its own text around it. */
function describe(
  part: Part,
  rate: number,
  view: StrategyView,
  words?: string,
  shorten = clipText,
): Shape | undefined {
  const tokens = weighPart(part) * rate
  switch (part.type) {
    case 'text':
      return {
        tokens,
        leave: (cap) => cap,
        clip(most) {
          const length = Math.floor(most / rate)
          if (part.text.length <= length) return part
          const text = shorten(words ?? part.text, length)
          // Next to an image a few words weigh more than they are long.
          return text.length < part.text.length ? { ...part, text } : part
        },
      }
    case 'tool-call': {
      const frame = tokens - renderInput(part.input).length * rate
      const least = frame + measureLeast(part.input) * rate
      const clip = (most: number) => {
        const input = clipInput(part.input, Math.floor((most - frame) / rate))
        return input === part.input ? part : { ...part, input }
      }
      return { tokens, leave: (cap) => Math.max(cap, least), clip }
    }
    // A signature holds for the whole of a thought only.
    case 'reasoning':
      return { tokens, leave: () => 0, clip: () => undefined }
    case 'image':
    case 'file': {
      const placeholder = textPart(renderMedia(part))
      const least = view.countTokens(placeholder.text)
      return { tokens, leave: () => least, clip: () => placeholder }
    }
    case 'opaque':
    case 'tool-result':
      return undefined
  }
}
