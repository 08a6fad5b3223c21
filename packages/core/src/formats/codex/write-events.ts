/** What becomes of the events that show an item, when the item is written otherwise than it was read. */
import { toJsonText } from '../../conversation/json-text.ts'
import type { Message } from '../../conversation/message.ts'
import type { NewSession } from '../format.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import type { Replacement } from '../json/spans.ts'
import { readItemType } from '../openai-responses/read-item.ts'
import { type ItemWrite, readWritten } from '../openai-responses/write-items.ts'
import type { EventLine, Rollout, RolloutItem } from './rollout.ts'

export interface ChangedCalls {
  /** Calls that are themselves changed. */
  readonly callIds: ReadonlySet<string>
  /** New outputs by call id, for the copies that events hold. */
  readonly outputs: ReadonlyMap<string, string>
}

export function findChangedCalls(writes: Iterable<{ readonly write: ItemWrite }>): ChangedCalls {
  const callIds = new Set<string>()
  const outputs = new Map<string, string>()
  for (const { write } of writes) {
    if (write.type === 'kept') continue
    const written = readWritten(write)
    const { call_id: callId, output } = written
    if (typeof callId !== 'string') continue
    if (readItemType(written).endsWith('_call')) callIds.add(callId)
    else outputs.set(callId, typeof output === 'string' ? output : toJsonText(output ?? ''))
  }
  return { callIds, outputs }
}

/** What changes in the event; undefined when it has to go. */
export function rewriteEvent(
  { type }: EventLine,
  { item }: RolloutItem,
  write: ItemWrite,
  changedCalls: ChangedCalls,
): readonly Replacement[] | undefined {
  if (type === 'ghost_snapshot') return []
  const callId = item.call_id
  const output = typeof callId === 'string' ? changedCalls.outputs.get(callId) : undefined
  if (write.type === 'kept' && output === undefined) return []
  if (output !== undefined && !changedCalls.callIds.has(String(callId))) {
    // The only copy of an output that Codex shows again; every other event of the call is left out with it.
    return type === 'exec_command_end' ? replaceOutput(output) : undefined
  }
  const text = readItemText(readWritten(write))
  return text === undefined ? undefined : replaceShownText(type, text)
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

/** What shows a new item on the screen; undefined for what is not shown, and where lines are numbered. */
export function createShownEvent({ isNumbered }: Rollout, message: Message, item: JsonObject): JsonObject | undefined {
  const text = item.type === 'message' ? readItemText(item) : undefined
  if (isNumbered || text === undefined) return undefined
  if (message.role === 'assistant' && message.origin === 'agent') return { type: 'agent_message', message: text }
  if (message.role !== 'user' || message.origin !== 'user') return undefined
  return { type: 'user_message', message: text, images: [], local_images: [], text_elements: [] }
}

/** Codex lists no thread without a request of the person; the title stands in for those that are gone. */
export function createTitleEvent({ isNumbered }: Rollout, { title, sessionId, createId }: NewSession): JsonObject {
  if (!isNumbered) return { type: 'user_message', message: title, images: [], local_images: [], text_elements: [] }
  // The same, as Codex 0.169 has it in rollouts whose lines it numbers.
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
