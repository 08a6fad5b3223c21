/** Writes a log again: its own lines with other values, or one line with the whole state. */
import { toJsonText } from '../../conversation/json-text.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../shared/json.ts'
import type { JsonlSource, OutputPiece } from '../shared/lines.ts'
import { rewriteJson } from '../shared/rewrite.ts'
import { findArrayElements, findValue, type JsonPath, type Span } from '../shared/spans.ts'
import type { MutationLog, Slot } from './storage.ts'

export interface WrittenRequest {
  readonly value: unknown
  readonly slot: Slot | undefined
}

/**
 * A changed member is written where it was last written, so that no later line changes it again.
 *
 *   {"kind":0,"v":{"requests":[{"message":…}]}}           the question: in its place
 *   {"kind":2,"k":["requests",0,"response"],"v":[a]}      {"kind":2,"k":["requests",0,"response"]}
 *   {"kind":2,"k":["requests",0,"response"],"v":[b]}      {"kind":1,"k":["requests",0,"response"],"v":[a′,b′]}
 */
export function* writeLogLines(
  source: JsonlSource,
  log: MutationLog,
  requests: readonly WrittenRequest[],
): Generator<OutputPiece> {
  const changed = new Map<number, JsonObject>()
  for (const [index, { slot, value }] of requests.entries()) {
    if (slot && value !== slot.value) changeLines(log, changed, index, slot, value)
  }
  let position = 0
  for (const [index, value] of [...changed].sort(([a], [b]) => a - b)) {
    const line = log.lines.get(index)
    if (!line) continue
    const { start, end } = line.span
    yield { start: position, end: start }
    yield rewriteJson(source.readText(start, end), line.value, value)
    position = end
  }
  yield { start: position, end: source.length }
}

function changeLines(
  log: MutationLog,
  changed: Map<number, JsonObject>,
  index: number,
  { value: before, line, path, changedBy }: Slot,
  after: unknown,
): void {
  const keys = new Set(
    [before, after].flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [])),
  )
  for (const key of keys) {
    const value = readMember(after, key)
    if (Object.is(value, readMember(before, key))) continue
    const written = changedBy.get(key)
    for (const at of written ?? [line]) {
      const entry = changed.get(at) ?? log.lines.get(at)?.value
      if (!entry) continue
      const k = keepPath(entry.k, ['requests', index, key])
      const isLast = at === written?.at(-1)
      if (!written) changed.set(at, changeWithin(entry, [...path, key], value))
      else if (isLast)
        changed.set(
          at,
          withMembers(entry, { kind: value === undefined ? 3 : 1, k, v: value, i: undefined }),
        )
      // An earlier value that is out of date becomes a push of nothing.
      else changed.set(at, withMembers(entry, { kind: 2, k, v: undefined, i: undefined }))
    }
  }
}

function keepPath(before: unknown, path: JsonPath): unknown {
  return Array.isArray(before) && before.length === path.length ? before : path
}

function changeWithin(root: JsonObject, path: JsonPath, value: unknown): JsonObject {
  const places: unknown[] = [root]
  for (const step of path.slice(0, -1)) places.push(readStep(places.at(-1), step))
  let changed = value
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const place = places[depth]
    const step = path[depth]
    if (Array.isArray(place) && typeof step === 'number') changed = place.with(step, changed)
    else if (isJsonObject(place) && typeof step === 'string')
      changed = withMembers(place, { [step]: changed })
  }
  return isJsonObject(changed) ? changed : root
}

function readStep(place: unknown, step: string | number): unknown {
  if (typeof step === 'string') return readMember(place, step)
  return Array.isArray(place) ? place[step] : undefined
}

/** If a request is whole in one line, its text is kept. */
export function* writeLogState(
  source: JsonlSource,
  log: MutationLog,
  facts: JsonObject,
  requests: readonly WrittenRequest[],
): Generator<OutputPiece> {
  const readText = createTextReader(source, log)
  const head = toJsonText(facts).slice(0, -1)
  yield `{"kind":0,"v":${head}${head === '{' ? '' : ','}"requests":[`
  for (const [index, { slot, value }] of requests.entries()) {
    const text = slot?.changedBy.size === 0 ? readText(slot) : undefined
    yield `${index > 0 ? ',' : ''}${text !== undefined && slot ? rewriteJson(text, slot.value, value) : toJsonText(value)}`
  }
  yield ']}}\n'
}

function createTextReader(
  source: JsonlSource,
  log: MutationLog,
): (slot: Slot) => string | undefined {
  let line = -1
  let text = ''
  let spans: readonly Span[] = []
  return (slot) => {
    const span = log.lines.get(slot.line)?.span
    if (!span) return undefined
    if (slot.line !== line) {
      line = slot.line
      text = source.readText(span.start, span.end)
      spans = findArrayElements(text, slot.path.slice(0, -1)) ?? []
    }
    const place = slot.path.at(-1)
    const found = typeof place === 'number' ? spans[place] : findValue(text, slot.path)
    return found && text.slice(found.start, found.end)
  }
}
