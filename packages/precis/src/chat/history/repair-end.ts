import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolResultPart } from 'ai'
import type { ChatHistory } from './chat-history.ts'

export const INTERRUPTED = 'Interrupted: this call was not finished.'

/** What a result is to the AI SDK. */
export function createToolResult(call: CalledTool, output: string, isError: boolean): ToolResultPart {
  const { callId, name } = call
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: name,
    output: { type: isError ? 'error-text' : 'text', value: output },
  }
}

export interface CalledTool {
  readonly callId: string
  readonly name: string
}

/** Messages that make a valid end of a history whose writer was stopped in the middle of an answer or of its tool calls. */
export function repairEnd(history: ChatHistory): { messages: ModelMessage[]; repairedCalls: number } {
  const number = history.current.at(-1)
  const last = number === undefined ? undefined : history.all[number]
  const open = last?.role === 'assistant' ? findCalls(last) : []
  if (open.length > 0) {
    const content = open.map((call) => {
      const known = history.partialResults.get(call.callId)
      return createToolResult(call, known?.output ?? INTERRUPTED, known?.isError ?? true)
    })
    const answered = open.filter(({ callId }) => history.partialResults.has(callId)).length
    const message: ToolModelMessage = { role: 'tool', content }
    return { messages: [message], repairedCalls: open.length - answered }
  }
  const text = history.partialText
  if (text.trim() === '' || last?.role === 'assistant') return { messages: [], repairedCalls: 0 }
  const message: AssistantModelMessage = { role: 'assistant', content: [{ type: 'text', text }] }
  return { messages: [message], repairedCalls: 0 }
}

/** Calls that the host has to answer. */
function findCalls({ content }: AssistantModelMessage): CalledTool[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? [{ callId: part.toolCallId, name: part.toolName }]
      : [],
  )
}
