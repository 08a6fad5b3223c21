import type { Message, ToolCallPart, ToolResultPart } from '../message.ts'

export interface CallSite {
  /** Position of the message. */
  readonly message: number
  readonly part: ToolCallPart
}

export interface ResultSite {
  readonly message: number
  readonly part: ToolResultPart
  /** The call it answers; undefined for an orphan. */
  readonly call: CallSite | undefined
  /** An orphan whose call was there and has its result already. */
  readonly isRepeated: boolean
}

export interface CallPairs {
  readonly results: readonly ResultSite[]
  readonly unanswered: readonly CallSite[]
}

const memo = new WeakMap<readonly Message[], CallPairs>()

/**
 * Pairs each result with the nearest call before it that is still open, as `findCutPoints` does: ids may be used again.
 * Memoised by identity, for every rule asks.
 */
export function findCallPairs(messages: readonly Message[]): CallPairs {
  let pairs = memo.get(messages)
  if (!pairs) {
    pairs = pair(messages)
    memo.set(messages, pairs)
  }
  return pairs
}

function pair(messages: readonly Message[]): CallPairs {
  const open = new Map<string, CallSite[]>()
  const results: ResultSite[] = []
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        const waiting = open.get(part.callId)
        if (waiting) waiting.push({ message: index, part })
        else open.set(part.callId, [{ message: index, part }])
      } else if (part.type === 'tool-result') {
        const call = open.get(part.callId)?.pop()
        results.push({ message: index, part, call, isRepeated: call === undefined && open.has(part.callId) })
      }
    }
  })
  const unanswered = [...open.values()].flat().sort((a, b) => a.message - b.message)
  return { results, unanswered }
}
