import { asObject, asText, type JsonObject } from '../../../packages/precis/src/files/lines.ts'
import { hasContent, type Item, readInputText } from '../../../packages/precis/src/replay/items.ts'
import { readContentText } from './claude-code-items.ts'

/** Every response item of a rollout; its compactions are boundaries. */
export function readCodexItems(rows: readonly JsonObject[]): Item[] {
  const items: Item[] = []
  rows.forEach(({ type, payload }, row) => {
    if (type === 'compacted') items.push({ kind: 'boundary', text: '', row })
    const item = type === 'response_item' ? readItem(asObject(payload) ?? {}, row) : undefined
    if (item) items.push(item)
  })
  return items.filter(hasContent)
}

function readItem(payload: JsonObject, row: number): Item | undefined {
  const callId = asText(payload.call_id) ?? ''
  switch (payload.type) {
    case 'message':
      return readMessage(payload, row)
    case 'function_call':
    case 'custom_tool_call': {
      const input =
        payload.type === 'function_call' ? parseArguments(payload.arguments) : payload.input
      return {
        kind: 'call',
        text: readInputText(input),
        row,
        name: asText(payload.name) ?? '',
        input,
        callId,
      }
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { kind: 'result', text: readContentText(payload.output), row, callId }
    default:
      return undefined
  }
}

function readMessage({ role, content }: JsonObject, row: number): Item | undefined {
  const text = readContentText(content)
  if (role === 'assistant') return { kind: 'assistant', text, row }
  if (role !== 'user') return undefined
  return { kind: /^\s*(?:<|# AGENTS)/.test(text) ? 'meta' : 'user', text, row }
}

function parseArguments(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The items that the agent would send: the history that the last compaction left, and all that
 * followed.
 */
export function keepLiveItems(rows: readonly JsonObject[]): JsonObject[] {
  const last = rows.findLastIndex(
    ({ type, payload }) => type === 'compacted' && isFilled(asObject(payload)?.replacement_history),
  )
  if (last < 0) return [...rows]
  const history = asObject(rows[last]?.payload)?.replacement_history
  const replaced = (Array.isArray(history) ? history : []).map((payload) => ({
    type: 'response_item',
    payload,
  }))
  return [...replaced, ...rows.slice(last + 1)]
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
