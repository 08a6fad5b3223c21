import {
  aCount,
  aFlag,
  aNumber,
  checkArguments,
  checkOptions,
  objects,
} from '../conversation/check-options.ts'
import type { RewriteEdit } from '../conversation/edit.ts'
import { type Message, readText } from '../conversation/message.ts'
import { countBetween } from './ends.ts'
import type { Strategy, StrategyView } from './strategy.ts'

export interface BandOptions {
  /**
   * Ordered and disjoint. Bands may touch and leave gaps. By default 0–50 is heavy and 50–80
   * moderate.
   */
  readonly bands?: readonly Band[]
  /** Whether the user's messages are rewritten too, except the last request. False by default. */
  readonly includeUser?: boolean
  /** Texts with fewer tokens stay unchanged. 50 by default. */
  readonly minTokens?: number
}

/**
 * Turns at positions from `start` up to, but not at, `end`. Both are in percent of all turns,
 * oldest first.
 */
export interface Band {
  readonly start: number
  readonly end: number
  readonly level: BandLevel
}

/** Names of the two levels, or the share of the text to keep, above 0 and below 1. */
export type BandLevel = 'compress' | 'heavy-compress' | number

// coding-agent-manager: 35 % and 10 % of the text.
const LEVELS = { compress: 0.35, 'heavy-compress': 0.1 } as const

const DEFAULT_BANDS: readonly Band[] = [
  { start: 0, end: 50, level: 'heavy-compress' },
  { start: 50, end: 80, level: 'compress' },
]
/** A rewrite of fewer tokens saves less than its call is worth (coding-agent-manager: 50). */
export const DEFAULT_MIN_TOKENS = 50

/**
 * Says the agent's older answers in fewer words, message by message. Calls and results stay. It
 * does not aim at a target: a history within the target stays unchanged, and otherwise everything
 * in the bands is rewritten. Source: coding-agent-manager. Throws `RangeError` if bands are not
 * ordered and disjoint.
 */
export function createBands(options: BandOptions = {}): Strategy {
  checkOptions('Creating bands', options, {
    bands: objects,
    minTokens: aNumber,
    includeUser: aFlag,
  })
  const { bands = DEFAULT_BANDS, minTokens = DEFAULT_MIN_TOKENS, includeUser = false } = options
  checkBands(bands)
  return {
    name: 'bands',
    summarizes: true,
    plan(view, { targetTokens }) {
      if (view.conversation.messages.length === 0) return { noop: 'empty-history' }
      if (view.tokensBefore.at(-1)! + view.fixedTokens <= targetTokens)
        return { noop: 'already-under-target' }
      const edits: RewriteEdit[] = []
      const turnBands = findTurnBands(view.turns.length, bands)
      view.turns.forEach((turn, index) => {
        const band = turnBands[index]
        if (!band) return
        for (let message = turn.start; message < turn.end; message++) {
          if (!mayRewrite(view, message, includeUser)) continue
          const tokens = countTextTokens(view, message, minTokens)
          if (tokens < minTokens) continue
          edits.push({
            type: 'rewrite',
            start: message,
            end: message + 1,
            targetTokens: aim(tokens, band),
          })
        }
      })
      return edits.length > 0 ? { edits } : { noop: 'nothing-eligible' }
    },
  }
}

/** The older half heavily, then up to 80% of the turns moderately. The newest fifth stays. */
export const bands = createBands()

/**
 * The band of each turn. Turn i of n is at i / n · 100. A band contains the positions from its
 * start up to its end.
 *
 *   10 turns     0    10   20   30   40   50   60   70   80   90
 *   0–50, 50–80  ■    ■    ■    ■    ■    □    □    □
 *   95–100                                                    ■
 *
 * If there are few turns, no position is near 100. A band that ends there and would be empty
 * contains the newest turn, which coding-agent-manager leaves out. A single turn stays at position
 * 0.
 */
export function findTurnBands(turnCount: number, bands: readonly Band[]): (Band | undefined)[] {
  checkArguments('Finding bands', { turnCount, bands }, { turnCount: aCount, bands: objects })
  const found: (Band | undefined)[] = []
  let next = 0
  for (let turn = 0; turn < turnCount; turn++) {
    const position = (turn * 100) / turnCount
    while ((bands[next]?.end ?? Infinity) <= position) next++
    const band = bands[next]
    found.push(band && band.start <= position ? band : undefined)
  }
  const last = bands.at(-1)
  const isAlone = turnCount === 1 && found[0] !== undefined
  if (turnCount > 0 && !isAlone && last?.end === 100 && !found.includes(last))
    found[turnCount - 1] = last
  return found
}

// A call for less would only fail, as for 10 % of a short text.
const SENTENCE_TOKENS = 20

/** The share that the level leaves, or space for a sentence if that is at most half of the text. */
function aim(tokens: number, { level }: Band): number {
  return Math.max(
    Math.ceil(tokens * readLevel(level)),
    Math.min(SENTENCE_TOKENS, Math.floor(tokens / 2)),
  )
}

/**
 * Whether it is the agent's text or, on request, the user's: never the last request, calls that the
 * agent has not answered yet, or what the provider's compaction replaces.
 */
function mayRewrite(view: StrategyView, index: number, includeUser: boolean): boolean {
  const message: Message | undefined = view.conversation.messages[index]
  const { fixedEnd, openStart = Infinity } = view.cutPoints
  if (!message || index < fixedEnd || index >= openStart) return false
  if (message.role === 'assistant') return message.origin === 'agent'
  return (
    includeUser &&
    message.role === 'user' &&
    message.origin === 'user' &&
    index !== view.lastUserRequest
  )
}

/** The tokens of its text. 0 if the whole message is too small. */
function countTextTokens(view: StrategyView, index: number, minTokens: number): number {
  const message = view.conversation.messages[index]
  if (!message || countBetween(view, index, index + 1) < minTokens) return 0
  const text = readText(message)
  return text === '' ? 0 : view.countTokens(text)
}

export function readLevel(level: BandLevel): number {
  return typeof level === 'number' ? level : LEVELS[level]
}

export function checkBands(bands: readonly Band[]): readonly Band[] {
  bands.forEach((band, index) => {
    const { start, end, level } = band
    const found = `Reading bands: found ${renderBand(band)}`
    if (!(start >= 0 && end <= 100 && start < end)) {
      throw new RangeError(
        `${found}. A band must start below its end, both from 0 to 100 percent of the turns.`,
      )
    }
    const ratio = readLevel(level)
    if (!(ratio > 0 && ratio < 1)) {
      const allowed = 'Give "compress", "heavy-compress" or a share above 0 and below 1.'
      throw new RangeError(
        `Reading bands: found level ${String(level)} in ${renderBand(band)}. ${allowed}`,
      )
    }
    const previous = bands[index - 1]
    if (previous && start < previous.end) {
      const after = `${found} after ${renderBand(previous)}`
      throw new RangeError(`${after}. Bands must be in order and must not overlap; they may touch.`)
    }
  })
  return bands
}

function renderBand({ start, end }: Band): string {
  return `${start}–${end}`
}
