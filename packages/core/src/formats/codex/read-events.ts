/** Events show to the person what the items tell the model: each is tied to its item, so that both go together. */
import { isJsonObject, type JsonObject } from '../json/object.ts'
import type { Span } from '../json/spans.ts'
import { type History, rollBack } from './history.ts'
import { isWrappedInTag } from './typed-origin.ts'

// An event in front of the item it shows; all others follow theirs.
const EVENTS_BEFORE = new Set([
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'AgentMessage',
  'Reasoning',
])
const TYPED_EVENTS = new Set(['user_message', 'UserMessage'])
const TURN_OPENINGS = new Set(['task_started', 'turn_started'])
const TURN_CLOSINGS = new Set(['task_complete', 'turn_complete', 'turn_aborted'])

/** Whether the event shows what the person typed; Codex lists no thread without one. */
export function isTypedEvent(type: string): boolean {
  return TYPED_EVENTS.has(type)
}

export function readEvent(history: History, line: Span, payload: JsonObject): void {
  if (payload.type === 'thread_rolled_back') {
    rollBack(history, typeof payload.num_turns === 'number' ? payload.num_turns : 0)
    return
  }
  const { type, text, callId } = describeEvent(payload)
  if (isTypedEvent(type)) {
    history.typedTexts ??= new Set()
    if (isWrappedInTag(text)) history.typedTexts.add(text.trim())
    history.items.at(-1)?.after.push({ type, line })
  } else if (TURN_OPENINGS.has(type)) history.turns.push({ opening: [line], closing: [] })
  else if (TURN_CLOSINGS.has(type)) history.turns.at(-1)?.closing.push(line)
  else if (EVENTS_BEFORE.has(type)) history.waiting.push({ type, line })
  else if (callId !== undefined) {
    const call = history.calls.get(callId)
    if (call !== undefined) history.items[call]?.after.push({ type, line })
  }
}

/** Codex 0.169 wraps what it shows as an item; before, every kind was an event of its own. */
function describeEvent(payload: JsonObject): { type: string; text: string; callId?: string } {
  const shown = isJsonObject(payload.item) ? payload.item : payload
  const type = typeof shown.type === 'string' ? shown.type : ''
  const callId = shown === payload ? payload.call_id : shown.id
  const texts = Array.isArray(shown.content)
    ? shown.content.map((block) => (isJsonObject(block) ? block.text : ''))
    : []
  const text = typeof shown.message === 'string' ? shown.message : texts.join('\n')
  return { type, text, ...(typeof callId === 'string' && { callId }) }
}
