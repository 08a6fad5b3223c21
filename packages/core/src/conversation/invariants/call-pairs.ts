import { findBondedParts } from '../bonds.ts'
import { parseJson, toJsonText } from '../json-text.ts'
import { addTo } from '../lists.ts'
import type {
  Conversation,
  Message,
  OpaquePart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
} from '../message.ts'
import { keepParts, withMessages } from './invariant.ts'

/** What a repair says of a call that nothing answers. */
export const INTERRUPTION = 'The call was interrupted: no result was recorded.'

/** What a provider ran itself, in words. The result of a generated picture is the picture. */
export function renderServed({ kind, text }: OpaquePart, note = ''): TextPart {
  const { input, content, action, result, revised_prompt: prompt } = readObject(parseJson(text))
  const found = kind === 'image_generation_call' ? (prompt ?? '') : result
  const said = input ?? content ?? action ?? found
  return {
    type: 'text',
    text: `[${note}${kind} ${said === undefined ? text : toJsonText(said)}]`,
  }
}

export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export interface CallSite {
  readonly message: number
  readonly part: ToolCallPart
}

export interface ResultSite {
  readonly message: number
  readonly part: ToolResultPart
  /** The call that it answers. Undefined for an orphan. */
  readonly call: CallSite | undefined
  /** An orphan whose call has a result already, wherever the call is. */
  readonly isRepeated: boolean
  /** An orphan that answers a part whose type is only carried, or that is only named. */
  readonly isTied: boolean
}

const memo = new WeakMap<readonly Message[], ReturnType<typeof pair>>()

/**
 * Pairs each result with the nearest call before it that is still open, like `findCutPoints`,
 * because ids may be reused. Memoized by identity, because every rule needs it.
 */
export function findCallPairs(messages: readonly Message[]): ReturnType<typeof pair> {
  const pairs = memo.get(messages) ?? pair(messages)
  memo.set(messages, pairs)
  return pairs
}

function pair(messages: readonly Message[]) {
  const open = new Map<string, CallSite[]>()
  const results: ResultSite[] = []
  const orphaned = new Set<string>()
  const { answers } = findBondedParts(messages)
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        addTo(open, part.callId, { message: index, part })
      } else if (part.type === 'tool-result') {
        const call = open.get(part.callId)?.pop()
        const isTied = !call && answers.has(part)
        const isRepeated = !call && !isTied && (open.has(part.callId) || orphaned.has(part.callId))
        if (!call) orphaned.add(part.callId)
        results.push({
          message: index,
          part,
          call,
          isRepeated,
          isTied,
        })
      }
    }
  })
  const unanswered = [...open.values()].flat().sort((a, b) => a.message - b.message)
  return { results, unanswered }
}

/**
 * For each position, the exclusive end of the run of tool messages that begins right after it.
 * Linear.
 */
export function findResultRunEnds(messages: readonly Message[]): number[] {
  const ends = messages.map(() => 0)
  let end = messages.length
  for (let index = messages.length - 1; index >= 0; index--) {
    ends[index] = end
    if (messages[index]?.role !== 'tool') end = index
  }
  return ends
}

/**
 * Moves every result to right after the message with its call, after the results that are already
 * there.
 */
export function moveResults(
  conversation: Conversation,
  sites: readonly ResultSite[],
): Conversation {
  if (sites.length === 0) return conversation
  const { messages } = conversation
  const ends = findResultRunEnds(messages)
  const moved = new Map<number, ResultSite[]>()
  const leaving = new Map<number, Set<unknown>>()
  for (const site of sites) {
    if (!site.call) continue
    const home = (ends[site.call.message] ?? messages.length) - 1
    addTo(moved, home, site)
    leaving.set(site.message, (leaving.get(site.message) ?? new Set()).add(site.part))
  }
  const arranged = messages.flatMap((message, index) => {
    const left = leaving.get(index)
    const kept = left ? keepParts(message, (part) => !left.has(part)) : message
    const stays = kept === message || kept.parts.length > 0 ? [kept] : []
    return [...stays, ...(moved.get(index) ?? []).map((site) => extract(site, messages))]
  })
  return withMessages(conversation, arranged)
}

/** The result as a separate message, or the whole message if it contains nothing else. */
function extract({ message, part }: ResultSite, messages: readonly Message[]): ToolMessage {
  const source = messages[message]
  if (source?.role === 'tool' && source.parts.length === 1) return source
  const base =
    source?.role === 'tool' ? source : { role: 'tool' as const, origin: 'environment' as const }
  return { ...base, parts: [part] }
}
