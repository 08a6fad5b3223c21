import { toJsonText } from '../../conversation/json-text.ts'
import type { Message } from '../../conversation/message.ts'
import { readItemType } from '../openai-responses/read-items.ts'
import { type ItemWrite, readWritten } from '../openai-responses/write-items.ts'
import type { NewSession } from '../shared/format.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import type { Replacement } from '../shared/spans.ts'
import type { Rollout, RolloutItem } from './rollout.ts'

export function rewriteEvent(
  type: string,
  { item }: RolloutItem,
  write: ItemWrite,
  changedCalls: ReturnType<typeof findChangedCalls>,
): readonly Replacement[] | undefined {
  const callId = item.call_id
  const output = typeof callId === 'string' ? changedCalls.outputs.get(callId) : undefined
  if (write.type === 'kept' && output === undefined) return []
  if (output !== undefined && !changedCalls.callIds.has(String(callId))) {
    // The only copy of an output that Codex shows again. Every other event of the call is left out
    // with it.
    return type === 'exec_command_end' ? replaceOutput(output) : undefined
  }
  const text = readItemText(readWritten(write))
  return text === undefined ? undefined : replaceShownText(type, text)
}

function replaceOutput(output: string): Replacement[] {
  const empty = ['stdout', 'stderr', 'formatted_output'].map((key) => ({
    path: ['payload', key],
    json: '""',
  }))
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

/** Text of a message, or of the summary of a reasoning item. */
function readItemText(item: JsonObject): string | undefined {
  const blocks = item.content ?? item.summary
  if (typeof blocks === 'string') return blocks
  if (!Array.isArray(blocks)) return undefined
  return blocks
    .flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
}

/**
 * The event that shows a new item on the screen. Undefined if no event does, or if lines are
 * numbered.
 */
export function createShownEvent(
  { isNumbered }: Rollout,
  message: Message,
  item: JsonObject,
): JsonObject | undefined {
  const text = item.type === 'message' ? readItemText(item) : undefined
  if (isNumbered || text === undefined) return undefined
  if (message.role === 'assistant' && message.origin === 'agent')
    return { type: 'agent_message', message: text }
  if (message.role !== 'user' || message.origin !== 'user') return undefined
  return { type: 'user_message', message: text, images: [], local_images: [], text_elements: [] }
}

/**
 * Codex does not list a thread without a request of the user. The title replaces the removed
 * requests.
 */
export function createTitleEvent(
  { isNumbered }: Rollout,
  { title, sessionId, createId }: NewSession,
): JsonObject {
  if (!isNumbered)
    return { type: 'user_message', message: title, images: [], local_images: [], text_elements: [] }
  // The same in Codex 0.169, for rollouts with numbered lines.
  const item = {
    type: 'UserMessage',
    id: createId(),
    content: [{ type: 'text', text: title, text_elements: [] }],
  }
  return {
    type: 'item_completed',
    thread_id: sessionId,
    turn_id: createId(),
    item,
    started_at_ms: 0,
    completed_at_ms: 0,
  }
}

/** An item to write. `item` is the item of this rollout that it came from. */
export interface PlacedWrite {
  readonly write: ItemWrite
  readonly item?: RolloutItem
  readonly message: Message
}

export function findChangedCalls(writes: readonly PlacedWrite[]) {
  const callIds = new Set<string>()
  // By call id, for the copies in events.
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
