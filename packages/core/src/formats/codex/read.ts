import { isContentPart, type Part } from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { findItemOrigin } from '../openai-responses/item-origin.ts'
import { readItem, readItemType } from '../openai-responses/read-items.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readString } from '../shared/json.ts'
import { type JsonlLine, type JsonlSource, readLines } from '../shared/lines.ts'
import type { Span } from '../shared/spans.ts'
import {
  type EventLine,
  FORMAT_NAME,
  isCompactionLine,
  isTypedEvent,
  type Rollout,
  type RolloutItem,
  type RolloutTurn,
} from './rollout.ts'

/**
 * The live items while a rollout is read. Lines add items, a compaction replaces them, and a
 * rollback cuts them off.
 */
interface History {
  items: RolloutItem[]
  /** Ordinals of what the user typed, in ascending order. */
  requests: number[]
  /** How many items at the beginning an old compaction kept of the user's words. */
  keptRequests: number
  readonly turns: RolloutTurn[]
  /** Events for an item that comes later. */
  waiting: EventLine[]
  calls: Map<string, number>
  readonly leading: Span[]
  readonly ids: Set<string>
  settings?: Span
  /**
   * Texts that look injected but were typed, according to events. Undefined if no event shows any
   * typing.
   */
  typedTexts?: Set<string>
  /** The latest item that was left out. If the next event shows that it was typed, it is added. */
  leftOut?: { readonly located: Location; readonly text: string } | undefined
}

type Location = Pick<RolloutItem, 'item' | 'record' | 'line' | 'element' | 'origin'>

/**
 * Adds the item, unless it describes the surroundings. Codex describes them again at every resume.
 */
function appendItem(history: History, located: Location): void {
  const { item } = located
  // A pointer into the repository for `/undo`. It is never sent, and useless without the item it
  // follows.
  if (item.type === 'ghost_snapshot') {
    if (located.element === undefined)
      history.items.at(-1)?.after.push({ type: undefined, line: located.line })
    return
  }
  const ordinal = history.items.length
  const { side, parts } = readItem(item, ordinal)
  const origin =
    side === 'user'
      ? (located.origin ?? findItemOrigin(item, parts.filter(isContentPart)))
      : undefined
  if (side === 'system') {
    const restored =
      located.element === undefined && isRestored(item) ? { ...item, role: 'user' } : undefined
    if (restored) appendItem(history, { ...located, item: restored, origin: 'synthetic' })
    return
  }
  if (origin === 'environment') {
    const text = joinTexts(parts)
    if (history.typedTexts?.has(text)) appendItem(history, { ...located, origin: 'user' })
    else history.leftOut = { located, text }
    return
  }
  history.leftOut = undefined
  if (origin === 'user') history.requests.push(ordinal)
  const { call_id: callId } = item
  if (typeof callId === 'string' && readItemType(item).endsWith('_call'))
    history.calls.set(callId, ordinal)
  for (const id of [item.id, callId]) if (typeof id === 'string') history.ids.add(id)
  const turn = located.element === undefined ? history.turns.length - 1 : -1
  history.items.push({ ...located, ordinal, turn, before: history.waiting, after: [], origin })
  history.waiting = []
}

const joinTexts = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()

/** What precis restored after a compaction, through a hook. It has the developer's role. */
function isRestored({ type, role, content }: JsonObject): boolean {
  const [block, ...others] = Array.isArray(content) ? content : []
  const text = isJsonObject(block) ? block.text : undefined
  return (
    type === 'message' &&
    role === 'developer' &&
    others.length === 0 &&
    typeof text === 'string' &&
    isSummaryText(text)
  )
}

function compactHistory(history: History, record: number, line: Span, payload: JsonObject): void {
  const { replacement_history: replacement, message } = payload
  history.calls = new Map()
  history.waiting = []
  history.leftOut = undefined
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
    // The model wrote it, so nothing in it is a summary by precis.
    appendItem(history, {
      item,
      record,
      line,
      element: -1,
      origin: isSummaryText(message) ? 'agent' : 'synthetic',
    })
  }
}

/** An old compaction contains only its summary, and Codex puts the user's own words before it. */
function keepRequests(history: History): void {
  const { items, requests, keptRequests } = history
  for (const ordinal of requests.slice(keptRequests)) {
    const place = history.keptRequests++
    const request = items[ordinal]
    if (request) items[place] = { ...request, ordinal: place, turn: -1 }
    requests[place] = place
  }
  items.length = history.keptRequests
}

function rollBack(history: History, turnCount: number): void {
  const { items, requests } = history
  const position = Math.max(0, requests.length - Math.trunc(turnCount))
  const end = requests[position]
  if (end === undefined || turnCount < 1) return
  items.length = end
  requests.length = position
  history.keptRequests = Math.min(history.keptRequests, position)
  history.waiting = []
}

/** Whether text is one XML-like element from its first to its last character. Any name counts. */
function isWrappedInTag(text: string): boolean {
  const trimmed = text.trim()
  const name = /^<([a-z][a-z0-9_-]{0,60})[ >]/i.exec(trimmed)?.[1]
  return name !== undefined && trimmed.endsWith(`</${name}>`)
}

/**
 * Codex writes an event for every typed message. A single element without such an event was
 * injected.
 */
function withTypedOrigin(item: RolloutItem, typedTexts: ReadonlySet<string>): RolloutItem {
  if (item.origin !== 'user' && item.origin !== 'synthetic') return item
  const text = joinTexts(readItem(item.item, item.ordinal).parts)
  const isTyped = typedTexts.has(text)
  // If the user pasted a summary, it counts as the user's words.
  if (item.origin === 'synthetic')
    return isTyped && isSummaryText(text) ? { ...item, origin: 'user' } : item
  return isWrappedInTag(text) && !isTyped ? { ...item, origin: 'synthetic' } : item
}

interface RolloutReading {
  readonly history: History
  meta?: Rollout['meta']
  isNumbered: boolean
  lineCount: number
  turnContext?: Span
  lineBreak: string
  timestamp: string
  model?: string
  workingDirectory?: string
}

/**
 * Throws `FormatError` for a file without a `session_meta` line. `visitCompaction` gets the live
 * items right before and right after each compaction, without the requests that an earlier one
 * kept. An old compaction keeps all of them, so that the visits together are linear.
 */
export function readRollout(
  source: JsonlSource,
  visitCompaction?: (before: readonly RolloutItem[], after: readonly RolloutItem[]) => void,
): Rollout {
  const history: History = {
    items: [],
    requests: [],
    keptRequests: 0,
    turns: [],
    waiting: [],
    calls: new Map(),
    leading: [],
    ids: new Set(),
  }
  const reading: RolloutReading = {
    history,
    isNumbered: false,
    lineCount: 0,
    lineBreak: '\n',
    timestamp: '',
  }
  const listUnkept = () => history.items.slice(history.keptRequests)
  const compactions: [RolloutItem[], RolloutItem[]][] = []
  for (const line of readLines(source, FORMAT_NAME)) {
    if (line.next - line.end === 2) reading.lineBreak = '\r\n'
    if (!isJsonObject(line.value)) continue
    reading.lineCount++
    const before = visitCompaction && isCompactionLine(line.value) && listUnkept()
    readLine(reading, line, line.value)
    if (before) compactions.push([before, listUnkept()])
  }
  const { history: _, meta, ...facts } = reading
  if (!meta) {
    throw new FormatError(
      'malformed',
      'Reading a codex session: it has no session_meta line. Give a whole rollout file.',
    )
  }
  const { items, typedTexts, turns, leading, ids, settings } = history
  const withOrigins = (given: readonly RolloutItem[]) =>
    typedTexts ? given.map((item) => withTypedOrigin(item, typedTexts)) : given
  for (const [before, after] of compactions)
    visitCompaction?.(withOrigins(before), withOrigins(after))
  return {
    ...facts,
    meta,
    turns,
    leading,
    ids,
    ...(settings && { settings }),
    items: withOrigins(items),
  }
}

function readLine(reading: RolloutReading, line: JsonlLine, value: JsonObject): void {
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
      // A fork repeats the lines of its source session, including `session_meta`.
      if (!reading.meta) reading.isNumbered = typeof value.ordinal === 'number'
      reading.meta ??= { line: span, payload }
      if (typeof payload.cwd === 'string') reading.workingDirectory ??= payload.cwd
      return
    case 'turn_context':
      reading.turnContext = span
      if (typeof payload.model === 'string') reading.model = payload.model
      if (typeof payload.cwd === 'string') reading.workingDirectory = payload.cwd
      return
    case 'response_item':
      appendItem(reading.history, { item: payload, record: line.index, line: span })
      return
    case 'event_msg':
      readEvent(reading.history, span, payload)
      return
    case 'compacted':
      compactHistory(reading.history, line.index, span, payload)
      return
    default:
      if (!MEASURES.has(type)) carryLine(reading.history, span)
  }
}

/**
 * Descriptions of the surroundings and measures of the session. If one is present, Codex does not
 * describe and measure again.
 */
const MEASURES = new Set(['world_state', 'token_usage_record', 'token_count'])

/**
 * Keeps a line where it is. The first and last line of a turn stay with the turn, all others with
 * the item.
 */
function carryLine({ items, turns, leading }: History, line: Span): void {
  const turn = turns.at(-1)
  const item = items.at(-1)
  if (turn && turn.closing.length > 0) turn.closing.push(line)
  else if (item && item.turn === turns.length - 1) item.after.push({ type: undefined, line })
  else (turn?.opening ?? leading).push(line)
}

// These events come before the item that they show. All others come after it.
const EVENTS_BEFORE = new Set([
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'AgentMessage',
  'Reasoning',
])
const TURN_OPENINGS = new Set(['task_started', 'turn_started'])
const TURN_CLOSINGS = new Set(['task_complete', 'turn_complete', 'turn_aborted'])

/** Attaches an event to the item that it shows, so that both are kept or removed together. */
function readEvent(history: History, line: Span, payload: JsonObject): void {
  if (payload.type === 'thread_rolled_back') {
    rollBack(history, typeof payload.num_turns === 'number' ? payload.num_turns : 0)
    return
  }
  const { type, text, callId } = describeEvent(payload)
  if (isTypedEvent(type)) {
    const { leftOut, typedTexts = new Set() } = history
    history.typedTexts = typedTexts
    const isLeftOut = leftOut?.text === text.trim()
    if (isLeftOut || isWrappedInTag(text)) typedTexts.add(text.trim())
    if (isLeftOut) appendItem(history, { ...leftOut.located, origin: 'user' })
    history.items.at(-1)?.after.push({ type, line })
  } else if (TURN_OPENINGS.has(type)) history.turns.push({ opening: [line], closing: [] })
  else if (TURN_CLOSINGS.has(type)) history.turns.at(-1)?.closing.push(line)
  else if (EVENTS_BEFORE.has(type)) history.waiting.push({ type, line })
  else if (callId !== undefined) {
    const call = history.calls.get(callId)
    if (call !== undefined) history.items[call]?.after.push({ type, line })
    else if (!history.ids.has(callId)) carryLine(history, line)
  } else if (type === 'thread_settings_applied') history.settings = line
  else if (!MEASURES.has(type)) carryLine(history, line)
}

/**
 * Codex 0.169 wraps everything it shows as an item. In older versions, every kind was an event of
 * its own.
 */
function describeEvent(payload: JsonObject): { type: string; text: string; callId?: string } {
  const shown = isJsonObject(payload.item) ? payload.item : payload
  const callId = readString(shown, shown === payload ? 'call_id' : 'id')
  const blocks: readonly unknown[] = Array.isArray(shown.content) ? shown.content : []
  const text =
    readString(shown, 'message') ??
    blocks.map((block) => readString(block, 'text') ?? '').join('\n')
  return { type: readString(shown, 'type') ?? '', text, callId }
}
