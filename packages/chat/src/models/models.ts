import { findModel } from '@precis/core'
import type { Protocol } from '@precis/core/conversation'
import { modelIds } from '@precis/core/models'
import type { ModelMessage, SystemModelMessage } from 'ai'
import {
  ChatError,
  type ChatModel,
  type ChatOptions,
  readErrorCode,
} from '../contract/chat-agent.ts'
import type {
  Address,
  ChatPorts,
  ModelName,
  Provider,
  ProviderOptions,
  ReachedModel,
} from '../contract/ports.ts'

/** The models of `precis chat --demo`. Their windows are small, so that a short chat fills them. */
const demoModels: readonly Pick<ChatModel, 'name' | 'windowTokens'>[] = [
  { name: 'demo/large', windowTokens: 32_000 },
  { name: 'demo/small', windowTokens: 8000 },
  { name: 'demo/tiny', windowTokens: 4000 },
]

/** Small enough for an automatic compression within a few messages. */
const FIRST_DEMO_MODEL = 'demo/small'

/** A model that is ready for requests. */
export interface ConnectedModel extends ReachedModel {
  /** `provider/model`. */
  readonly name: string
  /** Shown to the user if the provider refuses the key. */
  readonly keySource: string
  /** Undefined: the catalog's window applies. */
  readonly windowTokens: number | undefined
  /** Undefined: the provider's default applies. */
  readonly maxOutputTokens: number | undefined
  /** True only if it costs nothing, not if its price is unknown. */
  readonly isFree: boolean
  readonly providerOptions: ProviderOptions
  /** The provider's rules that its requests have to follow. */
  readonly protocol: Protocol
  readonly markCached: CacheMark
}

/** Everything that decides how a model is reached. */
export interface ModelSettings {
  readonly ports: Pick<ChatPorts, 'configuration' | 'environment' | 'models' | 'clock'>
  readonly isDemo: boolean
  /** Flags for the chat's first model: its window, and the address of its provider. */
  readonly first: ({ readonly model: string } & Pick<ConnectedModel, 'windowTokens'>) | undefined
}

// The same share that a context keeps free for the answer.
const ANSWER_SHARE = 0.2
const MOST_ANSWER_TOKENS = 65_536

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  anthropic: 'anthropic-messages',
  google: 'gemini-contents',
}

/**
 * Throws an error with a code for an unknown name, a missing key and a missing address. Sends
 * nothing.
 */
export function connectModel(name: string, settings: ModelSettings): ConnectedModel {
  const demo = demoModels.find((model) => model.name === name)
  if (demo && settings.isDemo) return connectDemo(demo, settings)
  const { models } = settings.ports
  const found = completeModelName(name, settings)
  const provider = models.providers[found.provider]
  if (!provider) throw unknownModel(name, settings)
  const fullName = `${found.provider}/${found.model}`
  const address = findAddress(found.provider, settings)
  const windowTokens = findWindow(fullName, settings)
  const known = findModel(fullName)
  const answerTokens = Math.floor((windowTokens ?? known.contextWindowTokens) * ANSWER_SHARE)
  return {
    name: fullName,
    ...models.reach(found, address),
    keySource: address.keyFile ?? provider.keyVariable,
    windowTokens,
    maxOutputTokens: known.known
      ? Math.min(known.outputLimitTokens, MOST_ANSWER_TOKENS, answerTokens)
      : undefined,
    isFree: false,
    providerOptions: provider.chatOptions,
    protocol: PROTOCOLS[known.provider] ?? 'openai-chat',
    markCached: createCacheMark(found),
  }
}

function connectDemo(
  { name, ...usual }: (typeof demoModels)[number],
  settings: ModelSettings,
): ConnectedModel {
  const windowTokens = findWindow(name, settings) ?? usual.windowTokens
  return {
    name,
    load: async () => {
      const { createDemoModel } = await import('../demo/demo-model.ts')
      return createDemoModel({ name, windowTokens, wait: settings.ports.clock.wait })
    },
    key: '',
    keySource: '',
    windowTokens,
    maxOutputTokens: Math.floor(windowTokens * ANSWER_SHARE),
    isFree: true,
    providerOptions: {},
    protocol: 'openai-chat',
    markCached: (message) => message,
  }
}

/**
 * Finds the configured address of a provider: the address for the chat's model, else the address
 * for the summarizer.
 */
function findAddress(provider: string, { ports, first }: ModelSettings): Address {
  const { chat, summarizer } = ports.configuration
  const isOf = (name: string | undefined) =>
    name !== undefined && ports.models.parseName(name)?.provider === provider
  if (isOf(chat?.model) && (chat?.baseUrl ?? chat?.keyFile) !== undefined) return chat ?? {}
  if (isOf(summarizer.name)) return summarizer
  // `digest` has no address, so an address next to it can only be meant for the chat.
  const { baseUrl } = summarizer
  const isMeant = summarizer.name === 'digest' && isOf(first?.model) && baseUrl !== undefined
  return isMeant ? { baseUrl } : {}
}

/** Undefined: the catalog's window applies. */
export function findWindow(name: string, { first, ports }: ModelSettings): number | undefined {
  const { chat } = ports.configuration
  if (first?.model === name && first.windowTokens !== undefined) return first.windowTokens
  const configured = chat?.model === name ? chat.windowTokens : undefined
  return configured ?? demoModels.find((model) => model.name === name)?.windowTokens
}

/** A bare name is completed if the catalog knows its provider. */
function completeModelName(name: string, settings: ModelSettings): ModelName {
  const parsed = settings.ports.models.parseName(name)
  if (parsed) return parsed
  const { provider, known } = findModel(name)
  if (!known || provider === 'other' || name.includes('/') || /\s/.test(name))
    throw unknownModel(name, settings)
  return { provider, model: name }
}

function unknownModel(name: string, { isDemo, ports }: ModelSettings): ChatError {
  const names = Object.keys(ports.models.providers).map((provider) => `${provider}/<model>`)
  const all = isDemo ? [...demoModels.map((model) => model.name), ...names] : names
  return new ChatError('unknown-model', `Unknown model "${name}". Give one of ${all.join(', ')}.`)
}

/**
 * Returns a copy that asks the provider to cache up to here. If the provider caches anyway, returns
 * the message itself.
 */
type CacheMark = <Message extends ModelMessage | SystemModelMessage>(message: Message) => Message

/** Claude caches only on request. All other models cache automatically, or not at all. */
function createCacheMark({ provider, model }: ModelName): CacheMark {
  const isClaude =
    provider === 'anthropic' || (provider === 'openrouter' && model.startsWith('anthropic/'))
  if (!isClaude) return (message) => message
  return <Message extends ModelMessage | SystemModelMessage>(message: Message): Message => {
    const given = message.providerOptions
    const marked = { ...given?.[provider], cacheControl: { type: 'ephemeral' } }
    return { ...message, providerOptions: { ...given, [provider]: marked } }
  }
}

/** The default model of each provider. A test checks them against the catalog. */
export const DEFAULT_MODELS: readonly string[] = [
  'anthropic/claude-sonnet-4-6',
  'openai/gpt-5.4',
  'google/gemini-3.5-flash',
  'openrouter/anthropic/claude-sonnet-4.6',
]

// Models that do not chat, or not through the APIs that precis uses.
const NO_CHAT =
  /instruct|vision|deep-research|-maas$|^gemini-(?:flash|pro)(?:-|$)|^claude-2|^gpt-oss|^gemma/

/**
 * Models with a key: the named ones, then the catalog's. Models of the present provider come first,
 * and newer ones before older ones.
 */
export function listModels(current: string, settings: ModelSettings): ChatModel[] {
  const configured = settings.ports.configuration.chat?.model
  const named = [current, ...(configured === undefined ? [] : [configured])]
  const demo = settings.isDemo ? demoModels.map(({ name }) => name) : []
  const { models } = settings.ports
  const own = models.parseName(current)?.provider
  const catalogue = Object.entries(models.providers)
    .filter(([name, provider]) => hasKey(name, provider, settings))
    .sort(([a], [b]) => Number(b === own) - Number(a === own))
    .flatMap(([name]) => listCatalogue(name))
  return [...new Set([...demo, ...named, ...catalogue])].map((name) =>
    describeModel(name, settings),
  )
}

/** Undefined if there is a key for none of them. */
export function findDefaultModel(settings: ModelSettings): string | undefined {
  const { providers, parseName } = settings.ports.models
  return DEFAULT_MODELS.find((name) => {
    const provider = parseName(name)?.provider ?? ''
    const found = providers[provider]
    return found && hasKey(provider, found, settings)
  })
}

function hasKey(name: string, { keyVariable }: Provider, settings: ModelSettings): boolean {
  const given = settings.ports.environment[keyVariable]?.trim() ?? ''
  return given !== '' || findAddress(name, settings).keyFile !== undefined
}

function listCatalogue(provider: string): string[] {
  const ids = modelIds.filter((id) => findModel(id).provider === provider && !NO_CHAT.test(id))
  return ids
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((id) => `${provider}/${id}`)
}

export function describeModel(name: string, settings: ModelSettings): ChatModel {
  const { contextWindowTokens, pricesPerMillionTokens: prices } = findModel(name)
  const window = findWindow(name, settings)
  return {
    name,
    windowTokens: window ?? contextWindowTokens,
    isKnown: prices !== undefined || window !== undefined,
    pricesPerMillionTokens: prices && { input: prices.input, output: prices.output },
  }
}

/**
 * The requested model, else the model of the continued chat, else the configured one, else one with
 * a key. Throws an error with a code.
 */
export function chooseModel(
  options: ChatOptions,
  recorded: string | undefined,
  settings: ModelSettings,
): string {
  const { model, isDemo, ports } = options
  if (model !== undefined) return connectModel(model, settings).name
  if (isDemo) return demoModels.find(({ name }) => name === recorded)?.name ?? FIRST_DEMO_MODEL
  const usual = recorded === undefined ? undefined : findReachable(recorded, settings)
  if (usual !== undefined) return usual
  const name = ports.configuration.chat?.model ?? findDefaultModel(settings)
  if (name !== undefined) return connectModel(name, settings).name
  const needed = Object.values(ports.models.providers).filter(({ needsKey }) => needsKey)
  const variables = needed.map(({ keyVariable }) => keyVariable)
  const choice = `set ${variables.slice(0, -1).join(', ')} or ${variables.at(-1)}`
  const message = `A chat needs a model: ${choice}, or try "precis chat --demo", which needs no key.`
  throw new ChatError('missing-key', message)
}

function findReachable(name: string, settings: ModelSettings): string | undefined {
  try {
    return connectModel(name, settings).name
  } catch (error) {
    if (readErrorCode(error) !== undefined) return undefined
    throw error
  }
}
