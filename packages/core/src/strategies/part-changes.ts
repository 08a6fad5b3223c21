/** What becomes of single parts, and the edits that say so: the plan that all clearing strategies share. */
import type { SettledEdit } from '../conversation/edit.ts'
import {
  type AssistantMessage,
  isContentPart,
  type Message,
  type Part,
  type ToolMessage,
  withParts,
} from '../conversation/message.ts'
import { findSystemEnd } from './ends.ts'
import type { NoopReason, Plan, StrategyOptions, StrategyView } from './strategy.ts'

/** New parts in the place of one; none takes the part away. */
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

/** New parts by message, then by place in it. */
export type PartChanges = ReadonlyMap<number, ReadonlyMap<number, readonly Part[]>>

/** Tokens that have to go, or why nothing has to. */
export function findExcessTokens(view: StrategyView, { targetTokens }: StrategyOptions): number | NoopReason {
  if (view.conversation.messages.length === findSystemEnd(view)) return 'empty-history'
  const excess = view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens
  return excess <= 0 ? 'already-under-target' : excess
}

/** Takes clearings in their order until enough is freed, all of them for a target of 0; each is worked out when its turn comes. */
export function planClearings(
  view: StrategyView,
  options: StrategyOptions,
  findClearings: () => Iterable<Clearing>,
): Plan {
  const excess = findExcessTokens(view, options)
  if (typeof excess === 'string') return { noop: excess }
  let freedTokens = 0
  const changes: PartChange[] = []
  for (const clearing of findClearings()) {
    if (clearing.freedTokens <= 0) continue
    changes.push(...clearing.changes)
    freedTokens += clearing.freedTokens
    if (freedTokens >= excess && options.targetTokens > 0) break
  }
  return planPartChanges(view, changes)
}

export function planPartChanges(view: StrategyView, changes: readonly PartChange[]): Plan {
  const edits = createPartEdits(view.conversation.messages, groupByMessage(changes))
  return edits.length > 0 ? { edits } : { noop: 'nothing-eligible' }
}

function groupByMessage(changes: readonly PartChange[]): PartChanges {
  const byMessage = new Map<number, Map<number, readonly Part[]>>()
  for (const { message, part, becomes } of changes) {
    const known = byMessage.get(message)
    if (known) known.set(part, becomes)
    else byMessage.set(message, new Map([[part, becomes]]))
  }
  return byMessage
}

/** One edit per message that changes: other parts, or gone when none is left. */
function createPartEdits(messages: readonly Message[], changes: PartChanges): SettledEdit[] {
  const positions = [...changes.keys()].sort((a, b) => a - b)
  return positions.map((start): SettledEdit => {
    const message = messages[start]!
    const parts = message.parts.flatMap((part, place): readonly Part[] => changes.get(start)?.get(place) ?? [part])
    if (parts.length === 0) return { type: 'drop', start, end: start + 1 }
    return { type: 'replace', start, end: start + 1, messages: [withOtherParts(message, parts)] }
  })
}

/** A part that has no place in the role of the message is left out: a change never brings one. */
function withOtherParts(message: Message, parts: readonly Part[]): Message {
  switch (message.role) {
    case 'system':
    case 'user':
      return withParts(message, parts.filter(isContentPart))
    case 'assistant':
      return withParts(message, parts.filter(isOfAnswer))
    case 'tool':
      return withParts(message, parts.filter(isOfTool))
  }
}

function isOfAnswer(part: Part): part is AssistantMessage['parts'][number] {
  return part.type !== 'tool-result'
}

function isOfTool(part: Part): part is ToolMessage['parts'][number] {
  return part.type === 'tool-result' || part.type === 'opaque'
}
