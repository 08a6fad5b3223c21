/**
 * Writes a rollout that Codex resumes with exactly the given messages. Codex tells its surroundings anew and measures
 * anew, as long as no line says what was told (`world_state`) or how full the session was (`token_count`):
 *
 *   session_meta · turn_context · task_started · items, each between the events that show it · task_complete · …
 */
import { toJsonText } from '../../conversation/json-text.ts'
import type { Message } from '../../conversation/message.ts'
import type { NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, spliceLine } from '../json/lines.ts'
import { findArrayElements, type Replacement, type Span } from '../json/spans.ts'
import { createItemWriter, type ItemWrite, readWritten } from '../openai-responses/write-items.ts'
import { isTypedEvent } from './read-events.ts'
import { renameMeta, renameThread } from './rename.ts'
import type { Rollout, RolloutItem, RolloutTurn } from './rollout.ts'
import { createShownEvent, createTitleEvent, findChangedCalls, rewriteEvent } from './write-events.ts'

/** An item to write; `item` is the one of this rollout that it came from. */
interface PlacedWrite {
  readonly write: ItemWrite
  readonly item?: RolloutItem
  readonly message: Message
}

type LineDraft =
  | { readonly type: 'kept'; readonly line: Span; readonly replacements: readonly Replacement[] }
  | { readonly type: 'new'; readonly kind: 'response_item' | 'event_msg'; readonly payload: OutputPiece }

export function* writeSession(
  source: JsonlSource,
  rollout: Rollout,
  messages: readonly Message[],
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const timestamp = JSON.stringify(newSession?.timestamp ?? rollout.timestamp)
  const writeItems = createItemWriter()
  const writes = messages.flatMap((message) =>
    writeItems(message).map((write) => ({ ...placeWrite(rollout, write), message })),
  )
  let lineCount = 0
  for (const draft of draftLines(source, rollout, writes, newSession)) {
    if (draft.type === 'kept') {
      const number: Replacement[] = rollout.isNumbered ? [{ path: ['ordinal'], json: String(lineCount) }] : []
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

/** An item that came from another document has no bytes in this one. */
function placeWrite(rollout: Rollout, write: ItemWrite): Omit<PlacedWrite, 'message'> {
  const item = write.type === 'new' ? undefined : rollout.items[write.ordinal]
  if (item && item.item === write.item) return { write, item }
  return { write: { type: 'new', item: readWritten(write) } }
}

function* draftLines(
  source: JsonlSource,
  rollout: Rollout,
  writes: readonly PlacedWrite[],
  newSession: NewSession | undefined,
): Generator<LineDraft> {
  const { meta, turnContext, turns } = rollout
  yield keepLine(meta.line, newSession && renameMeta(meta.payload, newSession))
  // Before every turn, where it tells the model and the directory but not that anything was told in a turn.
  if (turnContext) yield keepLine(turnContext)
  const isListed = writes.some(({ item, message }) =>
    item ? item.after.some(({ type }) => isTypedEvent(type)) : message.role === 'user' && message.origin === 'user',
  )
  if (newSession && !isListed) yield draftNew('event_msg', toJsonText(createTitleEvent(rollout, newSession)))
  const changedCalls = findChangedCalls(writes)
  const draftItem = createItemDrafter(source)
  const enterTurn = createTurnDrafter(turns)
  for (const { write, item, message } of writes) {
    if (!item) {
      const written = readWritten(write)
      const shown = createShownEvent(rollout, message, written)
      const event = shown && draftNew('event_msg', toJsonText(shown))
      if (event && message.role === 'assistant') yield event
      yield draftNew('response_item', toJsonText(written))
      if (event && message.role === 'user') yield event
      continue
    }
    yield* enterTurn(item.turn)
    const draftEvents = function* (events: RolloutItem['before']): Generator<LineDraft> {
      for (const event of events) {
        const replacements = rewriteEvent(event, item, write, changedCalls)
        if (replacements) yield keepLine(event.line, [...replacements, ...(newSession ? renameThread(newSession) : [])])
      }
    }
    yield* draftEvents(item.before)
    yield draftItem(write, item)
    yield* draftEvents(item.after)
  }
  yield* enterTurn(-1)
}

/** Closes the turn before and opens the given one, once; a turn of which nothing is left is never opened. */
function createTurnDrafter(turns: readonly RolloutTurn[]): (turn: number) => Generator<LineDraft> {
  const opened = new Set<number>()
  let current = -1
  return function* (turn) {
    if (turn === current) return
    for (const line of turns[current]?.closing ?? []) yield keepLine(line)
    current = turn
    if (opened.has(turn)) return
    opened.add(turn)
    for (const line of turns[turn]?.opening ?? []) yield keepLine(line)
  }
}

function createItemDrafter(source: JsonlSource): (write: ItemWrite, item: RolloutItem) => LineDraft {
  const elements = new Map<number, readonly Span[]>()
  /** Where an item inside of `replacement_history` lies. */
  const findElement = ({ line, element = -1 }: RolloutItem): Span | undefined => {
    let spans = elements.get(line.start)
    if (!spans) {
      spans = findArrayElements(source.readUnits(line.start, line.end), ['payload', 'replacement_history']) ?? []
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
