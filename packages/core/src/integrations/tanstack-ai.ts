import { readObjects, readTokens } from '../apis/api.ts'
import type { Usage } from '../context/context.ts'
import { checkValue, withMethods } from '../conversation/check-options.ts'
import type { FollowedRequest, HostRequest } from '../following/follower.ts'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../formats/shared/json.ts'
import {
  asSignal,
  type Conversations,
  type FollowedCalls,
  followCalls,
  readCallMessages,
  type WrapOptions,
  watchEvents,
} from './followed-calls.ts'

export type { AskedRequest, RequestSettings, WrapOptions } from './followed-calls.ts'

/** The part of a TanStack AI text adapter that precis uses. */
export interface TextAdapter {
  readonly kind: 'text'
  /** The provider, such as "openai". */
  readonly name: string
  readonly model: string
  /** The types of its options differ by adapter. */
  chatStream(options: never): AsyncIterable<unknown>
}

/**
 * A text adapter, such as `openaiText('gpt-5')`, whose requests always fit the window of its model:
 * for `chat` with and without streaming, tools and an output schema. The list of messages that
 * `chat`, its middleware and its persistence have stays whole. The given adapter stays unchanged.
 * Throws `TypeError` if it is not a text adapter.
 */
export function wrapTanStackAI<Adapter extends TextAdapter>(
  adapter: Adapter,
  options: WrapOptions = {},
): Adapter & Conversations {
  checkValue('Wrapping an adapter', 'adapter', adapter, aTextAdapter)
  const calls = followCalls('openai-chat', options)
  const follow = (chat: ChatCall) => followCall(calls, adapter.name, chat)
  const own: { readonly [name: string]: unknown } = {
    conversation: (key: string) => calls.follower.conversation(key),
    chatStream: (chat: ChatCall) =>
      streamAnswer(follow(chat), (messages) =>
        adapter.chatStream(withMessages(chat, messages) as never),
      ),
    ...wrapStructured(adapter, follow),
  }
  return new Proxy(adapter, {
    has: (target, name) => name === 'conversation' || Reflect.has(target, name),
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(own, name)) return own[name]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value
    },
  }) as Adapter & Conversations
}

const aTextAdapter = withMethods(
  "a text adapter of TanStack AI, such as openaiText('gpt-5')",
  'chatStream',
)

/** What `chat` gives an adapter. */
interface ChatCall {
  readonly model: string
  readonly messages: readonly object[]
}

/** The methods for answers by a schema, as far as the adapter has them. */
function wrapStructured(adapter: object, follow: (chat: ChatCall) => Call): JsonObject {
  const wrap = <Answer>(name: string, send: (call: Call, open: Send<Answer>) => unknown) => {
    const method: unknown = Reflect.get(adapter, name)
    if (typeof method !== 'function') return {}
    const wrapped = (options: StructuredOptions) =>
      send(follow(options.chatOptions), (messages) =>
        method.call(adapter, {
          ...options,
          chatOptions: withMessages(options.chatOptions, messages),
        }),
      )
    return { [name]: wrapped }
  }
  return { ...wrap('structuredOutput', sendOnce), ...wrap('structuredOutputStream', streamAnswer) }
}

interface StructuredOptions {
  readonly chatOptions: ChatCall
}

const withMessages = (chat: ChatCall, messages: readonly object[]): ChatCall =>
  messages === chat.messages ? chat : { ...chat, messages }

async function sendOnce(call: Call, send: Send<Promise<object>>): Promise<object> {
  const answer = await call.send(send)
  call.recordUsage(answer)
  return answer
}

const PRELUDE = new Set<unknown>(['RUN_STARTED', 'STEP_STARTED'])

/** Adapters report an error of the provider as the last chunk of an answer. */
async function* streamAnswer(
  call: Call,
  open: Send<AsyncIterable<unknown>>,
): AsyncGenerator<unknown> {
  const send = async (messages: readonly object[]) => open(messages)
  yield* watchEvents(await call.send(send), {
    onEvent: (chunk) => call.recordUsage(chunk),
    isPrelude: (chunk) => PRELUDE.has(readMember(chunk, 'type')),
    findFailure: (chunk) => (readMember(chunk, 'type') === 'RUN_ERROR' ? chunk : undefined),
    retry: (overflow) => call.sendAgain(send, overflow),
  })
}

type Send<Answer> = (messages: readonly object[]) => Answer

type Call = ReturnType<typeof followCall>

function followCall(calls: FollowedCalls, provider: string, chat: ChatCall) {
  const request = calls.admit(() => readRequest(chat), chat)
  const signal = asSignal(readMember(readMember(chat, 'request'), 'signal'))
  let sent: FollowedRequest | undefined
  const sendFollowed = <Answer>(send: Send<Promise<Answer>>) => {
    return (followed: FollowedRequest) => {
      sent = followed
      return send(
        followed.messages === request?.messages ? chat.messages : followed.messages.map(toTanStack),
      )
    }
  }
  return {
    send: <Answer>(send: Send<Promise<Answer>>): Promise<Answer> =>
      request
        ? calls.send(request, sendFollowed(send), () => send(chat.messages), signal)
        : send(chat.messages),
    /** Undefined if the request cannot get shorter. */
    sendAgain: async <Answer>(send: Send<Promise<Answer>>, overflow: unknown) =>
      request && calls.sendAgain(request, sendFollowed(send), overflow, signal),
    /** Of an answer, or of the chunk that ends a stream. */
    recordUsage: (answer: unknown) => calls.recordUsage(sent, () => readUsage(answer, provider)),
  }
}

/** Throws `TypeError` for messages that are no list of them. */
function readRequest(chat: ChatCall): HostRequest {
  const messages = readCallMessages('a text adapter', 'messages', chat.messages)
  const prompts = readMember(chat, 'systemPrompts')
  const system = Array.isArray(prompts)
    ? prompts.map((prompt: unknown) => ({
        type: 'text',
        text: typeof prompt === 'string' ? prompt : (readString(prompt, 'content') ?? ''),
      }))
    : []
  return {
    model: chat.model,
    messages: messages.map(toChat),
    system: system.length > 0 ? { role: 'system', content: system } : undefined,
    tools: readObjects(readMember(chat, 'tools')),
  }
}

function readUsage(answer: unknown, provider: string): Usage | undefined {
  const usage = readMember(answer, 'usage')
  const details = readMember(usage, 'promptTokensDetails')
  const input = readTokens(readMember(usage, 'promptTokens'))
  const cachedInputTokens = readTokens(readMember(details, 'cachedTokens'))
  const cacheWriteTokens = readTokens(readMember(details, 'cacheWriteTokens'))
  // Adapters pass on what the provider counts. Anthropic counts what its cache read and wrote apart.
  const isApart = provider === 'anthropic'
  const inputTokens = isApart ? input + cachedInputTokens + cacheWriteTokens : input
  const outputTokens = readTokens(readMember(usage, 'completionTokens'))
  return inputTokens === 0
    ? undefined
    : { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }
}

// Messages are those of Chat Completions with other names. The object of the host is found again
// by what was made of it.
const givenOf = new WeakMap<object, object>()

function translate(given: object, made: object): object {
  givenOf.set(made, given)
  return made
}

function toChat(message: object): object {
  const { toolCalls, toolCallId, thinking, ...rest } = toObject(message)
  const calls = readObjects(toolCalls) ?? []
  const served = calls.filter(isServed)
  const content = Array.isArray(rest.content) ? rest.content.map(toChatPart) : rest.content
  const made = withMembers(rest, {
    content: served.length > 0 ? [...listContent(content), ...served.map(toServedPart)] : content,
    tool_calls: served.length > 0 ? calls.filter((call) => !isServed(call)) : toolCalls,
    tool_call_id: toolCallId,
    thinking_blocks: thinking,
  })
  return translate(message, made)
}

/** Whether the provider ran it. Its result is in its metadata, and no message answers it. */
const isServed = (call: unknown): boolean =>
  readMember(readMember(call, 'metadata'), 'providerExecuted') === true

const toServedPart = (given: object): object =>
  translate(given, { type: 'server_tool_call', given })

function listContent(content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}

function toChatPart(part: unknown): unknown {
  if (!isJsonObject(part)) return part
  if (part.type === 'text') return translate(part, { type: 'text', text: part.content })
  const { value, ...source } = toObject(part.source)
  const url = source.type === 'data' ? `${beginData(source)}${String(value)}` : value
  const data =
    part.type === 'image'
      ? { type: 'image_url', image_url: { url } }
      : { type: 'file', file: { file_data: url } }
  return translate(part, {
    ...data,
    given: isJsonObject(part.source) ? { ...part, source } : part,
  })
}

const beginData = ({ mimeType }: JsonObject): string => `data:${String(mimeType)};base64,`

function toTanStack(message: object): object {
  const given = givenOf.get(message)
  if (given) return given
  const { tool_calls, tool_call_id, thinking_blocks, ...rest } = toObject(message)
  const { content } = rest
  const parts = Array.isArray(content) ? content.map(toTanStackPart) : []
  const served = parts.filter(isServed)
  return withMembers(rest, {
    content: served.length > 0 ? joinTexts(parts) : Array.isArray(content) ? parts : content,
    toolCalls: served.length > 0 ? [...served, ...(readObjects(tool_calls) ?? [])] : tool_calls,
    toolCallId: tool_call_id,
    thinking: thinking_blocks,
  })
}

/** Next to calls, adapters read a text and no list. */
function joinTexts(parts: readonly unknown[]): string | null {
  const texts = parts.flatMap((part) => readString(part, 'content') ?? [])
  return texts.length > 0 ? texts.join('\n') : null
}

/** A message of which something else was changed has copies of its parts. */
function toTanStackPart(part: unknown): unknown {
  const { given, text = '', image_url: image, file } = toObject(part)
  const own = isJsonObject(part) ? givenOf.get(part) : undefined
  if (own) return own
  if (!isJsonObject(given)) return { type: 'text', content: text }
  const url = readString(image, 'url') ?? readString(file, 'file_data')
  const source = toObject(given.source)
  if (url === undefined) return given
  const value = source.type === 'data' ? url.slice(beginData(source).length) : url
  return { ...given, source: { ...source, value } }
}
