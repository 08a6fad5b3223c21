import type { LanguageModel as ConnectedModel, generateText } from 'ai'

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>

/** What it takes to reach a model. */
export interface Connection {
  readonly model: string
  /** Empty where none is needed. */
  readonly key: string
  readonly baseUrl: string
}

/** One kind of service. Everything that differs between them stands here. */
export interface Provider {
  /** The environment variable that holds the key. */
  readonly keyVariable: string
  readonly needsKey: boolean
  /** Undefined: there is none, and the person has to give one. */
  readonly baseUrl: string | undefined
  /** Environment variables that hold another address, as the provider's own clients read them; the first one counts. */
  readonly baseUrlVariables: readonly string[]
  readonly connect: (connection: Connection) => Promise<ConnectedModel>
  /** Turns reasoning off, or down as far as it goes, and leaves nothing with the provider. */
  readonly options: (model: string) => ProviderOptions
  /** For a chat: reasoning as the model does it by itself, and nothing left with the provider. */
  readonly chatOptions: ProviderOptions
  /** Output that reasoning may take all the same. */
  readonly countReasoningTokens: (model: string) => number
}

const SOME_REASONING_TOKENS = 2048
/** For models whose reasoning could not be turned down. */
export const UNBOUNDED_REASONING_TOKENS = 6144

const isReasoningGpt = (model: string) => /^(?:o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)
const isSilentGemini = (model: string) => /gemini-(?:1|2\.0|2\.5-flash)/.test(model)

/** By the first part of a summarizer's name. */
export const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    needsKey: true,
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlVariables: ['ANTHROPIC_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(model)
    },
    options: () => ({}),
    chatOptions: {},
    countReasoningTokens: () => 0,
  },
  openai: {
    keyVariable: 'OPENAI_API_KEY',
    needsKey: true,
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariables: ['OPENAI_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(model)
    },
    options: (model) => ({
      openai: { store: false, ...(isReasoningGpt(model) && { reasoningEffort: findEffort(model) }) },
    }),
    chatOptions: { openai: { store: false } },
    countReasoningTokens: (model) => (isReasoningGpt(model) ? SOME_REASONING_TOKENS : 0),
  },
  google: {
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    needsKey: true,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(model)
    },
    options: (model) => {
      if (/gemini-2\.5-flash/.test(model)) return { google: { thinkingConfig: { thinkingBudget: 0 } } }
      if (/gemini-2\.5-pro/.test(model)) return { google: { thinkingConfig: { thinkingBudget: 128 } } }
      return isSilentGemini(model) ? {} : { google: { thinkingConfig: { thinkingLevel: 'low' } } }
    },
    chatOptions: {},
    countReasoningTokens: (model) => (isSilentGemini(model) ? 0 : SOME_REASONING_TOKENS),
  },
  openrouter: {
    keyVariable: 'OPENROUTER_API_KEY',
    needsKey: true,
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariables: ['OPENROUTER_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      return createOpenRouter({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly, compatibility: 'strict' }).chat(
        model,
      )
    },
    options: () => ({ openrouter: { reasoning: { effort: 'low', exclude: true } } }),
    chatOptions: {},
    countReasoningTokens: () => SOME_REASONING_TOKENS,
  },
  'openai-compatible': {
    keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
    needsKey: false,
    baseUrl: undefined,
    baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const provider = createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: baseUrl,
        fetch: fetchDirectly,
        // Also of an answer that is streamed.
        includeUsage: true,
        ...(key && { apiKey: key }),
      })
      return provider(model)
    },
    options: () => ({}),
    chatOptions: {},
    countReasoningTokens: () => SOME_REASONING_TOKENS,
  },
}

function findEffort(model: string): 'none' | 'minimal' | 'low' {
  if (/^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/.test(model)) return 'minimal'
  return /^gpt-(?:5\.\d|[6-9])/.test(model) ? 'none' : 'low'
}

// No summary is nearly as large; more is a broken or a hostile server.
const MOST_ANSWER_BYTES = 16 << 20

/**
 * A redirection would carry the key to another host. The body is read through a stream of our own, which ends with the
 * signal: what stalls behind its headers would otherwise never be noticed.
 */
const fetchDirectly: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  if (!response.body) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > MOST_ANSWER_BYTES)
        controller.error(new Error(`The answer is larger than ${MOST_ANSWER_BYTES} bytes.`))
      else controller.enqueue(chunk)
    },
  })
  const body = response.body.pipeThrough(limit, init?.signal ? { signal: init.signal } : {})
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}
