/**
 * Reads a rollout of Codex (0.118 to 0.169 were seen): what of it is live, and where the lines around that lie.
 *
 *   session_meta   the thread, with the system prompt
 *   event_msg      task_started ┐ a turn as the person sees it; none of it reaches the model
 *   response_item               │ what the model reads
 *   world_state, turn_context   │ what the model was told of its surroundings: Codex tells only what is new
 *   compacted                   │ `replacement_history` stands for every response_item before
 *   event_msg      task_complete┘
 */
import type { Origin } from '../conversation/message.ts'
import { FormatError } from './format.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import type { Span } from './json-spans.ts'
import { type JsonlLine, type JsonlSource, readLines } from './jsonl.ts'
import { readItem, readItemType } from './responses-items.ts'
import type { LocatedItem } from './responses-items-messages.ts'
import { findItemOrigin, isWrappedInTag } from './responses-items-origin.ts'

export interface RolloutItem extends LocatedItem {
  /** Where its line lies. */
  readonly line: Span
  /** Place in `replacement_history` when the line is a `compacted` one. */
  readonly element?: number
  /** Which turn it belongs to; -1 before the first one. */
  readonly turn: number
  /** Lines that show this item to the person, and go where it goes. */
  readonly before: EventLine[]
  readonly after: EventLine[]
}

export interface EventLine {
  /** Type of the event; of an `item_completed`, the type of its item. */
  readonly type: string
  readonly line: Span
}

/** A line of state that stands between items: `world_state`, `turn_context`, or a type nobody knows. */
export interface StateLine {
  readonly type: string
  readonly line: Span
  /** The item it stands before. */
  readonly ordinal: number
}

export interface RolloutTurn {
  readonly opening: Span[]
  readonly closing: Span[]
}

export interface Rollout {
  readonly meta: { readonly index: number; readonly line: Span; readonly payload: JsonObject }
  /** Whether its lines are numbered, as Codex 0.169 does and then insists on. */
  readonly isNumbered: boolean
  readonly items: readonly RolloutItem[]
  readonly states: readonly StateLine[]
  readonly turns: readonly RolloutTurn[]
  readonly lineBreak: string
  /** ISO 8601 time of the newest line. */
  readonly timestamp: string
  readonly model?: string
  readonly workingDirectory?: string
}

interface Reading {
  meta?: Rollout['meta']
  isNumbered: boolean
  items: RolloutItem[]
  /** Ordinals of what the person typed, ascending. */
  requests: number[]
  /** How many items at the beginning are what an old compaction left of the person's words. */
  keptRequests: number
  states: StateLine[]
  turns: RolloutTurn[]
  /** Events that show an item which is yet to come. */
  waiting: EventLine[]
  /** Where the call of an id is. */
  calls: Map<string, number>
  /** Wrapped texts that the person is known to have typed. */
  typed: Set<string>
  hasTypedEvents: boolean
  lineBreak: string
  timestamp: string
  model?: string
  workingDirectory?: string
}

export const FORMAT_NAME = 'codex'
// An event in front of the item it shows; all others follow theirs.
const EVENTS_BEFORE = new Set([
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'AgentMessage',
  'Reasoning',
])
const EVENTS_AFTER = new Set(['user_message', 'UserMessage'])
const TURN_OPENINGS = new Set(['task_started', 'turn_started'])
const TURN_CLOSINGS = new Set(['task_complete', 'turn_complete', 'turn_aborted'])
// Measures of the session that was: in another one they would make Codex believe that it is full.
const STALE_TYPES = new Set(['token_usage_record'])

export function readRollout(source: JsonlSource): Rollout {
  const reading: Reading = {
    isNumbered: false,
    items: [],
    requests: [],
    keptRequests: 0,
    states: [],
    turns: [],
    waiting: [],
    calls: new Map(),
    typed: new Set(),
    hasTypedEvents: false,
    lineBreak: '\n',
    timestamp: '',
  }
  for (const line of readLines(source, FORMAT_NAME)) {
    if (line.next - line.end === 2) reading.lineBreak = '\r\n'
    if (isJsonObject(line.value)) readLine(reading, line, line.value)
  }
  const { meta } = reading
  if (!meta) {
    throw new FormatError(
      'malformed',
      'Reading a codex session: it has no session_meta line. Give a whole rollout file.',
    )
  }
  const { isNumbered, items, states, turns, lineBreak, timestamp, model, workingDirectory } = reading
  return {
    meta,
    isNumbered,
    items: reading.hasTypedEvents ? items.map((item) => withTypedOrigin(item, reading.typed)) : items,
    states,
    turns,
    lineBreak,
    timestamp,
    ...(model !== undefined && { model }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  }
}

function readLine(reading: Reading, line: JsonlLine, value: JsonObject): void {
  const { type, payload } = value
  if (!isJsonObject(payload) || typeof type !== 'string') {
    if (!reading.meta && typeof value.id === 'string' && typeof value.timestamp === 'string') {
      throw new FormatError(
        'unknown-version',
        'Reading a codex session: its first line is of a version before session_meta. Resume it once in a newer Codex and give the file that makes.',
      )
    }
    return
  }
  if (typeof value.timestamp === 'string') reading.timestamp = value.timestamp
  const span = { start: line.start, end: line.end }
  switch (type) {
    case 'session_meta':
      // A fork repeats the lines of the session it came from, its session_meta too.
      if (!reading.meta) reading.isNumbered = typeof value.ordinal === 'number'
      reading.meta ??= { index: line.index, line: span, payload }
      if (typeof payload.cwd === 'string') reading.workingDirectory ??= payload.cwd
      return
    case 'response_item':
      readResponseItem(reading, line.index, span, payload)
      return
    case 'event_msg':
      readEvent(reading, span, payload)
      return
    case 'compacted':
      readCompacted(reading, line.index, span, payload)
      return
    case 'turn_context':
      if (typeof payload.model === 'string') reading.model = payload.model
      if (typeof payload.cwd === 'string') reading.workingDirectory = payload.cwd
  }
  if (!STALE_TYPES.has(type)) reading.states.push({ type, line: span, ordinal: reading.items.length })
}

function readResponseItem(reading: Reading, record: number, line: Span, item: JsonObject): void {
  // A pointer into the repository for `/undo`: never sent, and worthless without the item it follows.
  if (item.type === 'ghost_snapshot') reading.items.at(-1)?.after.push({ type: 'ghost_snapshot', line })
  else pushItem(reading, { item, record, line })
}

function pushItem(
  reading: Reading,
  located: Pick<RolloutItem, 'item' | 'record' | 'line' | 'element' | 'origin'>,
): void {
  const ordinal = reading.items.length
  const { call_id: callId } = located.item
  if (typeof callId === 'string' && readItemType(located.item).endsWith('_call')) reading.calls.set(callId, ordinal)
  const turn = located.element === undefined ? reading.turns.length - 1 : -1
  const item: RolloutItem = { ...located, ordinal, turn, before: reading.waiting, after: [] }
  reading.items.push(item)
  reading.waiting = []
  if (isTypedByUser(item)) reading.requests.push(ordinal)
}

function readEvent(reading: Reading, line: Span, payload: JsonObject): void {
  if (payload.type === 'thread_rolled_back') {
    rollBack(reading, typeof payload.num_turns === 'number' ? payload.num_turns : 0)
    return
  }
  const event = describeEvent(payload)
  const { type, callId } = event
  if (EVENTS_AFTER.has(type)) {
    reading.hasTypedEvents = true
    if (isWrappedInTag(event.text)) reading.typed.add(event.text.trim())
    reading.items.at(-1)?.after.push({ type, line })
  } else if (TURN_OPENINGS.has(type)) reading.turns.push({ opening: [line], closing: [] })
  else if (TURN_CLOSINGS.has(type)) reading.turns.at(-1)?.closing.push(line)
  else if (EVENTS_BEFORE.has(type)) reading.waiting.push({ type, line })
  else if (callId !== undefined) {
    const call = reading.calls.get(callId)
    if (call !== undefined) reading.items[call]?.after.push({ type, line })
  }
}

/** Codex 0.169 wraps what it shows as an item; before, every kind was an event of its own. */
function describeEvent(payload: JsonObject): { type: string; text: string; callId?: string } {
  const shown = isJsonObject(payload.item) ? payload.item : payload
  const type = typeof shown.type === 'string' ? shown.type : ''
  const callId = shown === payload ? payload.call_id : shown.id
  const texts = Array.isArray(shown.content)
    ? shown.content.map((block) => (isJsonObject(block) ? block.text : ''))
    : []
  const text = typeof shown.message === 'string' ? shown.message : texts.join('\n')
  return { type, text, ...(typeof callId === 'string' && { callId }) }
}

function readCompacted(reading: Reading, record: number, line: Span, payload: JsonObject): void {
  const history = payload.replacement_history
  reading.states = []
  reading.calls = new Map()
  reading.waiting = []
  if (Array.isArray(history)) {
    reading.items = []
    reading.requests = []
    reading.keptRequests = 0
    history.forEach((item: unknown, element) => {
      if (isJsonObject(item) && item.type !== 'ghost_snapshot') pushItem(reading, { item, record, line, element })
    })
  } else if (typeof payload.message === 'string') {
    keepRequests(reading)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: payload.message }] }
    pushItem(reading, { item, record, line, element: -1, origin: 'synthetic' })
  }
}

/** An old compaction holds only its summary: Codex puts the person's own words before it. */
function keepRequests(reading: Reading): void {
  const { items, requests, keptRequests } = reading
  for (const ordinal of requests.slice(keptRequests)) {
    const request = items[ordinal]
    if (request) items[reading.keptRequests] = { ...request, ordinal: reading.keptRequests, turn: -1 }
    reading.requests[reading.keptRequests] = reading.keptRequests
    reading.keptRequests++
  }
  items.length = reading.keptRequests
}

/** Going back in the conversation: the last turns are forgotten, with what was told of the surroundings for them. */
function rollBack(reading: Reading, turnCount: number): void {
  const { items, requests, states } = reading
  const position = Math.max(0, requests.length - Math.trunc(turnCount))
  let end = requests[position]
  if (end === undefined || !(turnCount >= 1)) return
  // What every session begins with stays, also when all turns go.
  if (position > 0) while (end > 0 && isSurroundings(items[end - 1])) end--
  items.length = end
  requests.length = position
  reading.keptRequests = Math.min(reading.keptRequests, position)
  while ((states.at(-1)?.ordinal ?? -1) >= end) states.pop()
  reading.waiting = []
}

export function isSurroundings(item: RolloutItem | undefined): boolean {
  const role = item?.item.role
  if (role === 'developer' || role === 'system') return true
  return item !== undefined && role === 'user' && findOrigin(item) === 'environment'
}

function isTypedByUser(item: RolloutItem): boolean {
  return item.item.role === 'user' && findOrigin(item) === 'user'
}

function findOrigin(item: RolloutItem): Origin {
  return item.origin ?? findItemOrigin(item.item, readTexts(item))
}

function readTexts(item: RolloutItem): string[] {
  return readItem(item.item, item.ordinal).parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** Codex writes an event for every message that was typed: one element without such an event was injected. */
function withTypedOrigin(item: RolloutItem, typed: ReadonlySet<string>): RolloutItem {
  if (item.item.role !== 'user' || item.origin !== undefined) return item
  const text = readTexts(item).join('\n')
  const isInjected = isWrappedInTag(text) && !typed.has(text.trim()) && findOrigin(item) === 'user'
  return isInjected ? { ...item, origin: 'synthetic' } : item
}
