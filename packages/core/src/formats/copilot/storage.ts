import { toJsonText } from '../../conversation/json-text.ts'
import { addTo } from '../../conversation/lists.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, toObject } from '../shared/json.ts'
import { type JsonlSource, readLines } from '../shared/lines.ts'
import { readOnlyObject } from '../shared/session-format.ts'
import type { JsonPath, Span } from '../shared/spans.ts'

export interface Storage {
  /** The whole value of a document that is one object. Undefined for a log. */
  readonly body: JsonObject | undefined
  readonly log: MutationLog | undefined
  /** The session without its requests. */
  readonly facts: JsonObject
  readonly slots: readonly Slot[]
}

// The version of VS Code 1.108 and later. Older versions have the same members that precis reads.
const NEWEST_VERSION = 3

/** Throws `FormatError` for anything that is not a session, and for an unknown version. */
export function readStorage(source: JsonlSource): Storage {
  const storage = readBody(source) ?? readMutationLog(source)
  if (!storage) {
    throw new FormatError(
      'unknown-format',
      'Reading a copilot session: found neither an object with a list of requests nor a log that begins with one. Give a file of "chatSessions".',
    )
  }
  const { version } = storage.facts
  if (version !== undefined && !(typeof version === 'number' && version <= NEWEST_VERSION)) {
    throw new FormatError(
      'unknown-version',
      `Reading a copilot session: found version ${toJsonText(version).slice(0, 20)}, known are those up to ${NEWEST_VERSION}.`,
    )
  }
  return storage
}

function readBody(source: JsonlSource): Storage | undefined {
  const body = readOnlyObject(source)
  if (!body) return undefined
  const { requests, ...facts } = body
  if (!Array.isArray(requests)) return undefined
  const slots = requests.map((value: unknown, index) =>
    createSlot(value, index, ['requests', index]),
  )
  return { body, log: undefined, facts, slots }
}

/** The data that the extension stores with an answer: its rounds and the results of its tools. */
export function readMetadata(request: unknown): JsonObject {
  return toObject(readMember(readMember(request, 'result'), 'metadata'))
}

export function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/**
 * The log of a chat session in VS Code 1.109 and later: one whole state, then the changes.
 *
 *   {"kind":0,"v":{"sessionId":…,"requests":[a]}}         the state
 *   {"kind":2,"k":["requests"],"v":[b]}                   pushes b ("i": cuts off all from there first)
 *   {"kind":1,"k":["requests",1,"result"],"v":{…}}        sets a value
 *   {"kind":3,"k":["customTitle"]}                        deletes a value
 *
 * Values of lines never change in place. If a later line changes a value, it is copied once. The
 * text of every other value stays valid.
 */

export const FORMAT_NAME = 'copilot'

/** One element of `requests`, and where its parts were written. */
export interface Slot {
  value: unknown
  /** The line that added it, and its place in that line. */
  readonly line: number
  readonly path: JsonPath
  /** Lines that added or changed it, in ascending order. */
  readonly lines: number[]
  /** By member: the lines that changed it, in ascending order. */
  readonly changedBy: Map<string, number[]>
}

interface LogLine {
  readonly span: Span
  readonly value: JsonObject
}

export interface MutationLog {
  readonly lines: ReadonlyMap<number, LogLine>
  /** Whether a line could not be read. VS Code refuses such a session. */
  readonly isBroken: boolean
}

interface LogReplay {
  facts: Record<string, unknown>
  slots: Slot[]
  readonly owned: Set<object>
}

const SET = 1
const PUSH = 2
const DELETE = 3

/** Undefined if the first line is not a whole state. */
function readMutationLog(source: JsonlSource): Storage | undefined {
  const replay: LogReplay = { facts: {}, slots: [], owned: new Set() }
  const lines = new Map<number, LogLine>()
  let isBroken = false
  for (const { index, start, end, value, problem } of readLines(source, FORMAT_NAME)) {
    if (problem) isBroken = true
    if (!isJsonObject(value)) continue
    if (lines.size === 0 && !(value.kind === 0 && isJsonObject(value.v))) return undefined
    lines.set(index, { span: { start, end }, value })
    replayLine(replay, index, value)
  }
  const { facts, slots } = replay
  return lines.size === 0 ? undefined : { body: undefined, log: { lines, isBroken }, facts, slots }
}

function replayLine(replay: LogReplay, line: number, { kind, k, v, i }: JsonObject): void {
  if (kind === 0 && isJsonObject(v)) {
    const { requests, ...facts } = v
    replay.facts = facts
    replay.slots = createSlots(requests, line, ['v', 'requests'])
    return
  }
  if (!Array.isArray(k) || k.length === 0) return
  const change: LogChange = { kind, value: v, from: i }
  if (k[0] !== 'requests') changeAt(replay.facts, k, change, replay.owned)
  else if (k.length === 1) changeRequests(replay, line, change)
  else changeRequest(replay, line, k, change)
}

function createSlots(requests: unknown, line: number, path: JsonPath): Slot[] {
  const list: readonly unknown[] = Array.isArray(requests) ? requests : []
  return list.map((value, index) => createSlot(value, line, [...path, index]))
}

function createSlot(value: unknown, line: number, path: JsonPath): Slot {
  return { value, line, path, lines: [line], changedBy: new Map() }
}

interface LogChange {
  readonly kind: unknown
  readonly value: unknown
  /** For a push: the number of elements that stay before the new ones. */
  readonly from: unknown
}

function changeRequests(replay: LogReplay, line: number, { kind, value, from }: LogChange): void {
  if (kind === DELETE) replay.slots = []
  if (kind === SET) replay.slots = createSlots(value, line, ['v'])
  if (kind !== PUSH) return
  truncate(replay.slots, from)
  for (const slot of createSlots(value, line, ['v'])) replay.slots.push(slot)
}

function changeRequest(
  replay: LogReplay,
  line: number,
  path: readonly unknown[],
  change: LogChange,
): void {
  const [, index, member] = path
  if (typeof index !== 'number') return
  if (path.length === 2) {
    const isPlace = Number.isInteger(index) && index >= 0 && index <= replay.slots.length
    if (change.kind === SET && isPlace) replay.slots[index] = createSlot(change.value, line, ['v'])
    return
  }
  const slot = replay.slots[index]
  if (!slot || !isJsonObject(slot.value)) return
  const value = own(slot.value, replay.owned)
  changeAt(value, path.slice(2), change, replay.owned)
  slot.value = value
  addTo(slot.changedBy, typeof member === 'string' ? member : toJsonText(member), line)
  if (slot.lines.at(-1) !== line) slot.lines.push(line)
}

/** Ignores a path that does not exist. */
function changeAt(
  root: object,
  path: readonly unknown[],
  { kind, value, from }: LogChange,
  owned: Set<object>,
): void {
  let place = root
  for (const step of path.slice(0, -1)) {
    const child = readStep(place, step)
    if (typeof child !== 'object' || child === null) return
    const copy = own(child, owned)
    writeStep(place, step, copy)
    place = copy
  }
  const last = path.at(-1)
  if (kind === SET) writeStep(place, last, value)
  if (kind === DELETE) deleteStep(place, last)
  if (kind !== PUSH) return
  const before = readStep(place, last)
  const list: unknown[] = Array.isArray(before) ? own(before, owned) : own([], owned)
  truncate(list, from)
  if (Array.isArray(value)) for (const element of value) list.push(element)
  writeStep(place, last, list)
}

function own<T extends object>(value: T, owned: Set<object>): T {
  if (owned.has(value)) return value
  const copy: T = Array.isArray(value) ? Object.assign([], value) : { ...value }
  owned.add(copy)
  return copy
}

function truncate(list: unknown[], length: unknown): void {
  if (
    typeof length === 'number' &&
    Number.isInteger(length) &&
    length >= 0 &&
    length < list.length
  ) {
    list.length = length
  }
}

function readStep(place: object, step: unknown): unknown {
  if (Array.isArray(place)) return typeof step === 'number' ? place[step] : undefined
  return typeof step === 'string' && Object.hasOwn(place, step)
    ? Reflect.get(place, step)
    : undefined
}

function writeStep(place: object, step: unknown, value: unknown): void {
  if (Array.isArray(place)) {
    // An index far after the end would create a list with holes.
    if (typeof step === 'number' && Number.isInteger(step) && step >= 0 && step <= place.length)
      place[step] = value
  } else if (typeof step === 'string' && step !== '__proto__') Reflect.set(place, step, value)
}

function deleteStep(place: object, step: unknown): void {
  if (Array.isArray(place)) writeStep(place, step, undefined)
  else if (typeof step === 'string') Reflect.deleteProperty(place, step)
}
