import { parseJson, toJsonText } from '../json-text.ts'
import { isSameList } from '../lists.ts'
import type {
  Conversation,
  Message,
  OpaquePart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from '../message.ts'
import { findCallPairs, readObject, renderServed } from './call-pairs.ts'
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

// Calls that a host runs, and their results, by carried types.
const HOST =
  /^(?:tool_(?:use|calls|result)|(?:function|custom_tool|local_shell|shell|apply_patch)_call(?:_output)?)$/
const RESULT = /_(?:result|output)$/
/**
 * The members with an id, and the types that need them (OpenAI's reference of the Responses API).
 * Searches and calls of a local shell need no id of their own, as Codex sends them.
 */
const NEEDED: readonly (readonly [key: string, kinds: RegExp])[] = [
  ['tool_use_id', /(?:^|_)tool_result$/],
  [
    'id',
    /(?:^|_)tool_(?:use|calls)$|^(?:program(?:_output)?|mcp_(?:list_tools|approval_request)|(?:computer|file_search|code_interpreter|image_generation|mcp)_call)$/,
  ],
  [
    'call_id',
    /^(?:program|(?:computer|function|custom_tool|local_shell|shell|apply_patch)_call)(?:_output)?$/,
  ],
]

function isNameless(part: Part): part is OpaquePart {
  if (part.type !== 'opaque') return false
  const { kind, bonds } = part
  return NEEDED.some(([key, kinds]) => kinds.test(kind) && !bonds?.some((bond) => bond.key === key))
}

function repair(conversation: Conversation): Conversation {
  const { messages } = conversation
  const orphans = new Set<Part>(
    findCallPairs(messages).results.flatMap(({ call, part }) => (call ? [] : [part])),
  )
  const waiting: ToolCallPart[] = []
  let count = 0
  const name = (part: Part): Part[] => {
    const isResult = isNameless(part)
      ? RESULT.test(part.kind)
      : part.type === 'tool-result' && orphans.has(part)
    if (isNameless(part)) {
      if (!HOST.test(part.kind)) return [renderServed(part)]
      if (!isResult) {
        const call = readCall(part, `call_without_id_${++count}`)
        waiting.push(call)
        return [call]
      }
    }
    const call = isResult && waiting.shift()
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
  const input =
    called.input ?? called.arguments ?? called.args ?? called.action ?? called.operation ?? {}
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
