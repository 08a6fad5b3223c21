import type { Message, ToolCallPart, ToolResultPart } from '../../conversation/message.ts'

/** Each call with the next result of its id. */
export function matchResults(messages: readonly Message[]): Map<ToolCallPart, ToolResultPart> {
  const results = new Map<ToolCallPart, ToolResultPart>()
  const open = new Map<string, ToolCallPart>()
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'tool-call') open.set(part.callId, part)
      if (part.type !== 'tool-result') continue
      const call = open.get(part.callId)
      if (call) results.set(call, part)
      open.delete(part.callId)
    }
  }
  return results
}
