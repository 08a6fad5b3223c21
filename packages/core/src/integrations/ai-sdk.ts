import { readObjects, readTokens } from '../apis/api.ts'
import {
  aText,
  checkOptions,
  checkValue,
  type Kind,
  objects,
  withMethods,
} from '../conversation/check-options.ts'
import type { FollowedRequest, HostRequest } from '../following/follower.ts'
import { readMember, readString } from '../formats/shared/json.ts'
import type { GeneratedText, Summarizer } from '../summarizers/summarizer.ts'
import {
  type Conversations,
  type FollowedCalls,
  followCalls,
  readCallMessages,
  type WrapOptions,
  watchEvents,
  wrapKinds,
} from './followed-calls.ts'
import {
  type CreateSummarizerOptions,
  createSummarizerOf,
  type SummaryCall,
} from './model-summarizer.ts'
import { readModelUsage } from './model-usage.ts'

export type { AskedRequest, RequestSettings, WrapOptions } from './followed-calls.ts'
export type { CreateSummarizerOptions } from './model-summarizer.ts'

/** The `middleware` of `wrapLanguageModel` in the AI SDK 6 and 7. */
export interface AiSdkMiddleware extends Conversations {
  /** For version 6. The other versions do not read it. */
  readonly specificationVersion: 'v3'
  wrapGenerate<Params extends CallParams, Answer>(call: {
    readonly doGenerate: () => PromiseLike<Answer>
    readonly params: Params
    readonly model: CalledModel & { doGenerate(params: Params): PromiseLike<Answer> }
  }): Promise<Answer>
  wrapStream<Params extends CallParams, Answer extends { readonly stream: object }>(call: {
    readonly doStream: () => PromiseLike<Answer>
    readonly params: Params
    readonly model: CalledModel & { doStream(params: Params): PromiseLike<Answer> }
  }): Promise<Answer>
}

/** The part of a model call that precis reads. */
export interface CallParams {
  readonly prompt: readonly object[]
  readonly abortSignal?: AbortSignal | undefined
}

export interface CalledModel {
  readonly provider: string
  readonly modelId: string
}

/**
 * Middleware for language models whose prompts always fit the window: for `generateText`,
 * `streamText`, their objects and agents. One middleware may serve many models and conversations.
 */
export function precisMiddleware(options: WrapOptions = {}): AiSdkMiddleware {
  const calls = followCalls('ai-sdk', options)
  return {
    specificationVersion: 'v3',
    conversation: (key) => calls.follower.conversation(key),

    async wrapGenerate({ doGenerate, params, model }) {
      const call = followCall(calls, params, model, doGenerate, (changed) =>
        model.doGenerate(changed),
      )
      const answer = await call.send()
      calls.recordUsage(call.readFollowed(), () => readModelUsage(answer, model.provider))
      return answer
    },

    async wrapStream({ doStream, params, model }) {
      const call = followCall(calls, params, model, doStream, (changed) => model.doStream(changed))
      const answer = await call.send()
      const stream = watchModelStream(answer.stream, {
        onFinish: (part) =>
          calls.recordUsage(call.readFollowed(), () => readModelUsage(part, model.provider)),
        retry: async (overflow) => (await call.sendAgain(overflow)).stream,
      })
      return { ...answer, stream }
    },
  }
}

/** One call of a model. */
function followCall<Params extends CallParams, Answer>(
  calls: FollowedCalls,
  params: Params,
  { modelId }: CalledModel,
  sendGiven: () => PromiseLike<Answer>,
  sendChanged: (params: Params) => PromiseLike<Answer>,
) {
  const request = calls.admit(() => readRequest(modelId, params), params)
  let sent: FollowedRequest | undefined
  const send = async (followed: FollowedRequest) => {
    sent = followed
    return followed.messages === request?.messages
      ? sendGiven()
      : sendChanged({ ...params, prompt: followed.messages })
  }
  return {
    /** The messages that were sent last. */
    readFollowed: () => sent,
    send: async () =>
      request
        ? calls.send(request, send, async () => sendGiven(), params.abortSignal)
        : sendGiven(),
    /**
     * For an answer that began, and then reported that the request was too long. Rejects with that
     * when it is of no use.
     */
    async sendAgain(overflow: unknown): Promise<Answer> {
      const answer = request && (await calls.sendAgain(request, send, overflow, params.abortSignal))
      if (answer === undefined) throw overflow
      return answer
    },
  }
}

/** Throws `TypeError` for a prompt that is not a list of messages. */
function readRequest(model: string, params: CallParams): HostRequest {
  const messages = readCallMessages('a language model', 'prompt', params.prompt)
  const tools = readObjects(readMember(params, 'tools'))
  const answerTokens = readTokens(readMember(params, 'maxOutputTokens'))
  // Models ignore options of other providers.
  const key = readString(readMember(readMember(params, 'providerOptions'), 'precis'), 'key')
  return { model, key, messages, tools, answerTokens: answerTokens || undefined }
}

export interface PrepareStepOptions extends WrapOptions {
  /**
   * The system prompt that steps send with their messages. It counts, and the SDK does not report
   * it.
   */
  readonly system?: unknown
  readonly tools?: readonly object[]
  /** Whose conversation it is. */
  readonly key?: string
}

/** The `prepareStep` of `generateText`, `streamText` and agents. */
export type PrepareStep = <Message extends object>(
  step: StepOf<Message>,
) => Promise<Pick<StepOf<Message>, 'messages'> | undefined>

interface StepOf<Message extends object> {
  readonly messages: Message[]
  readonly model: unknown
  readonly steps: readonly object[]
}

/**
 * Shortens the messages of each step of an agent loop when it is due. For models that cannot be
 * wrapped: it sees neither the answers that say a request was too long nor, unless given, system
 * prompt and tools.
 */
export function precisPrepareStep(given: PrepareStepOptions = {}): PrepareStep {
  checkOptions('Creating a prepareStep', given, { ...wrapKinds, tools: objects, key: aText })
  const { system, tools, key, ...options } = given
  const calls = followCalls('ai-sdk', options)
  // The SDK adds to one list of steps as long as a loop runs.
  const newest = new WeakMap<readonly object[], FollowedRequest>()
  return async <Message extends object>(step: StepOf<Message>) => {
    const { messages, model, steps } = step
    const last = steps.at(-1)
    const provider = readString(model, 'provider') ?? ''
    if (last) calls.recordUsage(newest.get(steps), () => readModelUsage(last, provider))
    const name = typeof model === 'string' ? model : (readString(model, 'modelId') ?? '')
    const list = () => readCallMessages('prepareStep', 'messages', messages)
    const request = calls.admit(() => ({ model: name, key, messages: list(), system, tools }), step)
    if (!request) return undefined
    const followed = await calls.send<FollowedRequest | undefined>(
      request,
      async (prepared) => prepared,
      async () => undefined,
    )
    if (!followed) return undefined
    newest.set(steps, followed)
    return followed.messages === messages ? undefined : { messages: followed.messages as Message[] }
  }
}

const PRELUDE = new Set<unknown>(['stream-start', 'response-metadata', 'raw'])

/** A stream of the same parts, read no faster than it is read itself. */
function watchModelStream<Stream extends object>(
  stream: Stream,
  watch: {
    /** Called with the part that ends the answer, with its usage. */
    onFinish(part: unknown): void
    /** The stream of a second, shorter attempt. */
    retry(overflow: unknown): Promise<object>
  },
): Stream {
  if (!isReadable(stream)) return stream
  let reader = stream.getReader()
  const parts = watchEvents(readParts(reader), {
    onEvent: (part) => {
      if (readMember(part, 'type') === 'finish') watch.onFinish(part)
    },
    isPrelude: (part) => PRELUDE.has(readMember(part, 'type')),
    findFailure: (part) =>
      readMember(part, 'type') === 'error' ? readMember(part, 'error') : undefined,
    retry: async (overflow) => {
      try {
        const again = await watch.retry(overflow)
        if (!isReadable(again)) throw overflow
        reader = again.getReader()
        return readParts(reader, (part) => watch.onFinish(part))
      } catch (error) {
        // How a model reports it in its stream.
        return streamOf({ type: 'error', error })
      }
    },
  })
  const watched = new ReadableStream<unknown>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // Cancels the stream itself, without waiting for a part that is still being read.
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return watched as object as Stream
}

async function* readParts(
  reader: PartReader,
  onFinish?: (part: unknown) => void,
): AsyncGenerator<unknown> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    if (readMember(value, 'type') === 'finish') onFinish?.(value)
    yield value
  }
}

async function* streamOf(part: unknown): AsyncGenerator<unknown> {
  yield part
}

interface PartReader {
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

function isReadable(value: object): value is { getReader(): PartReader } {
  return 'getReader' in value && typeof value.getReader === 'function'
}

/** A language model object of the AI SDK 6 or 7. */
export interface SummaryModel extends CalledModel {
  doGenerate(call: object): PromiseLike<object>
}

const aModel: Kind = {
  ...withMethods('a language model of the AI SDK', 'doGenerate'),
  members: { provider: aText, modelId: aText },
  needed: ['provider', 'modelId'],
}

/** The functions of the host's AI SDK that are used. They are loaded with the first summary. */
interface Sdk {
  generateText(call: {
    model: SummaryModel
    messages: { role: 'system' | 'user'; content: string }[]
    allowSystemInMessages: true
    maxOutputTokens: number
    maxRetries: number
    abortSignal: AbortSignal
  }): PromiseLike<{
    readonly text: string
    readonly finishReason: string
    readonly usage: {
      readonly inputTokens?: number | undefined
      readonly outputTokens?: number | undefined
    }
  }>
}

/**
 * Summaries by your model: `summarizer: createSummarizer(anthropic('claude-haiku-4-5'))`. If its
 * text is unusable or takes longer than `timeoutMs`, `digest` writes the summary. `generateText` of
 * `ai` asks the model. If another try may help, it asks again after 2 and 4 s, or when the provider
 * says.
 */
export function createSummarizer(
  model: SummaryModel,
  options: CreateSummarizerOptions = {},
): Summarizer {
  checkValue('Creating a summarizer', 'model', model, aModel)
  const { provider, modelId } = model
  const call = async ({
    system,
    prompt,
    maxOutputTokens,
    signal,
  }: SummaryCall): Promise<GeneratedText> => {
    const sdk = (await import('ai')) as Sdk
    const { text, finishReason, usage } = await sdk.generateText({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
      allowSystemInMessages: true,
      maxOutputTokens,
      maxRetries: RETRIES,
      abortSignal: signal,
    })
    return {
      type: 'text',
      text,
      finishReason: finishReason === 'stop' || finishReason === 'length' ? finishReason : 'other',
      usage: {
        calls: 1,
        inputTokens: readTokens(usage.inputTokens),
        outputTokens: readTokens(usage.outputTokens),
      },
    }
  }
  // The SDK names the API as well: "anthropic.messages".
  return createSummarizerOf(
    { name: `${provider.split('.')[0]}/${modelId}`, model: modelId, call },
    options,
  )
}

// Its own default, as the built-in models have it.
const RETRIES = 2
