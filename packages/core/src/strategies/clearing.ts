/**
 * Shared by all clearing strategies: which parts are old enough, how large they are, and the
 * plan that changes them.
 */

import { aNumber, aShareOrNone, type Kind, oneMember } from '../conversation/check-options.ts'
import type { AppliedEdit } from '../conversation/edit.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Part,
  renderInput,
  type ToolResultPart,
} from '../conversation/message.ts'
import { atOnce, type Steps } from '../conversation/steps.ts'
import { countBetween } from './ends.ts'
import type {
  CallView,
  NoopReason,
  Plan,
  Strategy,
  StrategyOptions,
  StrategyView,
} from './strategy.ts'

/** New parts instead of one. An empty list removes the part. */
export interface PartChange {
  readonly message: number
  readonly part: number
  readonly becomes: readonly Part[]
}

/** Changes that are made together or not at all. */
export interface Clearing {
  readonly changes: readonly PartChange[]
  readonly freedTokens: number
}

/** Tokens that have to go, or why nothing has to. */
export function findExcessTokens(
  view: StrategyView,
  { targetTokens }: StrategyOptions,
): number | NoopReason {
  if (view.conversation.messages.length === view.cutPoints.fixedEnd) return 'empty-history'
  const excess = view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens
  return excess <= 0 ? 'already-under-target' : excess
}

/**
 * The plans of a strategy that clears. Undefined among the found clearings is a step of the work.
 */
export function clearBy(
  find: (view: StrategyView) => Iterable<Clearing | undefined>,
): Required<Pick<Strategy, 'plan' | 'planInSteps'>> {
  const planInSteps = (view: StrategyView, options: StrategyOptions) =>
    planClearings(view, options, () => find(view))
  return { planInSteps, plan: (view, options) => atOnce(planInSteps(view, options)) }
}

/**
 * Takes clearings in their order until enough is freed, or all of them for a target of 0. Each is
 * found when its turn comes.
 */
function* planClearings(
  view: StrategyView,
  options: StrategyOptions,
  findClearings: () => Iterable<Clearing | undefined>,
): Steps<Plan> {
  const excess = findExcessTokens(view, options)
  if (typeof excess === 'string') return { noop: excess }
  let freedTokens = 0
  const changes: PartChange[] = []
  for (const clearing of findClearings()) {
    yield
    if (!clearing || clearing.freedTokens <= 0) continue
    changes.push(...clearing.changes)
    freedTokens += clearing.freedTokens
    if (freedTokens >= excess && options.targetTokens > 0) break
  }
  return planPartChanges(view, changes)
}

/** One edit per changed message: other parts, or removal if no part is left. */
function planPartChanges({ conversation }: StrategyView, changes: readonly PartChange[]): Plan {
  const byMessage = new Map<number, Map<number, readonly Part[]>>()
  for (const { message, part, becomes } of changes) {
    byMessage.set(
      message,
      (byMessage.get(message) ?? new Map<number, readonly Part[]>()).set(part, becomes),
    )
  }
  const edits = [...byMessage].map(([start, changed]): AppliedEdit => {
    const message = conversation.messages[start]!
    const parts = message.parts.flatMap(
      (part, place): readonly Part[] => changed.get(place) ?? [part],
    )
    if (parts.length === 0) return { type: 'drop', start, end: start + 1 }
    return { type: 'replace', start, end: start + 1, messages: [withOtherParts(message, parts)] }
  })
  return edits.length > 0
    ? { edits: edits.sort((a, b) => a.start - b.start) }
    : { noop: 'nothing-eligible' }
}

/** Leaves out parts that the role of the message cannot have: a change never brings one. */
function withOtherParts(message: Message, parts: readonly Part[]): Message {
  switch (message.role) {
    case 'system':
    case 'user':
      return { ...message, parts: parts.filter(isContentPart) }
    case 'assistant':
      return { ...message, parts: parts.filter((part) => part.type !== 'tool-result') }
    case 'tool':
      return {
        ...message,
        parts: parts.filter((part) => part.type === 'tool-result' || part.type === 'opaque'),
      }
  }
}

/**
 * A new part instead of one, or instead of a piece inside a result's output if `place` is given.
 * Undefined removes it.
 */
export interface PieceChange {
  readonly message: number
  readonly part: number
  readonly place: number | undefined
  readonly becomes: Part | undefined
}

/** Plans changes of parts and, together for each result, of pieces inside its output. */
export function planPieceChanges(view: StrategyView, pieces: readonly PieceChange[]): Plan {
  const changes: PartChange[] = []
  const outputs = new Map<string, PartChange & { readonly output: ContentPart[] }>()
  for (const { message, part, place, becomes } of pieces) {
    const own = view.conversation.messages[message]?.parts[part]
    if (place === undefined || own?.type !== 'tool-result') {
      if (becomes !== own) changes.push({ message, part, becomes: becomes ? [becomes] : [] })
    } else if (becomes && isContentPart(becomes) && becomes !== own.output[place]) {
      const key = `${message} ${part}`
      const output = outputs.get(key)?.output ?? [...own.output]
      output[place] = becomes
      outputs.set(key, { message, part, output, becomes: [{ ...own, output }] })
    }
  }
  return planPartChanges(view, [...changes, ...outputs.values()])
}

/**
 * The tokens of a message are shared out by length, which is uneven: so much of them is counted as
 * freed.
 */
export const FREED_SHARE = 0.97

/**
 * Divides the tokens of messages among their parts by length. Counting every part would cost as
 * much as counting the messages again.
 */
export interface PartSizes {
  tokensOf(message: number, part: number): number
  /** Tokens per unit of `weighPart`. For text: per character. */
  rateOf(message: number): number
}

const CHARACTERS_PER_TOKEN = 4
// What providers add around a call and its result (docs/tokens.md#overhead), in characters.
const CALL_FRAME = 100
const RESULT_FRAME = 50
const MESSAGE_FRAME = 16
const PIXELS_PER_TOKEN = 750
// An image of unknown size counts as a screenshot.
const ASSUMED_IMAGE_TOKENS = 1_500
const TOKENS_PER_FILE_BYTE = 0.03
const TOKENS_PER_PAGE = 3_000

/** Each message is weighed once, when first asked for. */
export function createPartSizes(view: StrategyView): PartSizes {
  const known = new Map<number, { readonly weights: readonly number[]; readonly rate: number }>()
  const measure = (message: number) => {
    const before = known.get(message)
    if (before) return before
    const weights = view.conversation.messages[message]?.parts.map(weighPart) ?? []
    const total = weights.reduce((sum, weight) => sum + weight, MESSAGE_FRAME)
    const measured = { weights, rate: countBetween(view, message, message + 1) / total }
    known.set(message, measured)
    return measured
  }
  return {
    tokensOf(message, part) {
      const { weights, rate } = measure(message)
      return (weights[part] ?? 0) * rate
    },
    rateOf: (message) => measure(message).rate,
  }
}

/** Length of a part in characters, of media in as many as would take their tokens. */
export function weighPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'opaque':
      return part.text.length
    case 'reasoning':
      return Math.max(part.text.length, part.signatureLength)
    case 'tool-call':
      return CALL_FRAME + part.name.length + renderInput(part.input).length
    case 'tool-result':
      return part.output.reduce((sum, content) => sum + weighPart(content), RESULT_FRAME)
    case 'image': {
      const { width, height } = part
      const isMeasured = width !== undefined && height !== undefined
      return (
        CHARACTERS_PER_TOKEN *
        (isMeasured ? (width * height) / PIXELS_PER_TOKEN : ASSUMED_IMAGE_TOKENS)
      )
    }
    case 'file':
      return (
        CHARACTERS_PER_TOKEN *
        (part.pages === undefined
          ? part.bytes * TOKENS_PER_FILE_BYTE
          : part.pages * TOKENS_PER_PAGE)
      )
  }
}

/** The oldest share of the turns, or everything older than the newest tokens of a kind. */
export type Zone = { readonly fraction: number } | { readonly keepTokens: number }

interface ZoneItem {
  readonly message: number
  readonly tokens: number
}

/** What a `Zone` may be. */
export const aZone: Kind = oneMember({ fraction: aShareOrNone, keepTokens: aNumber })

/**
 * The end of the zone, exclusive, never inside the newest answer. `items` ascend. Their tokens are
 * those that `keepTokens` counts.
 */
export function findZoneEnd(view: StrategyView, zone: Zone, items: readonly ZoneItem[]): number {
  const end =
    'fraction' in zone
      ? findFractionEnd(view, zone.fraction)
      : findTokensEnd(items, zone.keepTokens)
  return Math.min(end, findOpenAnswer(view))
}

/** The first `floor(turns × fraction)` turns and what comes before them (coding-agent-manager). */
function findFractionEnd({ turns, conversation }: StrategyView, fraction: number): number {
  const count = conversation.messages.length
  const turnCount = Math.floor(turns.length * fraction)
  // An agent may work for hours on one request: a share of too few turns is a share of the
  // messages.
  if (turnCount === 0) return Math.floor(count * fraction)
  return turns[turnCount]?.start ?? count
}

function findTokensEnd(items: readonly ZoneItem[], keepTokens: number): number {
  let tokens = 0
  const last = items.findLast((item) => {
    tokens += item.tokens
    return tokens > keepTokens
  })
  return last ? last.message + 1 : 0
}

/**
 * The beginning of the agent's newest answer, including neighboring answers. Nothing from here on
 * is final. The agent may not have read its results yet, and Anthropic refuses a newest answer with
 * changed reasoning.
 */
export function findNewestAnswer(messages: readonly Message[]): number {
  let start = messages.findLastIndex(({ role }) => role === 'assistant')
  if (start < 0) return messages.length
  while (messages[start - 1]?.role === 'assistant') start--
  return start
}

/** The first message that is not final: of the newest answer, or with a call that still waits. */
export function findOpenAnswer(view: StrategyView): number {
  return Math.min(
    findNewestAnswer(view.conversation.messages),
    view.cutPoints.pendingStart ?? Infinity,
  )
}

/**
 * One clearing per answer in the zone, oldest first. An answer of nothing but reasoning keeps it:
 * it would be empty.
 */
export function findOldReasoning(view: StrategyView, sizes: PartSizes, zone: Zone): Clearing[] {
  const { messages } = view.conversation
  const found: (ZoneItem & Clearing)[] = []
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || message.parts.every(({ type }) => type === 'reasoning'))
      return
    const changes = message.parts.flatMap((part, place) =>
      part.type === 'reasoning' && !part.isNeeded
        ? [{ message: index, part: place, becomes: [] }]
        : [],
    )
    if (changes.length === 0) return
    const tokens = changes.reduce((sum, { part }) => sum + sizes.tokensOf(index, part), 0)
    found.push({ message: index, tokens, changes, freedTokens: Math.max(tokens * FREED_SHARE, 1) })
  })
  const end = findZoneEnd(view, zone, found)
  return found.filter(({ message }) => message < end)
}

// A short text is counted: it costs little, and its share of its message may be far off.
const COUNTED_CHARACTERS = 1_500

/** The result of a call. Undefined while there is no result. */
export function findResult(
  view: StrategyView,
  { resultMessage, resultPart }: CallView,
): ToolResultPart | undefined {
  if (resultMessage === undefined || resultPart === undefined) return undefined
  const part = view.conversation.messages[resultMessage]?.parts[resultPart]
  return part?.type === 'tool-result' ? part : undefined
}

/**
 * Another output for a call, with the rest of the result unchanged. Undefined if that frees
 * nothing.
 */
export function clearResult(
  view: StrategyView,
  sizes: PartSizes,
  call: CallView,
  output: readonly ContentPart[],
): Clearing | undefined {
  const result = findResult(view, call)
  if (!result || call.resultMessage === undefined || call.resultPart === undefined) return undefined
  const rate = sizes.rateOf(call.resultMessage)
  const measure = (part: ContentPart) =>
    part.type === 'text' && part.text.length <= COUNTED_CHARACTERS
      ? view.countTokens(part.text)
      : weighPart(part) * rate * FREED_SHARE
  const sum = (parts: readonly ContentPart[]) =>
    parts.reduce((tokens, part) => tokens + measure(part), 0)
  const freedTokens = sum(result.output) - sum(output)
  if (freedTokens <= 0) return undefined
  const change = {
    message: call.resultMessage,
    part: call.resultPart,
    becomes: [{ ...result, output }],
  }
  return { changes: [change], freedTokens }
}
