/** The live items while a rollout is read: lines add to them, a compaction replaces them, going back cuts them off. */
import { isContentPart } from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import type { Span } from '../json/spans.ts'
import { findItemOrigin } from '../openai-responses/item-origin.ts'
import { readItem, readItemType } from '../openai-responses/read-item.ts'
import type { EventLine, RolloutItem, RolloutTurn } from './rollout.ts'

export interface History {
  items: RolloutItem[]
  /** Ordinals of what the person typed, ascending. */
  requests: number[]
  /** How many items at the beginning are what an old compaction left of the person's words. */
  keptRequests: number
  readonly turns: RolloutTurn[]
  /** Events that show an item which is yet to come. */
  waiting: EventLine[]
  /** Where the call of an id is. */
  calls: Map<string, number>
  /** Wrapped texts that the person is known to have typed; undefined while no event tells of any typing. */
  typedTexts: Set<string> | undefined
}

export function createHistory(): History {
  return {
    items: [],
    requests: [],
    keptRequests: 0,
    turns: [],
    waiting: [],
    calls: new Map(),
    typedTexts: undefined,
  }
}

/** Adds the item, unless it is of the surroundings: Codex tells those anew at every resume. */
export function appendItem(
  history: History,
  located: Pick<RolloutItem, 'item' | 'record' | 'line' | 'element' | 'origin'>,
): void {
  const { item } = located
  // A pointer into the repository for `/undo`: never sent, and worthless without the item it follows.
  if (item.type === 'ghost_snapshot') {
    if (located.element === undefined) history.items.at(-1)?.after.push({ type: item.type, line: located.line })
    return
  }
  const ordinal = history.items.length
  const { side, parts } = readItem(item, ordinal)
  const origin = side === 'user' ? (located.origin ?? findItemOrigin(item, parts.filter(isContentPart))) : undefined
  if (side === 'system' || origin === 'environment') return
  if (origin === 'user') history.requests.push(ordinal)
  const { call_id: callId } = item
  if (typeof callId === 'string' && readItemType(item).endsWith('_call')) history.calls.set(callId, ordinal)
  const turn = located.element === undefined ? history.turns.length - 1 : -1
  history.items.push({ ...located, ordinal, turn, before: history.waiting, after: [], ...(origin && { origin }) })
  history.waiting = []
}

/** What a `compacted` line leaves of all that was before it. */
export function compactHistory(history: History, record: number, line: Span, payload: JsonObject): void {
  const { replacement_history: replacement, message } = payload
  history.calls = new Map()
  history.waiting = []
  if (Array.isArray(replacement)) {
    history.items = []
    history.requests = []
    history.keptRequests = 0
    replacement.forEach((item: unknown, element) => {
      if (isJsonObject(item)) appendItem(history, { item, record, line, element })
    })
  } else if (typeof message === 'string') {
    keepRequests(history)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] }
    // The model wrote it, so nothing in it is a summary of ours.
    appendItem(history, { item, record, line, element: -1, origin: isSummaryText(message) ? 'agent' : 'synthetic' })
  }
}

/** An old compaction holds only its summary: Codex puts the person's own words before it. */
function keepRequests(history: History): void {
  const { items, requests, keptRequests } = history
  for (const ordinal of requests.slice(keptRequests)) {
    const request = items[ordinal]
    if (request) items[history.keptRequests] = { ...request, ordinal: history.keptRequests, turn: -1 }
    requests[history.keptRequests] = history.keptRequests
    history.keptRequests++
  }
  items.length = history.keptRequests
}

/** Going back in the conversation: the last turns are forgotten. */
export function rollBack(history: History, turnCount: number): void {
  const { items, requests } = history
  const position = Math.max(0, requests.length - Math.trunc(turnCount))
  const end = requests[position]
  if (end === undefined || turnCount < 1) return
  items.length = end
  requests.length = position
  history.keptRequests = Math.min(history.keptRequests, position)
  history.waiting = []
}
