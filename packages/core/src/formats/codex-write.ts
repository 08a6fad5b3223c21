/** Writes a rollout that Codex resumes with exactly the given messages. */
import type { Message } from '../conversation/message.ts'
import { type EventLine, isSurroundings, type Rollout, type RolloutItem, type StateLine } from './codex-rollout.ts'
import type { NewSession } from './format.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { findArrayElements, type Replacement, type Span, spliceValues } from './json-spans.ts'
import { toJsonText } from './json-text.ts'
import type { JsonlSource, OutputPiece } from './jsonl.ts'
import { readItemType } from './responses-items.ts'
import { createItemWriter, type ItemWrite, readWritten } from './responses-items-write.ts'

export interface RolloutEdit {
  readonly messages: readonly Message[]
  /** Other base instructions, when they were edited. */
  readonly instructions?: string
  readonly newSession?: NewSession
}

export function writeRollout(source: JsonlSource, rollout: Rollout, edit: RolloutEdit): Iterable<OutputPiece> {
  const writeItems = createItemWriter()
  const writes = edit.messages.flatMap(writeItems).map((write) => resolve(rollout, write))
  return new RolloutWriter(source, rollout, edit, findChanges(writes)).write(writes)
}

type Resolved = { readonly write: ItemWrite; readonly item?: RolloutItem }

/** An item that came from another document has no bytes in this one. */
function resolve(rollout: Rollout, write: ItemWrite): Resolved {
  const item = write.type === 'new' ? undefined : rollout.items[write.ordinal]
  if (item && item.item === write.item) return { write, item }
  return { write: { type: 'new', item: readWritten(write) } }
}

interface Changes {
  readonly changedCalls: ReadonlySet<string>
  /** New outputs by call id, for the copies that events hold. */
  readonly outputs: ReadonlyMap<string, string>
  readonly keptOrdinals: ReadonlySet<number>
}

function findChanges(writes: readonly Resolved[]): Changes {
  const changedCalls = new Set<string>()
  const outputs = new Map<string, string>()
  const keptOrdinals = new Set<number>()
  for (const { write, item } of writes) {
    if (item) keptOrdinals.add(item.ordinal)
    if (write.type === 'kept') continue
    const written = readWritten(write)
    const { call_id: callId, output } = written
    if (typeof callId !== 'string') continue
    if (readItemType(written).endsWith('_call')) changedCalls.add(callId)
    else outputs.set(callId, typeof output === 'string' ? output : toJsonText(output ?? ''))
  }
  return { changedCalls, outputs, keptOrdinals }
}

class RolloutWriter {
  readonly #source: JsonlSource
  readonly #rollout: Rollout
  readonly #edit: RolloutEdit
  readonly #changes: Changes
  readonly #timestamp: string
  readonly #elements = new Map<number, readonly Span[]>()
  #states: readonly StateLine[]
  #stateIndex = 0
  #turn = -1
  #lineCount = 0
  readonly #opened = new Set<number>()

  constructor(source: JsonlSource, rollout: Rollout, edit: RolloutEdit, changes: Changes) {
    this.#source = source
    this.#rollout = rollout
    this.#edit = edit
    this.#changes = changes
    this.#timestamp = edit.newSession?.timestamp ?? rollout.timestamp
    this.#states = findValidStates(rollout, changes.keptOrdinals)
  }

  *write(writes: readonly Resolved[]): Generator<OutputPiece> {
    yield* this.#writeMeta()
    if (!this.#hasRequestEvent(writes)) yield* this.#writeTitle()
    for (const { write, item } of writes) {
      if (!item) {
        yield* this.#writeNewLine('response_item', toJsonText(readWritten(write)))
        continue
      }
      yield* this.#enterTurn(item.turn)
      yield* this.#writeStates(item.ordinal)
      for (const event of item.before) yield* this.#writeEvent(event, item, write)
      yield* this.#writeItem(write, item)
      for (const event of item.after) yield* this.#writeEvent(event, item, write)
    }
    yield* this.#writeStates(Number.POSITIVE_INFINITY)
    yield* this.#enterTurn(-1)
  }

  *#writeMeta(): Generator<OutputPiece> {
    const { newSession, instructions } = this.#edit
    const { line, payload } = this.#rollout.meta
    const changes: Replacement[] = []
    if (newSession) {
      const id = JSON.stringify(newSession.sessionId)
      changes.push({ path: ['payload', 'id'], json: id })
      if (payload.session_id === payload.id) changes.push({ path: ['payload', 'session_id'], json: id })
      for (const path of [['timestamp'], ['payload', 'timestamp']]) {
        changes.push({ path, json: JSON.stringify(newSession.timestamp) })
      }
    }
    if (instructions !== undefined) {
      changes.push({ path: ['payload', 'base_instructions', 'text'], json: JSON.stringify(instructions) })
    }
    yield* this.#writeLine(line, changes)
  }

  /** Codex lists no thread without a request; the title stands in for those that are gone. */
  *#writeTitle(): Generator<OutputPiece> {
    const { newSession } = this.#edit
    if (!newSession) return
    const event = this.#rollout.isNumbered ? createShownItem(newSession) : createShownMessage(newSession.title)
    yield* this.#writeNewLine('event_msg', toJsonText(event))
  }

  #hasRequestEvent(writes: readonly Resolved[]): boolean {
    return writes.some(({ item }) => item?.after.some(({ type }) => type === 'user_message' || type === 'UserMessage'))
  }

  *#enterTurn(turn: number): Generator<OutputPiece> {
    if (turn === this.#turn) return
    const { turns } = this.#rollout
    for (const line of turns[this.#turn]?.closing ?? []) yield* this.#writeLine(line)
    this.#turn = turn
    if (this.#opened.has(turn)) return
    this.#opened.add(turn)
    for (const line of turns[turn]?.opening ?? []) yield* this.#writeLine(line)
  }

  /** States that come before the item; of several turn contexts in a row only the last one says anything. */
  *#writeStates(ordinal: number): Generator<OutputPiece> {
    const due: StateLine[] = []
    for (; this.#stateIndex < this.#states.length; this.#stateIndex++) {
      const state = this.#states[this.#stateIndex]
      if (!state || state.ordinal > ordinal) break
      due.push(state)
    }
    const lastContext = due.findLastIndex((state) => state.type === 'turn_context')
    for (const [index, { type, line }] of due.entries()) {
      if (type !== 'turn_context' || index === lastContext) yield* this.#writeLine(line)
    }
  }

  *#writeItem(write: ItemWrite, item: RolloutItem): Generator<OutputPiece> {
    if (item.element !== undefined) {
      const element = write.type === 'kept' ? this.#findElement(item) : undefined
      return yield* this.#writeNewLine('response_item', element ?? toJsonText(readWritten(write)))
    }
    const fields = write.type === 'changed' ? Object.entries(write.fields) : []
    yield* this.#writeLine(
      item.line,
      fields.map(([key, value]) => ({
        path: ['payload', key],
        json: value === undefined ? undefined : toJsonText(value),
        append: true,
      })),
    )
  }

  /** Where an item inside of `replacement_history` lies. */
  #findElement({ line, element = -1 }: RolloutItem): Span | undefined {
    let spans = this.#elements.get(line.start)
    if (!spans) {
      const units = this.#source.readUnits(line.start, line.end)
      spans = findArrayElements(units, ['payload', 'replacement_history']) ?? []
      this.#elements.set(line.start, spans)
    }
    const span = spans[element]
    return span && { start: line.start + span.start, end: line.start + span.end }
  }

  *#writeEvent({ type, line }: EventLine, item: RolloutItem, write: ItemWrite): Generator<OutputPiece> {
    if (type === 'ghost_snapshot') return yield* this.#writeLine(line)
    const callId = item.item.call_id
    const output = typeof callId === 'string' ? this.#changes.outputs.get(callId) : undefined
    if (write.type === 'kept' && output === undefined) return yield* this.#writeLine(line, [], 'event')
    const isCallChanged = typeof callId === 'string' && this.#changes.changedCalls.has(callId)
    if (output !== undefined && !isCallChanged) {
      // The only copy of an output that Codex shows again; every other event of the call is left out with it.
      if (type === 'exec_command_end') yield* this.#writeLine(line, replaceOutput(output), 'event')
      return
    }
    const text = readItemText(readWritten(write))
    if (text !== undefined) yield* this.#writeLine(line, replaceShownText(type, text), 'event')
  }

  *#writeLine(line: Span, replacements: readonly Replacement[] = [], kind?: 'event'): Generator<OutputPiece> {
    const changes = [...replacements]
    const { newSession } = this.#edit
    if (this.#rollout.isNumbered) changes.push({ path: ['ordinal'], json: String(this.#lineCount) })
    if (newSession && kind) changes.push({ path: ['payload', 'thread_id'], json: JSON.stringify(newSession.sessionId) })
    this.#lineCount++
    if (changes.length === 0) yield line
    else {
      for (const piece of spliceValues(this.#source.readUnits(line.start, line.end), changes)) {
        if (typeof piece === 'string') yield piece
        else yield { start: line.start + piece.start, end: line.start + piece.end }
      }
    }
    yield this.#rollout.lineBreak
  }

  *#writeNewLine(type: string, payload: OutputPiece): Generator<OutputPiece> {
    const number = this.#rollout.isNumbered ? `"ordinal":${this.#lineCount},` : ''
    this.#lineCount++
    yield `{"timestamp":${JSON.stringify(this.#timestamp)},${number}"type":"${type}","payload":`
    yield payload
    yield `}${this.#rollout.lineBreak}`
  }
}

function createShownMessage(message: string): JsonObject {
  return { type: 'user_message', message, images: [], local_images: [], text_elements: [] }
}

/** The same, as Codex 0.169 has it in rollouts whose lines it numbers. */
function createShownItem({ title, sessionId, createId }: NewSession): JsonObject {
  const item = { type: 'UserMessage', id: createId(), content: [{ type: 'text', text: title, text_elements: [] }] }
  return {
    type: 'item_completed',
    thread_id: sessionId,
    turn_id: createId(),
    item,
    started_at_ms: 0,
    completed_at_ms: 0,
  }
}

/**
 * Codex tells the model of its surroundings again as far as they differ from what the last state says it was told.
 * So a state is true only while all that was told up to it is still there; without any, everything is told anew.
 */
function findValidStates(rollout: Rollout, kept: ReadonlySet<number>): readonly StateLine[] {
  const lost = rollout.items.find((item) => !kept.has(item.ordinal) && isSurroundings(item))
  if (!lost) return rollout.states
  const isTold = (type: string) => type === 'turn_context' || type === 'world_state'
  return rollout.states.filter((state) => !isTold(state.type) || state.ordinal <= lost.ordinal)
}

function replaceOutput(output: string): Replacement[] {
  const empty = ['stdout', 'stderr', 'formatted_output'].map((key) => ({ path: ['payload', key], json: '""' }))
  return [...empty, { path: ['payload', 'aggregated_output'], json: JSON.stringify(output) }]
}

function replaceShownText(type: string, text: string): Replacement[] {
  if (type === 'UserMessage' || type === 'AgentMessage') {
    const block = { type: type === 'UserMessage' ? 'text' : 'Text', text }
    return [{ path: ['payload', 'item', 'content'], json: JSON.stringify([block]) }]
  }
  const json = JSON.stringify(text)
  return [
    { path: ['payload', 'message'], json },
    { path: ['payload', 'text'], json },
    { path: ['payload', 'images'], json: '[]' },
    { path: ['payload', 'text_elements'], json: '[]' },
  ]
}

/** Text of a message or of the summary of a reasoning item. */
function readItemText(item: JsonObject): string | undefined {
  const blocks = item.content ?? item.summary
  if (typeof blocks === 'string') return blocks
  if (!Array.isArray(blocks)) return undefined
  return blocks
    .flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
}
