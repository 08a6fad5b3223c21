import type { FollowedRequest, HostRequest } from '../context/follow.ts'
import type { Usage } from '../context/usage.ts'
import { readMember } from '../formats/json/object.ts'
import { FollowedCalls } from './followed-calls.ts'
import { createInstances } from './langchain/instances.ts'
import { readObjects, readTokens } from './wire-call.ts'
import type { WrapOptions } from './wrap-options.ts'

export type { WrapOptions } from './wrap-options.ts'

export interface LangChainMiddlewareOptions extends WrapOptions {
  /** Where the name of the chat model says nothing, as that of a deployment. */
  readonly model?: string
}

/** What `createAgent` of `langchain` takes among its `middleware`. */
export interface LangChainMiddleware {
  readonly name: string
  wrapModelCall<Request extends ModelRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ): Promise<Answer>
}

/** Of what a model is asked, what precis reads. */
export interface ModelRequest {
  readonly model: unknown
  readonly messages: readonly object[]
}

/**
 * Middleware whose agent always fits the window of its model. Only what the model is sent gets shorter: the state of the
 * agent keeps its whole history. Put it last, so that it sees what is really sent.
 */
export function precisMiddleware({ model, ...options }: LangChainMiddlewareOptions = {}): LangChainMiddleware {
  const calls = new FollowedCalls('langchain', options)
  const toInstances = createInstances()
  return {
    name: 'PrecisMiddleware',
    async wrapModelCall<Request extends ModelRequest, Answer>(
      request: Request,
      handler: (request: Request) => Answer | PromiseLike<Answer>,
    ): Promise<Answer> {
      const asked = calls.admit(readRequest(request, model))
      const sendGiven = async () => handler(request)
      if (!asked) return sendGiven()
      let sent: FollowedRequest | undefined
      const send = async (followed: FollowedRequest) => {
        sent = followed
        if (followed.messages === asked.messages) return handler(request)
        return handler({ ...request, messages: toInstances(followed.messages, asked.messages) })
      }
      const answer = await calls.send(asked, send, sendGiven, readSignal(request))
      calls.recordUsage(sent, () => readUsage(answer))
      return answer
    },
  }
}

function readRequest(request: ModelRequest, name: string | undefined): HostRequest | undefined {
  const messages = readObjects(request.messages)
  const system: unknown = readMember(request, 'systemMessage')
  const tools = readObjects(readMember(request, 'tools'))
  return (
    messages && {
      model: name ?? readModelName(request.model),
      messages,
      ...(hasContent(system) && { system }),
      ...(tools && { tools }),
    }
  )
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

/** Without a system prompt an agent has an empty message. */
function hasContent(system: unknown): boolean {
  const content = readMember(system, 'content')
  return (typeof content === 'string' || Array.isArray(content)) && content.length > 0
}

function readSignal(request: object): AbortSignal | undefined {
  const signal = readMember(readMember(request, 'runtime'), 'signal')
  return isAbortSignal(signal) ? signal : undefined
}

function isAbortSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'throwIfAborted' in value
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
