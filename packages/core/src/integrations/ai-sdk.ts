import type { FollowedRequest, HostRequest } from '../context/follow.ts'
import { readMember } from '../formats/json/object.ts'
import { watchModelStream } from './ai-sdk/model-stream.ts'
import { readModelUsage } from './ai-sdk/model-usage.ts'
import { FollowedCalls } from './followed-calls.ts'
import { readObjects, readTokens } from './wire-call.ts'
import type { WrapOptions } from './wrap-options.ts'

export { type PrepareStep, type PrepareStepOptions, precisPrepareStep } from './ai-sdk/prepare-step.ts'
export type { WrapOptions } from './wrap-options.ts'

/** What `wrapLanguageModel` of the AI SDK 5, 6 and 7 takes as `middleware`. */
export interface AiSdkMiddleware {
  /** Of version 6; the others do not ask. */
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

/** Of what a model is called with, what precis reads. */
export interface CallParams {
  readonly prompt: readonly object[]
  readonly abortSignal?: AbortSignal | undefined
}

export interface CalledModel {
  readonly provider: string
  readonly modelId: string
}

/**
 * Middleware for language models whose prompts always fit the window: for `generateText`, `streamText`, their objects
 * and agents. One middleware may serve many models and conversations.
 */
export function precisMiddleware(options: WrapOptions = {}): AiSdkMiddleware {
  const calls = new FollowedCalls('ai-sdk', options)
  return {
    specificationVersion: 'v3',

    async wrapGenerate({ doGenerate, params, model }) {
      const call = new ModelCall(calls, params, model, doGenerate, (changed) => model.doGenerate(changed))
      const answer = await call.send()
      calls.recordUsage(call.followed, () => readModelUsage(answer, model.provider))
      return answer
    },

    async wrapStream({ doStream, params, model }) {
      const call = new ModelCall(calls, params, model, doStream, (changed) => model.doStream(changed))
      const answer = await call.send()
      const stream = watchModelStream(answer.stream, {
        onFinish: (part) => calls.recordUsage(call.followed, () => readModelUsage(part, model.provider)),
        retry: async (overflow) => (await call.sendAgain(overflow)).stream,
      })
      return { ...answer, stream }
    },
  }
}

/** One call of a model. */
class ModelCall<Params extends CallParams, Answer> {
  /** What was sent last. */
  followed: FollowedRequest | undefined
  readonly #calls: FollowedCalls
  readonly #params: Params
  readonly #sendGiven: () => PromiseLike<Answer>
  readonly #sendChanged: (params: Params) => PromiseLike<Answer>
  readonly #request: HostRequest | undefined

  constructor(
    calls: FollowedCalls,
    params: Params,
    { modelId }: CalledModel,
    sendGiven: () => PromiseLike<Answer>,
    sendChanged: (params: Params) => PromiseLike<Answer>,
  ) {
    this.#calls = calls
    this.#params = params
    this.#sendGiven = sendGiven
    this.#sendChanged = sendChanged
    this.#request = calls.admit(readRequest(modelId, params))
  }

  async send(): Promise<Answer> {
    const request = this.#request
    const sendGiven = async () => this.#sendGiven()
    if (!request) return sendGiven()
    return this.#calls.send(request, (followed) => this.#sendFollowed(followed), sendGiven, this.#params.abortSignal)
  }

  /** For an answer that began, and then said that the request was too long. Rejects with that when it is of no use. */
  async sendAgain(overflow: unknown): Promise<Answer> {
    const request = this.#request
    if (!request) throw overflow
    let isFirst = true
    const send = async (followed: FollowedRequest) => {
      if (!isFirst) return this.#sendFollowed(followed)
      isFirst = false
      throw overflow
    }
    return this.#calls.send(request, send, () => Promise.reject(overflow), this.#params.abortSignal)
  }

  async #sendFollowed(followed: FollowedRequest): Promise<Answer> {
    this.followed = followed
    if (followed.messages === this.#request?.messages) return this.#sendGiven()
    return this.#sendChanged({ ...this.#params, prompt: followed.messages })
  }
}

function readRequest(model: string, params: CallParams): HostRequest | undefined {
  const messages = readObjects(params.prompt)
  const tools = readObjects(readMember(params, 'tools'))
  const answerTokens = readTokens(readMember(params, 'maxOutputTokens'))
  return messages && { model, messages, ...(tools && { tools }), ...(answerTokens > 0 && { answerTokens }) }
}
