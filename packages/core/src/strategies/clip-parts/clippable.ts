/** What can be made shorter one by one, without asking what it means. */
import { type Message, type Part, renderInput } from '../../conversation/message.ts'
import {
  createSummaryMessage,
  isSummary,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../../conversation/summary-message.ts'
import { findNewestAnswer } from '../newest-answer.ts'
import { createPartSizes, weighPart } from '../part-sizes.ts'
import type { CallView, StrategyView } from '../strategy.ts'
import { renderMedia, textPart } from '../stub.ts'
import { clipInput, clipResult, clipText, measureLeast } from './clip-text.ts'

/** A text, an input, an image, a train of thought; inside of a result when `place` is given. */
export interface Clippable {
  readonly message: number
  readonly part: number
  readonly place: number | undefined
  readonly tokens: number
  readonly rank: number
  /** What is left of it under a cap, in tokens. */
  leave(capTokens: number): number
  /** In at most about so many tokens; the part itself when it can not be clipped, undefined takes it away. */
  clip(tokens: number): Part | undefined
}

/** The order of clipping: what is clipped first, and what only when nothing else suffices. */
export const RANKS = { older: 0, summary: 1, unread: 2, open: 3, request: 4 } as const

/** In order of the messages. Nothing of system prompts, calls that wait, or what is carried without being understood. */
export function findClippable(view: StrategyView): Clippable[] {
  const { messages } = view.conversation
  const sizes = createPartSizes(view)
  const newestAnswer = findNewestAnswer(messages)
  const called = new Map(view.calls.map((call) => [`${call.resultMessage} ${call.resultPart}`, call]))
  const openStart = view.cutPoints.openStart ?? Infinity
  const waiting = new Set(view.calls.filter((call) => call.failed === undefined).map((call) => call.message))
  return messages.flatMap((message, index) => {
    if (message.role === 'system') return []
    const rate = sizes.rateOf(index)
    if (isSummary(message)) return findClippableSummary(message, index, rate)
    const rank = index === view.lastUserRequest ? RANKS.request : index >= openStart ? RANKS.open : RANKS.older
    const mayDropReasoning = index < newestAnswer && message.parts.some(({ type }) => type !== 'reasoning')
    const isWaiting = waiting.has(index)
    return message.parts.flatMap((part, position): Clippable[] => {
      // Of an answer that waits for a result only the words may be cut.
      if (isWaiting && part.type !== 'text') return []
      const at = { message: index, part: position, place: undefined, rank }
      if (part.type === 'tool-result') {
        const call = called.get(`${index} ${position}`)
        const words = part.output.length === 1 ? call?.output : undefined
        const clip = index < openStart ? clipText : clipUnread(call)
        const resultRank = rank === RANKS.open ? RANKS.unread : rank
        return part.output.flatMap((content, place) => {
          const shape = describe(content, rate, view, words, clip)
          return shape ? [{ ...at, rank: resultRank, place, ...shape }] : []
        })
      }
      if (part.type === 'reasoning' && !mayDropReasoning) return []
      const shape = describe(part, rate, view)
      return shape ? [{ ...at, ...shape }] : []
    })
  })
}

/** The words of a summary; what code wrote around them stands. */
function findClippableSummary(message: Message, index: number, rate: number): Clippable[] {
  const summary = readSummary(message) ?? ''
  const ledger = readLedgerText(message)
  const part = message.parts.findIndex(({ type }) => type === 'text')
  if (summary === '' || part < 0) return []
  const clip = (most: number) => {
    const length = Math.floor(most / rate)
    if (summary.length <= length) return message.parts[part]
    return createSummaryMessage(clipText(summary, length), ledger, readRecallText(message)).parts[0]
  }
  return [
    {
      message: index,
      part,
      place: undefined,
      rank: RANKS.summary,
      tokens: summary.length * rate,
      leave: (cap) => cap,
      clip,
    },
  ]
}

type Shape = Pick<Clippable, 'tokens' | 'leave' | 'clip'>

function clipUnread(call: CallView | undefined) {
  return (text: string, length: number): string => clipResult(text, length, HOW_TO_READ[call?.kind ?? 'other'])
}

const NARROWER = 'Call the tool again for a part of it'
const HOW_TO_READ: Readonly<Record<CallView['kind'], string>> = {
  read: 'Read the rest of the file in smaller ranges',
  search: 'Search again for less at a time',
  command: 'Run it again and filter what it prints',
  write: NARROWER,
  plan: NARROWER,
  delegate: NARROWER,
  other: NARROWER,
}

/** `words` is what counts of a text, where a host put its own around it. */
function describe(part: Part, rate: number, view: StrategyView, words?: string, shorten = clipText): Shape | undefined {
  const tokens = weighPart(part) * rate
  switch (part.type) {
    case 'text':
      return {
        tokens,
        leave: (cap) => cap,
        clip(most) {
          const length = Math.floor(most / rate)
          if (part.text.length <= length) return part
          return { ...part, text: shorten(words ?? part.text, length) }
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
