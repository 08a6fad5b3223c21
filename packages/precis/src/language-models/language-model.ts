import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { createTokenCounter, findModel } from '@precis/core'
import type { Generation, GenerationRequest, LanguageModel } from '@precis/core/summarizers'
import type { LanguageModel as ConnectedModel, generateText as GenerateText } from 'ai'
import { LONGEST_TIMEOUT_MS } from '../configuration/choices.ts'
import type { explainError as ExplainError } from './explain-error.ts'
import { type Provider, type ProviderConnection, UNBOUNDED_REASONING_TOKENS } from './providers.ts'
import { CallError, type Clock, retry } from './retry.ts'

export interface LanguageModelOptions {
  /** `provider/model`. */
  readonly name: string
  readonly provider: Provider
  readonly connection: ProviderConnection
  readonly contextWindowTokens?: number
  /** Time-out of a first attempt, instead of the one that depends on the sizes. */
  readonly timeoutMs?: number
  readonly clock: Clock
  /** Runs a call when the limit allows one more. */
  readonly enqueue: <T>(call: () => Promise<T>) => Promise<T>
}

// What a local server does not take it cuts off without a word, and most take less than their model
// could.
const UNKNOWN_WINDOW_TOKENS = 32_000
const LOW_TEMPERATURE = 0.1
// Near enough for a time-out.
const CHARACTERS_PER_TOKEN = 3

/** A model of any provider. Nothing is loaded or sent before the first call. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const model = findModel(options.connection.model)
  const counter = createTokenCounter(model)
  const known = model.known
    ? model.contextWindowTokens
    : Math.min(model.contextWindowTokens, UNKNOWN_WINDOW_TOKENS)
  const contextWindowTokens = options.contextWindowTokens ?? known
  const countTokens = (text: string) => counter.countText(text).upper
  const caller = createCaller(options)
  return {
    name: options.name,
    contextWindowTokens,
    // The other half is for the prompt.
    maxOutputTokens: Math.min(model.outputLimitTokens, Math.floor(contextWindowTokens / 2)),
    countTokens,
    generate: async (request) => {
      const { signal } = request
      signal?.throwIfAborted()
      let calls = 0
      const timeoutMs =
        options.timeoutMs ??
        findTimeout(request.prompt.length / CHARACTERS_PER_TOKEN, request.maxOutputTokens)
      const attempt = (limitMs: number) =>
        options.enqueue(async () => {
          signal?.throwIfAborted()
          return await caller.call(request, limitMs, () => calls++)
        })
      try {
        const generation = await retry(attempt, {
          timeoutMs,
          clock: options.clock,
          ...(signal && { signal }),
        })
        return {
          ...generation,
          usage: { inputTokens: 0, outputTokens: 0, ...generation.usage, calls },
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof CallError)) throw error
        return { ...error.failure, usage: { calls, inputTokens: 0, outputTokens: 0 } }
      }
    },
  }
}

interface Caller {
  /** One attempt, of one or two requests. Rejects with `CallError`. */
  call(request: GenerationRequest, timeoutMs: number, onRequest: () => void): Promise<Generation>
}

function createCaller(options: LanguageModelOptions): Caller {
  const { provider, connection } = options
  let connected: Promise<Reach> | undefined
  // Some models accept no temperature, or no reasoning setting. Later calls know what one call
  // found out.
  let isPlain = false
  const call = async (
    request: GenerationRequest,
    timeoutMs: number,
    onRequest: () => void,
  ): Promise<Generation> => {
    // Loading packages takes time, which does not count as the provider's.
    connected ??= connect(provider, connection)
    const reach = await connected
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal
    try {
      // What others learn meanwhile does not change what this call has tried.
      const asked = isPlain
      try {
        onRequest()
        return await generateOnce(reach, request, { ...options, isPlain: asked, signal })
      } catch (error) {
        const isRefused = error instanceof CallError && error.failure.reason === 'rejected-request'
        if (!isRefused || asked) throw error
        onRequest()
        const generation = await generateOnce(reach, request, { ...options, isPlain: true, signal })
        isPlain = true
        return generation
      }
    } catch (error) {
      request.signal?.throwIfAborted()
      if (!limit.signal.aborted) throw error
      const message = `no answer within ${renderSeconds(timeoutMs)}`
      throw new CallError({ type: 'failed', reason: 'timed-out', message }, 'slow')
    } finally {
      clearTimeout(timer)
    }
  }
  return { call }
}

interface Reach {
  readonly model: ConnectedModel
  readonly generateText: typeof GenerateText
  readonly explainError: typeof ExplainError
}

async function connect(provider: Provider, connection: ProviderConnection): Promise<Reach> {
  const [model, { generateText }, { explainError }] = await Promise.all([
    provider.connect(connection),
    import('ai'),
    import('./explain-error.ts'),
  ])
  // The SDK would print a warning to the terminal for every option that a model ignores.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return { model, generateText, explainError }
}

async function generateOnce(
  { model, generateText, explainError }: Reach,
  request: GenerationRequest,
  {
    provider,
    connection,
    isPlain,
    signal,
  }: LanguageModelOptions & { isPlain: boolean; signal: AbortSignal },
): Promise<Generation> {
  const reasoningTokens = isPlain
    ? UNBOUNDED_REASONING_TOKENS
    : provider.countReasoningTokens(connection.model)
  const { outputLimitTokens } = findModel(connection.model)
  try {
    const { text, finishReason, usage } = await generateText({
      model,
      system: request.system,
      prompt: request.prompt,
      maxOutputTokens: Math.min(request.maxOutputTokens + reasoningTokens, outputLimitTokens),
      maxRetries: 0,
      abortSignal: signal,
      ...(!isPlain && {
        temperature: request.temperature ?? LOW_TEMPERATURE,
        providerOptions: provider.options(connection.model),
      }),
    })
    const paid = {
      calls: 1,
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
    }
    if (finishReason === 'content-filter') {
      return {
        type: 'failed',
        reason: 'refused',
        message: 'the provider refused to answer',
        usage: paid,
      }
    }
    const reason = finishReason === 'stop' || finishReason === 'length' ? finishReason : 'other'
    return { type: 'text', text, finishReason: reason, usage: paid }
  } catch (error) {
    throw explainError(error, connection.key)
  }
}

// Time for a single message: 20 s, 30 s from 1,000 tokens, 90 s from 4,000.
const SMALL = { tokens: 1000, timeoutMs: 20_000 }
const MEDIUM = { tokens: 4000, timeoutMs: 30_000 }
const LARGE_TIMEOUT_MS = 90_000
// A whole span takes longer to read, and a long answer longer to write: about 700 and 40 tokens a
// second.
const READ_FROM_TOKENS = 10_000
const READ_MS_PER_TOKEN = 1.5
const WRITTEN_FROM_TOKENS = 2000
const WRITE_MS_PER_TOKEN = 25

/** How long the first attempt may take. */
export function findTimeout(inputTokens: number, outputTokens: number): number {
  if (inputTokens < SMALL.tokens) return SMALL.timeoutMs
  if (inputTokens < MEDIUM.tokens) return MEDIUM.timeoutMs
  const reading = Math.max(0, inputTokens - READ_FROM_TOKENS) * READ_MS_PER_TOKEN
  const writing = Math.max(0, outputTokens - WRITTEN_FROM_TOKENS) * WRITE_MS_PER_TOKEN
  return Math.min(LARGE_TIMEOUT_MS + reading + writing, LONGEST_TIMEOUT_MS)
}

export const renderSeconds = (milliseconds: number): string =>
  `${Math.round(milliseconds / 100) / 10} s`
