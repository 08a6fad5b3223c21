import { statSync } from 'node:fs'
import { redactSecrets } from '@precis/core/secrets'
import type { LanguageModel as ConnectedModel, generateText } from 'ai'
import type { RequestInit as UndiciRequest } from 'undici'
import type { Environment } from '../agents/shared/agent.ts'
import { ConfigurationError, explainSystemError } from '../files/errors.ts'
import { readInputFile } from '../files/read-document.ts'

type SdkOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>

/** Everything that reaching a model takes. */
export interface ProviderConnection {
  readonly model: string
  /** Empty if no key is needed. */
  readonly key: string
  readonly baseUrl: string
}

/** One kind of service. Everything that differs between them is here. */
export interface Provider {
  /** The environment variable that holds the key. */
  readonly keyVariable: string
  readonly needsKey: boolean
  /** Undefined if there is no default, so that the user has to give one. */
  readonly baseUrl: string | undefined
  /**
   * Environment variables with another address, as the provider's own clients read them. The first
   * one counts.
   */
  readonly baseUrlVariables: readonly string[]
  readonly connect: (connection: ProviderConnection) => Promise<ConnectedModel>
  /** Turns reasoning off, or down as far as possible, and leaves nothing with the provider. */
  readonly options: (model: string) => SdkOptions
  /** For a chat: the model's default reasoning, and nothing stored by the provider. */
  readonly chatOptions: SdkOptions
  /** Output that reasoning may take all the same. */
  readonly countReasoningTokens: (model: string) => number
}

const SOME_REASONING_TOKENS = 2048
/** For models whose reasoning could not be turned down. */
export const UNBOUNDED_REASONING_TOKENS = 6144

const isReasoningGpt = (model: string) => /^(?:o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)
const isSilentGemini = (model: string) => /gemini-(?:1|2\.0|2\.5-flash)/.test(model)

// As most providers are.
const ORDINARY: Pick<Provider, 'needsKey' | 'options' | 'chatOptions' | 'countReasoningTokens'> = {
  needsKey: true,
  options: () => ({}),
  chatOptions: {},
  countReasoningTokens: () => SOME_REASONING_TOKENS,
}

/** How providers say that a prompt is too long. */
export const OVERFLOW =
  /prompt is too long|context[ _]?(?:length|window|size)|maximum context|too many (?:input )?tokens|input token count|maximum number of (?:input )?tokens|input is too long|reduce the length|request too large/i

const LONGEST_MESSAGE = 300

/** What a provider or an agent says of a failure, as one line without keys. */
export const renderFailure = (said: string): string =>
  redactSecrets(said)
    .replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_MESSAGE)

/** By the first part of a summarizer's name. */
export const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    ...ORDINARY,
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlVariables: ['ANTHROPIC_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(model)
    },
    countReasoningTokens: () => 0,
  },
  openai: {
    ...ORDINARY,
    keyVariable: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariables: ['OPENAI_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(model)
    },
    options: (model) => ({
      openai: {
        store: false,
        ...(isReasoningGpt(model) && { reasoningEffort: findEffort(model) }),
      },
    }),
    chatOptions: { openai: { store: false } },
    countReasoningTokens: (model) => (isReasoningGpt(model) ? SOME_REASONING_TOKENS : 0),
  },
  google: {
    ...ORDINARY,
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ apiKey: key, baseURL: baseUrl, fetch: fetchDirectly })(
        model,
      )
    },
    options: (model): SdkOptions => {
      if (/gemini-2\.5-flash/.test(model))
        return { google: { thinkingConfig: { thinkingBudget: 0 } } }
      if (/gemini-2\.5-pro/.test(model))
        return { google: { thinkingConfig: { thinkingBudget: 128 } } }
      return isSilentGemini(model) ? {} : { google: { thinkingConfig: { thinkingLevel: 'low' } } }
    },
    countReasoningTokens: (model) => (isSilentGemini(model) ? 0 : SOME_REASONING_TOKENS),
  },
  openrouter: {
    ...ORDINARY,
    keyVariable: 'OPENROUTER_API_KEY',
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariables: ['OPENROUTER_BASE_URL'],
    connect: async ({ model, key, baseUrl }) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      return createOpenRouter({
        apiKey: key,
        baseURL: baseUrl,
        fetch: fetchDirectly,
        compatibility: 'strict',
      }).chat(model)
    },
    options: () => ({ openrouter: { reasoning: { effort: 'low', exclude: true } } }),
  },
  'openai-compatible': {
    ...ORDINARY,
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
        // Also for a streamed answer.
        includeUsage: true,
        ...(key && { apiKey: key }),
      })
      return provider(model)
    },
  },
}

function findEffort(model: string): 'none' | 'minimal' | 'low' {
  if (/^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/.test(model)) return 'minimal'
  return /^gpt-(?:5\.\d|[6-9])/.test(model) ? 'none' : 'low'
}

// A stream takes about 300 bytes a token, and no answer has 200,000. A larger one comes from a
// broken or hostile server.
const MOST_ANSWER_BYTES = 64 << 20

/**
 * A redirection would carry the key to another host. Node's client gives up on an answer that has
 * not begun after five minutes, and this one does not. The body is read through a stream of our
 * own, which ends with the signal. Otherwise an answer that stalls after its headers would never be
 * noticed.
 */
const fetchDirectly: typeof fetch = async (input, init) => {
  client ??= openClient()
  const response = await (await client)(input, { ...init, redirect: 'error' })
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

let client: Promise<typeof fetch> | undefined

async function openClient(): Promise<typeof fetch> {
  const [{ fetch: send }, { createDispatcher }] = await Promise.all([
    import('undici'),
    import('../configuration/create-dispatcher.ts'),
  ])
  const dispatcher = createDispatcher(process.env)
  // The same type under another name, because Node has its own copy of the types.
  return ((input: string, init?: UndiciRequest) =>
    send(input, { ...init, dispatcher })) as unknown as typeof fetch
}

/** A model as a user names it: `provider/model`. */
export interface ModelName {
  readonly provider: string
  /** May itself have slashes. */
  readonly model: string
}

/** The forms of a model's name, for help and messages. */
export const MODEL_NAMES: readonly string[] = Object.keys(providers).map(
  (name) => `${name}/<model>`,
)

/** Undefined for what names no provider, or no model of it. */
export function parseModelName(name: string): ModelName | undefined {
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, slash))
  const model = name.slice(slash + 1)
  return Object.hasOwn(providers, provider) && model !== '' && !/\s/.test(model)
    ? { provider, model }
    : undefined
}

/** For messages. */
export interface KeyPurpose {
  /** `summarizer "openai/…"`. */
  readonly subject: string
  /** An alternative that needs no key: a clause. */
  readonly otherwise: string
}

// Bits of group and others.
const SHARED_MODE = 0o077
const LARGEST_KEY_FILE = 10_000
// A header takes no such character.
const IMPOSSIBLE_IN_KEY = /[^\x20-\xff]/

/**
 * The key for a provider, from the user's file for it, or from the environment. Empty if none is
 * needed.
 */
export function readKey(
  purpose: KeyPurpose,
  provider: Provider,
  keyFile: string | undefined,
  environment: Environment,
): string {
  const key =
    keyFile === undefined
      ? (environment[provider.keyVariable]?.trim() ?? '')
      : readKeyFile(purpose, keyFile)
  const subject = `${purpose.subject.charAt(0).toUpperCase()}${purpose.subject.slice(1)}`
  if (IMPOSSIBLE_IN_KEY.test(key)) {
    throw new ConfigurationError(
      'missing-key',
      `${subject} needs a whole key: the one in ${keyFile ?? provider.keyVariable} has a character that no key has, such as "…". Copy it again.`,
    )
  }
  if (key !== '' || !provider.needsKey) return key
  throw new ConfigurationError(
    'missing-key',
    `${subject} needs a key: the environment variable ${provider.keyVariable} is not set. Set it, name a "keyFile" in the configuration, or ${purpose.otherwise}.`,
  )
}

function readKeyFile({ subject }: KeyPurpose, path: string): string {
  const doing = `Reading the key of ${subject} from "${path}"`
  let text: string
  try {
    const { mode, size } = statSync(path)
    if (process.platform !== 'win32' && (mode & SHARED_MODE) !== 0) {
      const found = (mode & 0o777).toString(8)
      throw new ConfigurationError(
        'unsafe-key-file',
        `${doing}: others may read it (mode ${found}). Run "chmod 600 ${path}".`,
      )
    }
    text = size > LARGEST_KEY_FILE ? '' : readInputFile(path).toString('utf8').trim()
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw new ConfigurationError('missing-key', `${doing}: ${explainSystemError(error)}.`)
  }
  if (text === '' || /\s/.test(text)) {
    throw new ConfigurationError(
      'missing-key',
      `${doing}: it has to hold the key on one line and nothing else.`,
    )
  }
  return text
}

/**
 * The address of a provider: the given one, or the one in the environment, or its default.
 * `subject` is for messages: `summarizer "openai/…"`. Throws `ConfigurationError` if there is none,
 * or if it is not an address.
 */
export function findBaseUrl(
  subject: string,
  given: string | undefined,
  provider: Provider,
  environment: Environment,
): string {
  const url = given ?? readVariable(provider, environment) ?? provider.baseUrl
  const what = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`
  if (url === undefined) {
    throw new ConfigurationError(
      'invalid-configuration',
      `${what} needs an address: give --base-url, for example --base-url http://127.0.0.1:11434/v1 for Ollama.`,
    )
  }
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (protocol === 'https:' || protocol === 'http:') return url
  throw new ConfigurationError(
    'invalid-configuration',
    `The address of ${subject} is "${url}". Give one that begins with https:// or http://.`,
  )
}

/**
 * Some clients expect the version in the address, and others add it. A bare host gets the
 * provider's default path.
 */
function readVariable(
  { baseUrl, baseUrlVariables }: Provider,
  environment: Environment,
): string | undefined {
  const url = baseUrlVariables.map((name) => environment[name]?.trim()).find((value) => value)
  if (!url || !baseUrl || !URL.canParse(url) || new URL(url).pathname !== '/')
    return url || undefined
  return new URL(new URL(baseUrl).pathname, url).href
}
