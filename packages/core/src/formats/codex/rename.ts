/** A line under the id of a new session, all its other bytes as they were. */
import type { NewSession } from '../format.ts'
import type { JsonlSource, OutputPiece } from '../json/lines.ts'
import type { JsonObject } from '../json/object.ts'
import { type Replacement, type Span, spliceValues } from '../json/spans.ts'

export function renameMeta(payload: JsonObject, { sessionId, timestamp }: NewSession): Replacement[] {
  const id = JSON.stringify(sessionId)
  const time = JSON.stringify(timestamp)
  return [
    { path: ['payload', 'id'], json: id },
    ...(payload.session_id === payload.id ? [{ path: ['payload', 'session_id'], json: id }] : []),
    { path: ['timestamp'], json: time },
    { path: ['payload', 'timestamp'], json: time },
  ]
}

/** Of an event that names its thread. */
export function renameThread({ sessionId }: NewSession): Replacement[] {
  return [{ path: ['payload', 'thread_id'], json: JSON.stringify(sessionId) }]
}

export function* spliceLine(
  source: JsonlSource,
  line: Span,
  replacements: readonly Replacement[],
): Generator<OutputPiece> {
  if (replacements.length === 0) {
    yield line
    return
  }
  for (const piece of spliceValues(source.readUnits(line.start, line.end), replacements)) {
    if (typeof piece === 'string') yield piece
    else yield { start: line.start + piece.start, end: line.start + piece.end }
  }
}
