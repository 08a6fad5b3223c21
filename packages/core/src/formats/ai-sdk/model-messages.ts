/**
 * Converts a history of any format to messages for the AI SDK, so that any model can continue the
 * session of an agent.
 */
import { aConversation, checkValue } from '../../conversation/check-options.ts'
import { repairInvariants } from '../../conversation/invariants/index.ts'
import {
  type ContentPart,
  type Conversation,
  isContentPart,
  type Message,
  type Part,
  type Protocol,
  type ReasoningPart,
  renderPart,
} from '../../conversation/message.ts'
import { isJsonObject, readMember } from '../shared/json.ts'
import { findProviderBlock } from '../shared/records.ts'
import { toToolName, VALID_CALL_ID } from '../shared/tool-calls.ts'
import { encodeContent } from './parts.ts'

interface ModelTextPart {
  type: 'text'
  text: string
}
interface FilePart {
  type: 'file'
  data: string
  mediaType: string
  filename?: string
}
interface SignedReasoningPart {
  type: 'reasoning'
  text: string
  providerOptions?: Record<string, Record<string, string>>
}
interface CallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}
interface ResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text' | 'error-text'; value: string } | { type: 'content'; value: OutputItem[] }
}
type OutputItem =
  | ModelTextPart
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  | { type: 'image-url' | 'file-url'; url: string }

/**
 * The cases of the AI SDK's type of this name that `toModelMessages` writes. It is assignable to
 * that type.
 */
export type ModelMessage =
  | { role: 'user'; content: (ModelTextPart | FilePart)[] }
  | { role: 'assistant'; content: (ModelTextPart | FilePart | SignedReasoningPart | CallPart)[] }
  | { role: 'tool'; content: ResultPart[] }

/**
 * For a model that speaks `protocol`. Leaves out system messages, and reasoning unless Anthropic
 * signed it and gets it back.
 */
export function toModelMessages(
  conversation: Conversation,
  protocol: Protocol = 'openai-chat',
): ModelMessage[] {
  checkValue('Converting', 'conversation', conversation, aConversation)
  const convert = createConverter(conversation.protocol, protocol)
  const messages = conversation.messages.flatMap((message) => convert(message) ?? [])
  const { document: _, ...facts } = conversation
  const valid = repairInvariants({ ...facts, protocol, messages })
  return joinResults(valid.messages).flatMap(({ role, parts }) => {
    const message = { role, content: encodeContent(parts, undefined) }
    return isModelMessage(message) ? [message] : []
  })
}

type Convert = (message: Message) => Message | undefined

function createConverter(from: Protocol, to: Protocol): Convert {
  const renameCall = createRenaming()
  const keepsReasoning = from === 'anthropic-messages' && to === from
  // Results in Chat Completions are text only. The SDK would send an image there as its base64
  // text.
  const convertOutput = to === 'openai-chat' ? describeMedia : convertContent
  const convertPart = (part: Part): Part[] => {
    switch (part.type) {
      case 'reasoning':
        return keepsReasoning ? convertReasoning(part) : []
      case 'tool-call': {
        const { native: _, ...call } = part
        return [{ ...call, callId: renameCall(part.callId), name: toToolName(part.name) }]
      }
      case 'tool-result': {
        const { native: _, name = 'unknown', ...result } = part
        const output = part.output.map(convertOutput)
        return [{ ...result, callId: renameCall(part.callId), name: toToolName(name), output }]
      }
      default:
        return [convertContent(part)]
    }
  }
  return (message) => {
    const parts = message.parts.flatMap(convertPart)
    switch (message.role) {
      case 'system':
        return undefined
      case 'user':
        return { role: 'user', origin: message.origin, parts: parts.filter(isContentPart) }
      case 'assistant':
        return {
          role: 'assistant',
          origin: message.origin,
          parts: parts.filter((part) => part.type !== 'tool-result'),
        }
      case 'tool':
        return {
          role: 'tool',
          origin: message.origin,
          parts: parts.filter((part) => part.type === 'tool-result'),
        }
    }
  }
}

// Only the provider that encrypted it can read it. All others see base64.
const ENCRYPTED = '"encrypted_'

function convertContent(part: ContentPart): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'opaque':
      return { type: 'text', text: part.text.includes(ENCRYPTED) ? `[${part.kind}]` : part.text }
    case 'image':
    case 'file':
      return part
  }
}

function describeMedia(part: ContentPart): ContentPart {
  return part.type === 'image' || part.type === 'file'
    ? { type: 'text', text: renderPart(part) }
    : convertContent(part)
}

function convertReasoning(part: ReasoningPart): ReasoningPart[] {
  const block = findProviderBlock(part.native)
  const signature = readMember(block, 'signature')
  const redactedData = readMember(block, 'data')
  const anthropic = typeof signature === 'string' ? { signature } : { redactedData }
  if (part.signatureLength === 0 || (signature ?? redactedData) === undefined) return []
  return [
    { ...part, native: { type: 'reasoning', text: part.text, providerOptions: { anthropic } } },
  ]
}

function createRenaming(): (callId: string) => string {
  const names = new Map<string, string>()
  return (callId) => {
    if (VALID_CALL_ID.test(callId)) return callId
    const name = names.get(callId) ?? `call_precis_${names.size}`
    names.set(callId, name)
    return name
  }
}

function joinResults(
  messages: readonly Message[],
): { role: Message['role']; parts: readonly Part[] }[] {
  const joined: { role: Message['role']; parts: Part[] }[] = []
  for (const { role, parts } of messages) {
    const last = joined.at(-1)
    if (role === 'tool' && last?.role === 'tool') last.parts.push(...parts)
    else joined.push({ role, parts: [...parts] })
  }
  return joined
}

function isModelMessage(value: unknown): value is ModelMessage {
  return isJsonObject(value) && Array.isArray(value.content)
}
