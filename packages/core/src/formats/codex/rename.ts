/** What changes in a line when it goes into a new session. */
import type { NewSession } from '../format.ts'
import type { JsonObject } from '../json/object.ts'
import type { Replacement } from '../json/spans.ts'

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
