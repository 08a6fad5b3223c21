/**
 * Writes a rollout that Codex resumes with exactly the given messages. If no line holds a
 * description (`world_state`) or a measure (`token_count`), Codex describes its surroundings and
 * measures the session again:
 *
 *   session_meta · turn_context · task_started · items, each between the events that show it · task_complete · …
 */

import { toJsonText } from '../../conversation/json-text.ts'
import {
  type Conversation,
  type Message,
  readText,
  renderPart,
} from '../../conversation/message.ts'
import { readOwnCompaction, toPlainMessage } from '../openai-responses/own-compaction.ts'
import { readItem } from '../openai-responses/read-items.ts'
import { createItemWriter, type ItemWrite, readWritten } from '../openai-responses/write-items.ts'
import type { NewSession } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember } from '../shared/json.ts'
import {
  type JsonlSource,
  type OutputPiece,
  readLines,
  readObject,
  spliceLine,
} from '../shared/lines.ts'
import { findGoneCalls, namesAny } from '../shared/records.ts'
import { findArrayElements, type Replacement, type Span } from '../shared/spans.ts'
import {
  type CodexDocument,
  FORMAT_NAME,
  isTypedEvent,
  type Rollout,
  type RolloutItem,
  type RolloutTurn,
  renameMeta,
  renameThread,
} from './rollout.ts'
import {
  createShownEvent,
  createTitleEvent,
  findChangedCalls,
  type PlacedWrite,
  rewriteEvent,
} from './shown-events.ts'

type LineDraft =
  | { readonly type: 'kept'; readonly line: Span; readonly replacements: readonly Replacement[] }
  | {
      readonly type: 'new'
      readonly kind: 'response_item' | 'event_msg'
      readonly payload: OutputPiece
    }

export function* writeSession(
  document: CodexDocument,
  { messages }: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, rollout } = document
  const timestamp = JSON.stringify(newSession?.timestamp ?? rollout.timestamp)
  const writeItems = createItemWriter()
  const writes = messages.flatMap((message, index) =>
    writeItems(message).map((write) => ({
      ...placeWrite(rollout, newSession ? toPlain(write, messages, index, newSession) : write),
      message,
    })),
  )
  let lineCount = 0
  for (const draft of draftLines(document, messages, writes, newSession)) {
    if (draft.type === 'kept') {
      const number: Replacement[] = rollout.isNumbered
        ? [{ path: ['ordinal'], json: String(lineCount) }]
        : []
      yield* spliceLine(source, draft.line, [...draft.replacements, ...number])
    } else {
      const number = rollout.isNumbered ? `"ordinal":${lineCount},` : ''
      yield `{"timestamp":${timestamp},${number}"type":"${draft.kind}","payload":`
      yield draft.payload
      yield '}'
    }
    yield rollout.lineBreak
    lineCount++
  }
}

/** A session that continues elsewhere may not have the gateway that reads its items. */
function toPlain(
  write: ItemWrite,
  messages: readonly Message[],
  index: number,
  { withoutQuotes }: NewSession,
): ItemWrite {
  const summary = write.type === 'kept' ? readOwnCompaction(write.item) : undefined
  if (summary === undefined) return write
  const before = messages.slice(0, index)
  const typed = before.filter(({ origin }) => origin === 'user').map(readText)
  return { type: 'new', item: toPlainMessage(withoutQuotes?.(summary, typed) ?? summary) }
}

/** An item that came from another document has no bytes in this document. */
function placeWrite(rollout: Rollout, write: ItemWrite): Omit<PlacedWrite, 'message'> {
  const item = write.type === 'new' ? undefined : rollout.items[write.ordinal]
  if (item && item.item === write.item) return { write, item }
  return { write: { type: 'new', item: readWritten(write) } }
}

function* draftLines(
  document: CodexDocument,
  messages: readonly Message[],
  writes: readonly PlacedWrite[],
  newSession: NewSession | undefined,
): Generator<LineDraft> {
  const { source, rollout } = document
  const { meta, turnContext, settings, turns, leading } = rollout
  const findReplacements = createCarrier(
    document,
    messages,
    writes.map(({ item }) => item),
  )
  const carry = function* (line: Span): Generator<LineDraft> {
    const replacements = findReplacements(line, newSession)
    if (replacements) yield keepLine(line, replacements)
  }
  yield keepLine(meta.line, newSession && renameMeta(meta.payload, newSession))
  // It precedes every turn with the model and the folder, and belongs to no turn.
  if (turnContext) yield keepLine(turnContext)
  for (const line of settings ? [settings, ...leading] : leading) yield* carry(line)
  const isListed = writes.some(({ item, message }) =>
    item
      ? item.after.some(({ type }) => type !== undefined && isTypedEvent(type))
      : message.role === 'user' && message.origin === 'user',
  )
  if (newSession && !isListed)
    yield draftNew('event_msg', toJsonText(createTitleEvent(rollout, newSession)))
  const changedCalls = findChangedCalls(writes)
  const draftItem = createItemDrafter(source)
  const enterTurn = createTurnDrafter(turns, carry)
  for (const { write, item, message } of writes) {
    if (!item) {
      yield* draftAdded(rollout, message, readWritten(write))
      continue
    }
    yield* enterTurn(item.turn)
    const draftEvents = function* (events: RolloutItem['before']): Generator<LineDraft> {
      for (const event of events) {
        if (event.type === undefined) {
          yield* carry(event.line)
          continue
        }
        const replacements = rewriteEvent(event.type, item, write, changedCalls)
        if (replacements)
          yield keepLine(event.line, [
            ...replacements,
            ...(newSession ? renameThread(newSession) : []),
          ])
      }
    }
    yield* draftEvents(item.before)
    yield draftItem(write, item)
    yield* draftEvents(item.after)
  }
  yield* enterTurn(-1)
}

/** An item that no line has yet, and the event with which Codex shows it. */
function* draftAdded(
  rollout: CodexDocument['rollout'],
  message: Message,
  written: ReturnType<typeof readWritten>,
): Generator<LineDraft> {
  const shown = createShownEvent(rollout, message, written)
  const event = shown && draftNew('event_msg', toJsonText(shown))
  if (event && message.role === 'assistant') yield event
  yield draftNew('response_item', toJsonText(written))
  if (event && message.role === 'user') yield event
}

/**
 * Closes the turn before and opens the given turn, once. A turn with nothing left in it is never
 * opened.
 */
function createTurnDrafter(
  turns: readonly RolloutTurn[],
  carry: (line: Span) => Generator<LineDraft>,
): (turn: number) => Generator<LineDraft> {
  const opened = new Set<number>()
  let current = -1
  return function* (turn) {
    if (turn === current) return
    for (const line of turns[current]?.closing ?? []) yield* carry(line)
    current = turn
    if (opened.has(turn)) return
    opened.add(turn)
    for (const line of turns[turn]?.opening ?? []) yield* carry(line)
  }
}

function createItemDrafter(
  source: JsonlSource,
): (write: ItemWrite, item: RolloutItem) => LineDraft {
  const elements = new Map<number, readonly Span[]>()
  /** The place of an item inside `replacement_history`. */
  const findElement = ({ line, element = -1 }: RolloutItem): Span | undefined => {
    let spans = elements.get(line.start)
    if (!spans) {
      spans =
        findArrayElements(source.readUnits(line.start, line.end), [
          'payload',
          'replacement_history',
        ]) ?? []
      elements.set(line.start, spans)
    }
    const span = spans[element]
    return span && { start: line.start + span.start, end: line.start + span.end }
  }
  return (write, item) => {
    if (item.element !== undefined) {
      const span = write.type === 'kept' ? findElement(item) : undefined
      return draftNew('response_item', span ?? toJsonText(readWritten(write)))
    }
    const fields = write.type === 'changed' ? Object.entries(write.fields) : []
    return keepLine(
      item.line,
      fields.map(([key, value]) => ({
        path: ['payload', key],
        json: value === undefined ? undefined : toJsonText(value),
        append: true,
      })),
    )
  }
}

function keepLine(line: Span, replacements: readonly Replacement[] = []): LineDraft {
  return { type: 'kept', line, replacements }
}

function draftNew(kind: 'response_item' | 'event_msg', payload: OutputPiece): LineDraft {
  return { type: 'new', kind, payload }
}

/**
 * Every line under another id, including dead lines. Items of the gateway become plain messages.
 * For a conversation without edits.
 */
export function* cloneSession(
  { source, rollout }: CodexDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const { meta, lineBreak } = rollout
  for (const line of readLines(source, FORMAT_NAME)) {
    if (!isJsonObject(line.value)) continue
    const isOwn = readMember(line.value.payload, 'thread_id') === meta.payload.id
    const span = { start: line.start, end: line.end }
    if (span.start === meta.line.start)
      yield* spliceLine(source, span, renameMeta(meta.payload, newSession))
    else
      yield* spliceLine(source, span, [
        ...(isOwn ? renameThread(newSession) : []),
        ...replaceOwnItems(line.value, newSession),
      ])
    yield lineBreak
  }
}

function replaceOwnItems({ payload }: JsonObject, { withoutQuotes }: NewSession): Replacement[] {
  const items = readMember(payload, 'replacement_history')
  if (!Array.isArray(items)) return []
  const typed: string[] = []
  return items.flatMap((item: unknown, index) => {
    if (!isJsonObject(item)) return []
    const summary = readOwnCompaction(item)
    if (summary === undefined) {
      const { side, parts } = readItem(item, index)
      if (side === 'user') typed.push(parts.map(renderPart).join('\n'))
      return []
    }
    const json = toJsonText(toPlainMessage(withoutQuotes?.(summary, typed) ?? summary))
    return [{ path: ['payload', 'replacement_history', index], json }]
  })
}

/**
 * For a line that shows no item, returns what changes in it. Undefined if it names a removed item
 * or call. `kept` are the items of the changed session.
 */
function createCarrier(
  { source, rollout, messages: originals }: CodexDocument,
  messages: readonly Message[],
  kept: readonly (RolloutItem | undefined)[],
): (line: Span, newSession: NewSession | undefined) => readonly Replacement[] | undefined {
  const gone = new Set(rollout.ids)
  for (const { item } of kept.filter((item) => item !== undefined))
    for (const id of [item.id, item.call_id]) if (typeof id === 'string') gone.delete(id)
  for (const callId of findGoneCalls(originals, messages)) gone.add(callId)
  return (line, newSession) => {
    const { payload } = readObject(source, line)
    if (namesAny(payload, gone)) return undefined
    const isOwn = readMember(payload, 'thread_id') === rollout.meta.payload.id
    return isOwn && newSession ? renameThread(newSession) : []
  }
}
