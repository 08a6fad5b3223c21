/**
 * Finds where history may be cut. All other files use this one and make no decision of their own.
 */

import { findBondedParts, type PartSite } from './bonds.ts'
import { findCompaction, findSystemEnd } from './compaction.ts'
import { LATE_NOTICE } from './injected-text.ts'
import { addTo, bisect } from './lists.ts'
import type { Message, Part } from './message.ts'
import { answersPart, isShown, isUserRequest } from './turns.ts'

/**
 * Messages that stay or go together: a call up to the last of its results, and parts that name each
 * other's ids. `end` is exclusive.
 */
export interface Unit {
  readonly start: number
  readonly end: number
}

/** Every position where history may be cut, as `findCutPoints` returns it. */
export interface CutPoints {
  /** Disjoint and ascending. A message outside all other units is one unit. */
  readonly units: readonly Unit[]
  /**
   * End of the part that is never removed: system prompts, or a compaction of the provider with
   * everything before it.
   */
  readonly fixedEnd: number
  /** Start of the unit that still waits for a result. Nothing from there on may be removed. */
  readonly pendingStart: number | undefined
  /**
   * Start of the unit that waits for a result, or whose results or pictures the agent has not seen
   * yet. Nothing from there on may be removed.
   */
  readonly openStart: number | undefined
  /**
   * Whether parts of a message are tied to parts of another. It stays or goes with its whole unit.
   */
  isTied(index: number): boolean
  /** Whether history may be cut between `messages[index - 1]` and `messages[index]`. */
  isLegal(index: number): boolean
  /**
   * The legal cut closest to `index` in one direction, including `index` itself. Undefined if it
   * would pass `floor`.
   */
  nearestCut(index: number, direction: 'backward' | 'forward', floor?: number): number | undefined
}

/**
 * One pass, then one merge, linear in the messages. A lookup is a binary search.
 *
 *   user   assistant+call a   user (steering)   tool a   assistant   user
 *   ▲ cut  ▲ cut              ✗                 ✗        ▲ cut       ▲ cut
 */
export function findCutPoints(messages: readonly Message[]): CutPoints {
  const { spans, firstPending } = findCallSpans(messages)
  const units = mergeOverlapping(spans)
  const unitAround = (index: number): Unit | undefined => {
    const unit = units[bisect(units.length, (position) => units[position]!.end > index)]
    return unit && unit.start < index ? unit : undefined
  }
  const startOf = (index: number | undefined) =>
    index === undefined ? undefined : (unitAround(index)?.start ?? index)
  const pendingStart = startOf(firstPending)
  const unreadStart = startOf(findUnreadResult(messages))
  const compaction = findCompaction(messages)
  const compactionEnd = compaction < 0 ? 0 : (unitAround(compaction + 1)?.end ?? compaction + 1)
  const tied = new Set(findBondedParts(messages).groups.flatMap(listMessages))
  const inBounds = (index: number) =>
    Number.isInteger(index) && index >= 0 && index <= messages.length
  return {
    units,
    fixedEnd: Math.max(findSystemEnd(messages), compactionEnd),
    pendingStart,
    openStart:
      pendingStart === undefined ? unreadStart : Math.min(pendingStart, unreadStart ?? Infinity),
    isTied: (index) => tied.has(index),
    isLegal: (index) => inBounds(index) && unitAround(index) === undefined,
    nearestCut(index, direction, floor = 0) {
      const clamped = Math.min(Math.max(Math.trunc(index), 0), messages.length)
      const unit = unitAround(clamped)
      const cut = !unit ? clamped : direction === 'backward' ? unit.start : unit.end
      return cut < floor ? undefined : cut
    },
  }
}

/**
 * The first result, answer to an unknown part, or user message without words, after the agent's
 * latest answer. Text that a host writes instead of the agent, such as a request error, is not an answer.
 */
function findUnreadResult(messages: readonly Message[]): number | undefined {
  const newest = messages.findLastIndex(
    ({ role, origin }) => role === 'assistant' && origin === 'agent',
  )
  const unread = messages.findIndex(
    (message, index) =>
      index > newest &&
      (message.role === 'tool' ||
        isShown(message) ||
        (message.role === 'user' && message.parts.some(isUnseen))),
  )
  return unread < 0 ? undefined : unread
}

/** The answer to a part of an unknown type, also as the words of a late one. */
const isUnseen = (part: Part): boolean =>
  (part.type === 'opaque' && answersPart(part)) ||
  (part.type === 'text' && part.text.startsWith(LATE_NOTICE))

/** The messages with parts that are tied across several messages. */
function listMessages(group: readonly PartSite[]): number[] {
  const indexes = group.map(({ message }) => message)
  return indexes.every((index) => index === indexes[0]) ? [] : indexes
}

function findCallSpans(messages: readonly Message[]): {
  spans: Unit[]
  firstPending: number | undefined
} {
  const lastRequest = messages.findLastIndex(isUserRequest)
  const openCalls = new Map<string, number[]>()
  const ends = new Map<number, number>()
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        ends.set(index, Math.max(ends.get(index) ?? 0, index + 1))
        addTo(openCalls, part.callId, index)
      } else if (part.type === 'tool-result') {
        // Ids may be reused, so a result answers the nearest call that is still open.
        const call = openCalls.get(part.callId)?.pop()
        if (call !== undefined) ends.set(call, Math.max(ends.get(call) ?? 0, index + 1))
      }
    }
  })
  const { groups, broken } = findBondedParts(messages)
  for (const group of groups) {
    const [first] = group
    const last = group.at(-1)
    if (first && last)
      ends.set(first.message, Math.max(ends.get(first.message) ?? 0, last.message + 1))
  }
  const carried = broken.flatMap(({ problem, message }) =>
    problem === 'unanswered' ? [message] : [],
  )
  let firstPending: number | undefined
  for (const index of [...[...openCalls.values()].flat(), ...carried]) {
    // If a request of the user follows an unanswered call, the call was interrupted. `repair`
    // handles that.
    if (index <= lastRequest) continue
    ends.set(index, messages.length)
    firstPending = Math.min(firstPending ?? index, index)
  }
  const spans = [...ends].map(([start, end]) => ({ start, end })).sort((a, b) => a.start - b.start)
  return { spans, firstPending }
}

function mergeOverlapping(spans: readonly Unit[]): Unit[] {
  const merged: { start: number; end: number }[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end)
    else merged.push({ ...span })
  }
  return merged
}
