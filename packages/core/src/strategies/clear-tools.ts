import { renderInput } from '../conversation/message.ts'
import { clearResult, findResult } from './clear-result.ts'
import { maskOutput } from './clear-tools/mask-output.ts'
import { removeCalls } from './clear-tools/remove-calls.ts'
import { truncateInput, truncateOutput } from './clear-tools/truncate-text.ts'
import { findUnsettled } from './newest-answer.ts'
import { findOldReasoning } from './old-reasoning.ts'
import { type Clearing, planClearings } from './part-changes.ts'
import { createPartSizes, FREED_SHARE, type PartSizes } from './part-sizes.ts'
import type { CallView, Strategy, StrategyView } from './strategy.ts'
import { assertZone, findZoneEnd, type Zone } from './zone.ts'

export type ClearToolsMode = 'mask' | 'truncate' | 'remove'

export interface ClearToolsOptions {
  /** `mask` by default: calls stay as they are, results keep head, tail, reported errors and exit code. */
  readonly mode?: ClearToolsMode
  /** Calls that may be cleared. By default those behind the newest 40 000 tokens of results, then, if it has to be, all settled ones. */
  readonly zone?: Zone
  /** Answers whose reasoning goes; none by default. */
  readonly reasoningZone?: Zone
  /** Tools, by name, that are never cleared. */
  readonly protect?: readonly string[]
}

// About a third of the results that a window of 200 000 tokens holds when it is full; OpenCode protects as many.
const KEPT_RESULT_TOKENS = 40_000

/**
 * Clears old calls and results of tools, the fattest and oldest first, as far as needed; a target of 0 asks for all in
 * the zone. The newest answer and what it waits for stay. Source: coding-agent-manager and DeepV Code, whose versions
 * leave no trace of a call. Throws `RangeError` on a zone that is none.
 */
export function createClearTools(options: ClearToolsOptions = {}): Strategy {
  const { mode = 'mask', zone, reasoningZone } = options
  if (zone) assertZone(zone, 'zone')
  if (reasoningZone) assertZone(reasoningZone, 'reasoningZone')
  const protectedNames = new Set(options.protect?.map((name) => name.toLowerCase()))
  return {
    name: 'clear-tools',
    summarizes: false,
    plan: (view, strategyOptions) => {
      const findClearings = function* (): Generator<Clearing> {
        const sizes = createPartSizes(view)
        const calls = findSettledCalls(view, sizes).filter(({ call }) => !protectedNames.has(call.name.toLowerCase()))
        for (const group of rankCalls(view, calls, zone, mode)) {
          const clearing = clearCalls(view, sizes, mode, group)
          if (clearing) yield clearing
        }
        if (reasoningZone) yield* findOldReasoning(view, sizes, reasoningZone)
      }
      return planClearings(view, strategyOptions, findClearings)
    },
  }
}

/** Masks results behind the newest 40 000 tokens of them first. */
export const clearTools = createClearTools()

interface SettledCall {
  readonly call: CallView
  readonly message: number
  /** Of its result. */
  readonly tokens: number
}

function findSettledCalls(view: StrategyView, sizes: PartSizes): SettledCall[] {
  const unsettled = findUnsettled(view)
  return view.calls.flatMap((call) => {
    const { message, resultMessage, resultPart } = call
    if (message >= unsettled || resultMessage === undefined || resultPart === undefined) return []
    return [{ call, message, tokens: sizes.tokensOf(resultMessage, resultPart) }]
  })
}

/** Calls that are cleared together, in the order in which they go. */
function rankCalls(
  view: StrategyView,
  calls: readonly SettledCall[],
  zone: Zone | undefined,
  mode: ClearToolsMode,
): CallView[][] {
  const end = findZoneEnd(view, zone ?? { keepTokens: KEPT_RESULT_TOKENS }, calls)
  const groups = groupCalls(calls, mode)
  const isInside = ({ message }: CallGroup) => message < end
  const inside = groups.filter(isInside)
  const count = view.conversation.messages.length
  // The oldest counts twice its size, the newest once.
  const rank = ({ message, tokens }: CallGroup) => tokens * (2 - message / count)
  const ranked = inside.map((group) => ({ group, rank: rank(group) })).sort((a, b) => b.rank - a.rank)
  // What a fixed zone leaves out stays; the default one gives way, oldest first, rather than miss its target.
  const outside = zone ? [] : groups.filter((group) => !isInside(group))
  return [...ranked.map(({ group }) => group.calls), ...outside.map((group) => group.calls)]
}

interface CallGroup {
  readonly message: number
  readonly tokens: number
  readonly calls: CallView[]
}

/** Calls of one answer are removed together, so that its reasoning can go with them; otherwise each stands alone. */
function groupCalls(calls: readonly SettledCall[], mode: ClearToolsMode): CallGroup[] {
  if (mode !== 'remove') return calls.map(({ call, message, tokens }) => ({ message, tokens, calls: [call] }))
  const groups: { message: number; tokens: number; calls: CallView[] }[] = []
  for (const { call, message, tokens } of calls) {
    const last = groups.at(-1)
    if (last?.message === message) {
      last.calls.push(call)
      last.tokens += tokens
    } else groups.push({ message, tokens, calls: [call] })
  }
  return groups
}

function clearCalls(
  view: StrategyView,
  sizes: PartSizes,
  mode: ClearToolsMode,
  calls: readonly CallView[],
): Clearing | undefined {
  if (mode === 'remove') return removeCalls(view, sizes, calls)
  const [call] = calls
  const result = call && findResult(view, call)
  if (!call || !result) return undefined
  if (mode === 'truncate') return truncateCall(view, sizes, call)
  const output = maskOutput(result.output, call)
  return output && clearResult(view, sizes, call, output)
}

/** Input and output together; either may be short already. */
function truncateCall(view: StrategyView, sizes: PartSizes, call: CallView): Clearing | undefined {
  const part = view.conversation.messages[call.message]?.parts[call.part]
  const result = findResult(view, call)
  if (part?.type !== 'tool-call' || !result) return undefined
  const output = truncateOutput(result.output, call)
  const cleared = output === result.output ? undefined : clearResult(view, sizes, call, output)
  const input = truncateInput(part.input)
  const freed = (renderInput(part.input).length - renderInput(input).length) * sizes.rateOf(call.message) * FREED_SHARE
  const change = { message: call.message, part: call.part, becomes: [{ ...part, input }] }
  const changes = [...(freed > 0 ? [change] : []), ...(cleared?.changes ?? [])]
  return changes.length === 0 ? undefined : { changes, freedTokens: Math.max(freed, 0) + (cleared?.freedTokens ?? 0) }
}
