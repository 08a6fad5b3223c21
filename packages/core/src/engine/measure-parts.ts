import type { Conversation, Message, Part, ToolCallPart } from '../conversation/message.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { type FileAccess, findFileAccesses } from './file-access.ts'

/** A part with its tokens; a result also with the call that it answers. */
export interface MeasuredPart {
  readonly part: Part
  readonly message: number
  readonly role: Message['role']
  readonly tokens: number
  readonly call: ToolCallPart | undefined
  readonly files: readonly FileAccess[]
}

/** Counts every part once, in order; each result is paired with the nearest call of its id that is still open. */
export function measureParts(conversation: Conversation, counter: TokenCounter): MeasuredPart[] {
  interface Call {
    readonly part: ToolCallPart
    readonly files: readonly FileAccess[]
  }
  const openCalls = new Map<string, Call[]>()
  const measured: MeasuredPart[] = []
  conversation.messages.forEach(({ parts, role }, message) => {
    for (const part of parts) {
      let call: Call | undefined
      if (part.type === 'tool-call') {
        call = { part, files: findFileAccesses(part, conversation.workingDirectory) }
        const open = openCalls.get(part.callId)
        if (open) open.push(call)
        else openCalls.set(part.callId, [call])
      } else if (part.type === 'tool-result') {
        call = openCalls.get(part.callId)?.pop()
      }
      const tokens = counter.countPart(part).upper
      measured.push({ part, message, role, tokens, call: call?.part, files: call?.files ?? [] })
    }
  })
  return measured
}
