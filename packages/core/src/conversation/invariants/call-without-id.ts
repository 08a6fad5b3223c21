import { isOfServer } from '../bonds.ts'
import { parseJson, toJsonText } from '../json-text.ts'
import { isSameList } from '../lists.ts'
import type {
  Conversation,
  Message,
  OpaquePart,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../message.ts'
import { findCallPairs } from './call-pairs.ts'
import { createInvariant, withMessages } from './invariant.ts'

/**
 * A call has an id, and its result names it. If neither has any, repair gives both the same one,
 * because results come in the order of their calls. What has an id of the provider becomes words,
 * because that cannot be made up. Gemini's calls need no id.
 */
export const callWithoutId = createInvariant({
  rule: 'call-without-id',
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses'],
  find: ({ messages }) =>
    messages.flatMap(({ parts }, message) =>
      parts.flatMap((part: Part) =>
        isNameless(part)
          ? [{ message, detail: `the ${part.kind} has no id that ties it to the other half` }]
          : [],
      ),
    ),
  repair,
})

// Carried types of a call or a result without an id, and the member that would contain it.
const CALLS = new Map([
  ['tool_use', 'id'],
  ['tool_calls', 'id'],
  ['function_call', 'call_id'],
  ['custom_tool_call', 'call_id'],
  ['local_shell_call', 'call_id'],
  ['shell_call', 'call_id'],
  ['apply_patch_call', 'call_id'],
])
const RESULTS = new Map([
  ['tool_result', 'tool_use_id'],
  ['function_call_output', 'call_id'],
  ['custom_tool_call_output', 'call_id'],
  ['local_shell_call_output', 'call_id'],
  ['shell_call_output', 'call_id'],
  ['apply_patch_call_output', 'call_id'],
])

/** What the provider ran, or the screen that it operates. */
const SERVED = new Map([
  ['program', 'call_id'],
  ['program_output', 'call_id'],
  ['computer_call', 'call_id'],
  ['computer_call_output', 'call_id'],
])

function findServedKey(part: OpaquePart): string | undefined {
  if (isOfServer(part)) return part.kind.endsWith('_tool_use') ? 'id' : 'tool_use_id'
  return SERVED.get(part.kind)
}

function isNameless(part: Part): part is OpaquePart {
  if (part.type !== 'opaque') return false
  const idKey = CALLS.get(part.kind) ?? RESULTS.get(part.kind) ?? findServedKey(part)
  return idKey !== undefined && !part.bonds?.some(({ key }) => key === idKey)
}

function repair(conversation: Conversation): Conversation {
  const { messages } = conversation
  if (!messages.some(({ parts }) => parts.some(isNameless))) return conversation
  const orphans = new Set<Part>(
    findCallPairs(messages).results.flatMap(({ call, part }) => (call ? [] : [part])),
  )
  const waiting: ToolCallPart[] = []
  let count = 0
  const name = (part: Part): Part[] => {
    if (isNameless(part) && CALLS.has(part.kind)) {
      const call = readCall(part, `call_without_id_${++count}`)
      waiting.push(call)
      return [call]
    }
    if (isNameless(part) && findServedKey(part)) return [renderServed(part)]
    const isResult =
      (isNameless(part) && RESULTS.has(part.kind)) ||
      (part.type === 'tool-result' && orphans.has(part))
    const call = isResult ? waiting.shift() : undefined
    if (call) return [answer(part, call)]
    // Its call is unknown.
    return isNameless(part) ? [] : [part]
  }
  return withMessages(
    conversation,
    messages.flatMap((message) => {
      const parts = message.parts.flatMap((part: Part) => name(part))
      return isSameList(parts, message.parts) ? [message] : split(message, parts)
    }),
  )
}

function renderServed({ kind, text }: OpaquePart): TextPart {
  const { input, content, action, code, result } = readObject(parseJson(text))
  const said = input ?? content ?? action ?? code ?? result ?? ''
  return { type: 'text', text: `[${kind} ${toJsonText(said)}]` }
}

/** Splits off results as separate messages. */
function split(message: Message, parts: readonly Part[]): Message[] {
  const messages: Message[] = []
  let run: Part[] = []
  const close = () => {
    // Only calls and results were added, and each fits the role of its message.
    if (run.length > 0) messages.push({ ...message, parts: run } as Message)
    run = []
  }
  for (const part of parts) {
    if (part.type !== 'tool-result' || message.role === 'tool') {
      run.push(part)
      continue
    }
    close()
    messages.push({
      role: 'tool',
      origin: 'environment',
      parts: [part],
      records: message.records ?? [],
    })
  }
  close()
  return messages
}

function readCall({ kind, text }: OpaquePart, callId: string): ToolCallPart {
  const block = readObject(parseJson(text))
  const called = readObject(block.function ?? block.custom ?? block)
  const input = called.input ?? called.arguments ?? called.action ?? called.operation ?? {}
  return {
    type: 'tool-call',
    callId,
    name: typeof called.name === 'string' ? called.name : kind.replace(/_call$/, ''),
    input,
  }
}

function answer(part: Part, { callId, name }: ToolCallPart): ToolResultPart {
  if (part.type === 'tool-result') return { ...part, callId, name, native: undefined }
  const block = readObject(part.type === 'opaque' ? parseJson(part.text) : undefined)
  const output = block.content ?? block.output ?? ''
  const text = typeof output === 'string' ? output : toJsonText(output)
  return {
    type: 'tool-result',
    callId,
    name,
    output: [{ type: 'text', text }],
    isError: block.is_error === true,
  }
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
