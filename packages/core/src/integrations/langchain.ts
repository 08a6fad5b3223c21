import { readObjects, readTokens } from '../apis/api.ts'
import type { Usage } from '../context/context.ts'
import { aText, checkOptions, checkValue, withMethods } from '../conversation/check-options.ts'
import type { FollowedRequest, HostRequest } from '../following/follower.ts'
import {
  construct,
  isInstance,
  type RecordKind,
  readShape,
} from '../formats/langchain/record-shape.ts'
import { isJsonObject, readMember, readString, withMembers } from '../formats/shared/json.ts'
import type { GeneratedText, Summarizer } from '../summarizers/summarizer.ts'
import {
  asSignal,
  type Conversations,
  followCalls,
  readCallMessages,
  type WrapOptions,
  wrapKinds,
} from './followed-calls.ts'
import { type CreateSummarizerOptions, createSummarizerOf } from './model-summarizer.ts'

export type { AskedRequest, RequestSettings, WrapOptions } from './followed-calls.ts'
export type { CreateSummarizerOptions } from './model-summarizer.ts'

export interface LangChainMiddlewareOptions extends WrapOptions {
  /** The model, if the name of the chat model is the name of a deployment. */
  readonly model?: string
}

/** A `middleware` of `createAgent` in `langchain`. */
export interface LangChainMiddleware extends Conversations {
  readonly name: string
  wrapModelCall<Request extends ModelRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ): Promise<Answer>
}

/** The part of a model request that precis reads. */
export interface ModelRequest {
  readonly model: unknown
  readonly messages: readonly object[]
}

/**
 * Middleware whose agent always fits the window of its model. Only requests to the model get
 * shorter. The state of the agent keeps its whole history. Put it last, so that it sees what is
 * really sent.
 */
export function precisAgentMiddleware(given: LangChainMiddlewareOptions = {}): LangChainMiddleware {
  checkOptions('Creating a middleware', given, { ...wrapKinds, model: aText })
  const { model, ...options } = given
  const calls = followCalls('langchain', options)
  const toInstances = createInstances()
  return {
    name: 'PrecisMiddleware',
    conversation: (key) => calls.follower.conversation(key),
    async wrapModelCall<Request extends ModelRequest, Answer>(
      request: Request,
      handler: (request: Request) => Answer | PromiseLike<Answer>,
    ): Promise<Answer> {
      const asked = calls.admit(() => readRequest(request, model), request)
      const sendGiven = async () => handler(request)
      if (!asked) return sendGiven()
      let sent: FollowedRequest | undefined
      const send = async (followed: FollowedRequest) => {
        sent = followed
        if (followed.messages === asked.messages) return handler(request)
        return handler({ ...request, messages: toInstances(followed.messages, asked.messages) })
      }
      const signal = asSignal(readMember(readMember(request, 'runtime'), 'signal'))
      const answer = await calls.send(asked, send, sendGiven, signal)
      calls.recordUsage(sent, () => readUsage(answer))
      return answer
    },
  }
}

/** Throws `TypeError` for messages that are no list of them. */
function readRequest(request: ModelRequest, name: string | undefined): HostRequest {
  const messages = readCallMessages('a chat model', 'messages', request.messages)
  const given = readMember(request, 'systemMessage')
  // Without a system prompt, an agent has an empty message.
  const content = readMember(given, 'content')
  const system =
    (typeof content === 'string' || Array.isArray(content)) && content.length > 0
      ? given
      : undefined
  const tools = readObjects(readMember(request, 'tools'))
  const key = readThread(request)
  return { model: name ?? readModelName(request.model), key, messages, system, tools }
}

/** Chat models have it as `model`, older ones as `modelName`. */
function readModelName(model: unknown): string {
  const names = [
    readMember(model, 'model'),
    readMember(model, 'modelName'),
    readMember(readMember(model, '_defaultConfig'), 'model'),
  ]
  return names.find((name) => typeof name === 'string') ?? ''
}

/** A thread is a conversation. */
function readThread(request: object): string | undefined {
  const thread = readMember(readMember(readMember(request, 'runtime'), 'configurable'), 'thread_id')
  return typeof thread === 'string' || typeof thread === 'number' ? String(thread) : undefined
}

function readUsage(answer: unknown): Usage | undefined {
  const usage = readMember(answer, 'usage_metadata')
  const inputTokens = readTokens(readMember(usage, 'input_tokens'))
  if (inputTokens === 0) return undefined
  const details = readMember(usage, 'input_token_details')
  return {
    inputTokens,
    outputTokens: readTokens(readMember(usage, 'output_tokens')),
    cachedInputTokens: readTokens(readMember(details, 'cache_read')),
    cacheWriteTokens: readTokens(readMember(details, 'cache_creation')),
  }
}

/**
 * Turns messages that precis wrote into messages of LangChain. It uses the classes of existing
 * messages, so that nothing has to be imported. Without a message of that class it stays `{ role,
 * content }`, which the chat model converts. The same message is the same instance in every
 * request.
 */
function createInstances(): <Native extends object>(
  messages: readonly object[],
  given: readonly Native[],
) => Native[] {
  const made = new WeakMap<object, object>()
  return <Native extends object>(messages: readonly object[], given: readonly Native[]) => {
    let samples: ReadonlyMap<RecordKind, object> | undefined
    const toInstance = (message: object): object => {
      if (!isJsonObject(message) || isInstance(message)) return message
      const known = made.get(message)
      if (known) return known
      samples ??= findSamples(given)
      const { kind, fields } = readShape(message, 0)
      const sample = samples.get(kind)
      const instance =
        (sample && construct(sample, withMembers(fields, { role: undefined }))) ?? message
      made.set(message, instance)
      return instance
    }
    return messages.map(toInstance) as Native[]
  }
}

function findSamples(messages: readonly object[]): ReadonlyMap<RecordKind, object> {
  const samples = new Map<RecordKind, object>()
  for (const [index, message] of messages.entries()) {
    const { kind } = readShape(message, index)
    if (!samples.has(kind)) samples.set(kind, message)
  }
  return samples
}

/** A chat model of LangChain. */
export interface SummaryChatModel {
  invoke(
    messages: { role: 'system' | 'user'; content: string }[],
    options: { readonly signal: AbortSignal },
  ): Promise<object>
}

/**
 * Summaries by your chat model: `summarizer: createChatModelSummarizer(new ChatAnthropic(…))`. If its text
 * is unusable or takes longer than `timeoutMs`, `digest` writes the summary. Set the number of
 * retries (`maxRetries`) and the longest answer when you create the chat model.
 */
export function createChatModelSummarizer(
  chatModel: SummaryChatModel,
  options: CreateSummarizerOptions = {},
): Summarizer {
  checkValue(
    'Creating a summarizer',
    'model',
    chatModel,
    withMethods('a chat model of LangChain', 'invoke'),
  )
  const model = readModelName(chatModel)
  return createSummarizerOf(
    {
      name: model === '' ? 'langchain' : model,
      model,
      call: async ({ system, prompt, signal }) => {
        const messages = [
          { role: 'system' as const, content: system },
          { role: 'user' as const, content: prompt },
        ]
        return readGeneratedText(await chatModel.invoke(messages, { signal }))
      },
    },
    options,
  )
}

// As OpenAI, Anthropic and Google call an answer that the limit cut off.
const CUT_OFF: readonly unknown[] = ['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens']

function readGeneratedText(answer: object): GeneratedText {
  const content = readMember(answer, 'content')
  const parts = readObjects(content) ?? []
  const text =
    typeof content === 'string'
      ? content
      : parts.map((part) => readString(part, 'text') ?? '').join('')
  const metadata = readMember(answer, 'response_metadata')
  const reasons = ['finish_reason', 'stop_reason', 'finishReason'].map((name) =>
    readMember(metadata, name),
  )
  const { inputTokens = 0, outputTokens = 0 } = readUsage(answer) ?? {}
  return {
    type: 'text',
    text,
    finishReason: reasons.some((reason) => CUT_OFF.includes(reason)) ? 'length' : 'stop',
    usage: { calls: 1, inputTokens, outputTokens },
  }
}
