import { findBondedParts } from '../conversation/bonds.ts'
import { checkOptions, oneOf, texts } from '../conversation/check-options.ts'
import { type ContentPart, type Part, renderInput } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { cutBefore } from '../text/clip-line.ts'
import {
  aZone,
  type Clearing,
  clearBy,
  clearResult,
  createPartSizes,
  FREED_SHARE,
  findOldReasoning,
  findOpenAnswer,
  findResult,
  findZoneEnd,
  type PartChange,
  type PartSizes,
  type Zone,
} from './clearing.ts'
import {
  clearContent,
  isJsonText,
  mapInputStrings,
  mapJsonStrings,
  renderCall,
  textPart,
} from './clip-text.ts'
import { countMasked, maskOutput } from './mask-output.ts'
import type { CallView, Strategy, StrategyView } from './strategy.ts'

export type ClearToolsMode = 'mask' | 'truncate' | 'remove'

export interface ClearToolsOptions {
  /**
   * `mask` by default: calls stay as they are, results keep head, tail, reported errors and exit
   * code.
   */
  readonly mode?: ClearToolsMode
  /**
   * Calls that may be cleared. By default those older than the newest 40 000 tokens of results,
   * then, if need be, all final ones.
   */
  readonly zone?: Zone
  /** Answers whose reasoning is removed. By default no answer. */
  readonly reasoningZone?: Zone
  /** Tools, by name, that are never cleared. */
  readonly protect?: readonly string[]
  /** Names of the only tools that are cleared. By default all tools. */
  readonly only?: readonly string[]
}

const KINDS = {
  mode: oneOf(['mask', 'truncate', 'remove']),
  zone: aZone,
  reasoningZone: aZone,
  protect: texts,
  only: texts,
}

// About a third of the results in a full window of 200,000 tokens. OpenCode protects the same
// number.
const KEPT_RESULT_TOKENS = 40_000

/**
 * Clears old calls and results of tools, the largest and oldest first, as far as needed. A target
 * of 0 clears all in the zone. The newest answer and its open calls stay. Source:
 * coding-agent-manager and DeepV Code, whose versions leave no trace of a call. Throws `RangeError`
 * for an invalid zone.
 */
export function createClearTools(options: ClearToolsOptions = {}): Strategy {
  checkOptions('Creating clear-tools', options, KINDS)
  const { mode = 'mask', zone, reasoningZone } = options
  const protectedNames = new Set(options.protect?.map((name) => name.toLowerCase()))
  const onlyNames = options.only && new Set(options.only.map((name) => name.toLowerCase()))
  return {
    name: 'clear-tools',
    summarizes: false,
    findChanged: (view) => {
      if (mode !== 'mask') return undefined
      const groups = findFinalCalls(view, createPartSizes(view))
      const end = zone ? findZoneEnd(view, zone, groups) : Infinity
      const left = new Map<number, number>()
      for (const { message, tokens, calls } of groups) {
        const [call] = calls
        const result = call && findResult(view, call)
        if (!result || message >= end || call.resultMessage === undefined) continue
        const known = left.get(call.resultMessage) ?? 0
        left.set(call.resultMessage, known + countMasked(view, call, result.output, tokens))
      }
      return left
    },
    ...clearBy(function* (view) {
      const sizes = createPartSizes(view)
      const isFree = ({ name }: CallView) =>
        !protectedNames.has(name.toLowerCase()) && (onlyNames?.has(name.toLowerCase()) ?? true)
      const mayGo = (call: CallView) => isFree(call) && (mode !== 'remove' || isAlone(view, call))
      const calls = findFinalCalls(view, sizes).filter((group) => group.calls.every(mayGo))
      for (const group of rankCalls(view, calls, zone, mode)) {
        const clearing = yield* clearCalls(view, sizes, mode, group)
        if (clearing) yield clearing
      }
      if (reasoningZone) yield* findOldReasoning(view, sizes, reasoningZone)
    }),
  }
}

/** Masks results older than the newest 40 000 tokens of them first. */
export const clearTools = createClearTools()

/** Calls that are cleared together, with the tokens of their results. */
interface CallGroup {
  readonly message: number
  tokens: number
  readonly calls: CallView[]
}

function findFinalCalls(view: StrategyView, sizes: PartSizes): CallGroup[] {
  const end = findOpenAnswer(view)
  return view.calls.flatMap((call) => {
    const { message, resultMessage, resultPart } = call
    if (message >= end || resultMessage === undefined || resultPart === undefined) return []
    return [{ message, tokens: sizes.tokensOf(resultMessage, resultPart), calls: [call] }]
  })
}

/** In the order in which they are cleared. */
function rankCalls(
  view: StrategyView,
  calls: readonly CallGroup[],
  zone: Zone | undefined,
  mode: ClearToolsMode,
): CallView[][] {
  const end = findZoneEnd(view, zone ?? { keepTokens: KEPT_RESULT_TOKENS }, calls)
  const groups = mode === 'remove' ? joinCalls(calls) : calls
  const count = view.conversation.messages.length
  // The oldest counts twice its size, the newest once.
  const rank = ({ message, tokens }: CallGroup) => tokens * (2 - message / count)
  const inside = groups.filter(({ message }) => message < end).sort((a, b) => rank(b) - rank(a))
  // Calls outside of a fixed zone stay. The default zone grows, oldest first, rather than miss its
  // target.
  const outside = zone ? [] : groups.filter(({ message }) => message >= end)
  return [...inside, ...outside].map((group) => group.calls)
}

/** Calls of one answer are removed together, so that its reasoning can be removed with them. */
function joinCalls(calls: readonly CallGroup[]): CallGroup[] {
  const groups: CallGroup[] = []
  for (const group of calls) {
    const last = groups.at(-1)
    if (last?.message === group.message) {
      last.calls.push(...group.calls)
      last.tokens += group.tokens
    } else groups.push(group)
  }
  return groups
}

function* clearCalls(
  view: StrategyView,
  sizes: PartSizes,
  mode: ClearToolsMode,
  calls: readonly CallView[],
): Steps<Clearing | undefined> {
  if (mode === 'remove') return removeCalls(view, sizes, findRemovable(view, calls))
  const [call] = calls
  const result = call && findResult(view, call)
  if (!call || !result) return undefined
  if (mode === 'truncate') return truncateCall(view, sizes, call)
  const output = yield* maskOutput(result.output, call)
  return output && clearResult(view, sizes, call, output)
}

/** Input and output together. Either may be short already. */
function truncateCall(view: StrategyView, sizes: PartSizes, call: CallView): Clearing | undefined {
  const part = view.conversation.messages[call.message]?.parts[call.part]
  const result = findResult(view, call)
  if (part?.type !== 'tool-call' || !result) return undefined
  const output = truncateOutput(result.output, call)
  const cleared = output === result.output ? undefined : clearResult(view, sizes, call, output)
  const input = mapInputStrings(part.input, truncateText)
  const freed =
    (renderInput(part.input).length - renderInput(input).length) *
    sizes.rateOf(call.message) *
    FREED_SHARE
  const change = { message: call.message, part: call.part, becomes: [{ ...part, input }] }
  const changes = [...(freed > 0 ? [change] : []), ...(cleared?.changes ?? [])]
  return changes.length === 0
    ? undefined
    : { changes, freedTokens: Math.max(freed, 0) + (cleared?.freedTokens ?? 0) }
}

/**
 * Whether no other part needs it, and no answer goes on behind its results: without them, a message
 * of the user may have to end that answer. What is before a compaction is gone already.
 */
function isAlone(view: StrategyView, { message, part }: CallView): boolean {
  const { conversation, cutPoints } = view
  const { messages } = conversation
  const end = cutPoints.nearestCut(message + 1, 'forward') ?? message
  const goesOn = messages.slice(message + 1, end).some(({ role }) => role === 'assistant')
  const { tied } = findBondedParts(messages)
  return message >= cutPoints.fixedEnd && !goesOn && !tied.has(messages[message]!.parts[part]!)
}

/**
 * Gemini signs the first of parallel calls, and refuses the others without it while their turn goes
 * on. It stays unless all calls of its answer go.
 */
function findRemovable(view: StrategyView, calls: readonly CallView[]): readonly CallView[] {
  const { messages } = view.conversation
  const parts: readonly Part[] = messages[calls[0]?.message ?? -1]?.parts ?? []
  const isAll = parts.filter(({ type }) => type === 'tool-call').length === calls.length
  return calls.filter(({ message, part }) => {
    const call = parts[part]
    const isSigned = call?.type === 'tool-call' && (call.signatureLength ?? 0) > 0
    return isAll || !isSigned || message < (view.lastUserRequest ?? -1)
  })
}

const MOST_NAMED = 6

/**
 * Removes calls of one answer, their results and, with the last call, signed reasoning. One line
 * says what was done.
 */
function removeCalls(view: StrategyView, sizes: PartSizes, calls: readonly CallView[]): Clearing {
  const [first] = calls
  if (!first) return { changes: [], freedTokens: 0 }
  const stub = renderRemoval(calls)
  const changes: PartChange[] = []
  let tokens = 0
  for (const { message, part, resultMessage, resultPart } of calls) {
    changes.push({ message, part, becomes: part === first.part ? [textPart(stub)] : [] })
    tokens += sizes.tokensOf(message, part)
    if (resultMessage === undefined || resultPart === undefined) continue
    changes.push({ message: resultMessage, part: resultPart, becomes: [] })
    tokens += sizes.tokensOf(resultMessage, resultPart)
  }
  const parts = view.conversation.messages[first.message]?.parts ?? []
  if (parts.filter(({ type }) => type === 'tool-call').length === calls.length) {
    parts.forEach((part, place) => {
      if (part.type !== 'reasoning' || part.signatureLength === 0 || part.isNeeded) return
      changes.push({ message: first.message, part: place, becomes: [] })
      tokens += sizes.tokensOf(first.message, place)
    })
  }
  return { changes, freedTokens: tokens * FREED_SHARE - view.countTokens(stub) }
}

function renderRemoval(calls: readonly CallView[]): string {
  const named = calls
    .slice(0, MOST_NAMED)
    .map((call) => `${renderCall(call)}${call.failed ? ' (failed)' : ''}`)
  const more = calls.length > MOST_NAMED ? [`${calls.length - MOST_NAMED} more calls`] : []
  return `[${[...named, ...more].join('; ')}: removed]`
}

// Two lines or 120 characters, whichever is shorter (coding-agent-manager).
const MOST_CHARACTERS = 120

/**
 * Cuts every text of an output, and JSON string by string. Media become placeholders. Returns the
 * same list if everything is short.
 */
function truncateOutput(output: readonly ContentPart[], call: CallView): readonly ContentPart[] {
  const truncated = output.map((part) => {
    if (part.type !== 'text') return clearContent(part, 2 * MOST_CHARACTERS)
    const text = truncateResult(part.text, output.length === 1 ? call : undefined)
    return text === part.text ? part : { ...part, text }
  })
  return truncated.every((part, index) => part === output[index]) ? output : truncated
}

function truncateResult(text: string, call: CallView | undefined): string {
  if (isJsonText(text)) return mapJsonStrings(text, truncateText)
  const truncated = truncateText(text)
  if (truncated === text || call?.output === undefined || call.output === text) return truncated
  // Two lines of what the host says before the output would say nothing of it.
  const exit = call.failed && call.exitCode !== undefined ? `exit code ${call.exitCode}\n` : ''
  return truncateText(`${exit}${call.output}`)
}

/** At most two lines and 120 characters, the mark of the cut included. */
export function truncateText(text: string): string {
  const firstEnd = text.indexOf('\n')
  const lineEnd = firstEnd < 0 ? -1 : text.indexOf('\n', firstEnd + 1)
  if (lineEnd < 0 && text.length <= MOST_CHARACTERS) return text
  const lines = lineEnd < 0 ? text : text.slice(0, lineEnd)
  return `${cutBefore(lines, Math.min(lines.length, MOST_CHARACTERS - 1)).trimEnd()}…`
}
