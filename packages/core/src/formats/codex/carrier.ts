import type { Message } from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { readMember } from '../shared/json.ts'
import { readObject } from '../shared/lines.ts'
import { findGoneCalls, namesAny } from '../shared/records.ts'
import type { Replacement, Span } from '../shared/spans.ts'
import { type CodexDocument, type RolloutItem, renameThread } from './rollout.ts'

/**
 * For a line that shows no item, returns what changes in it. Undefined if it names a removed item
 * or call. `kept` are the items of the changed session.
 */
export function createCarrier(
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
