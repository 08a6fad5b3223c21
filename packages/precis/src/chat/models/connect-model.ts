import { findModel, type Protocol } from '@precis/core'
import type { LanguageModel, streamText } from 'ai'
import type { Configuration } from '../../configuration/configuration.ts'
import { ConfigurationError } from '../../configuration/configuration-error.ts'
import { findBaseUrl } from '../../summarizers/base-url.ts'
import { providers } from '../../summarizers/providers.ts'
import { type Environment, readKey } from '../../summarizers/read-key.ts'
import { MODEL_NAMES, type ModelName, parseModelName } from '../../summarizers/summarizer-name.ts'
import { demoModels } from '../demo/demo-models.ts'
import { type CacheMark, createCacheMark } from './cache-mark.ts'

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>

/** A model that can be asked. */
export interface ConnectedModel {
  /** `provider/model`. */
  readonly name: string
  /** Loads the packages of the provider at the first call. */
  readonly load: () => Promise<LanguageModel>
  /** Empty where there is none. */
  readonly key: string
  /** What to check when the provider refuses the key. */
  readonly keySource: string
  /** Undefined: what the catalogue says. */
  readonly windowTokens: number | undefined
  /** Undefined: what the provider takes by itself. */
  readonly maxOutputTokens: number | undefined
  /** Not only of unknown price. */
  readonly isFree: boolean
  readonly providerOptions: ProviderOptions
  /** Whose rules its requests have to obey. */
  readonly protocol: Protocol
  readonly markCached: CacheMark
}

/** What decides how a model is reached. */
export interface ModelSettings {
  readonly configuration: Configuration
  readonly environment: Environment
  readonly isDemo: boolean
  /** What the person said of the model they began with: its window, and its provider's address. */
  readonly first: { readonly model: string; readonly windowTokens: number | undefined } | undefined
  /** Between the pieces of an answer of the demo. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>
}

// As much as a context keeps free for the answer.
const ANSWER_SHARE = 0.2
const MOST_ANSWER_TOKENS = 65_536

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  anthropic: 'anthropic-messages',
  google: 'gemini-contents',
}

/** Throws `ConfigurationError` for a name nobody knows, a missing key and a missing address. Sends nothing. */
export function connectModel(name: string, settings: ModelSettings): ConnectedModel {
  const demo = demoModels.find((model) => model.name === name)
  if (demo && settings.isDemo) return connectDemo(demo, settings)
  const { provider: providerName, model } = completeModelName(name, settings)
  const provider = providers[providerName]
  if (!provider) throw unknownModel(name, settings)
  const fullName = `${providerName}/${model}`
  const given = findAddress(providerName, settings)
  const subject = `model "${fullName}"`
  const otherwise = 'run "precis chat --demo", which needs none'
  const key = readKey({ subject, otherwise }, provider, given.keyFile, settings.environment)
  const baseUrl = findBaseUrl(subject, given.baseUrl, provider, settings.environment)
  const windowTokens = findWindow(fullName, settings)
  const known = findModel(fullName)
  const answerTokens = Math.min(
    MOST_ANSWER_TOKENS,
    Math.floor((windowTokens ?? known.contextWindowTokens) * ANSWER_SHARE),
  )
  return {
    name: fullName,
    load: () => provider.connect({ model, key, baseUrl }),
    key,
    keySource: given.keyFile ?? provider.keyVariable,
    windowTokens,
    maxOutputTokens: known.known ? Math.min(known.outputLimitTokens, answerTokens) : undefined,
    isFree: false,
    providerOptions: provider.chatOptions,
    protocol: PROTOCOLS[known.provider] ?? 'openai-chat',
    markCached: createCacheMark(providerName, model),
  }
}

function connectDemo({ name, windowTokens }: (typeof demoModels)[number], settings: ModelSettings): ConnectedModel {
  const window = findWindow(name, settings) ?? windowTokens
  return {
    name,
    load: async () => {
      const { createDemoModel } = await import('../demo/demo-model.ts')
      return createDemoModel({ name, windowTokens: window, wait: settings.wait })
    },
    key: '',
    keySource: '',
    windowTokens: window,
    maxOutputTokens: Math.floor(window * ANSWER_SHARE),
    isFree: true,
    providerOptions: {},
    protocol: 'openai-chat',
    markCached: (message) => message,
  }
}

interface GivenAddress {
  readonly baseUrl?: string
  readonly keyFile?: string
}

/** What a configuration says of a provider: as that of the chat's model, or else as that of the summarizer. */
export function findAddress(provider: string, { configuration, first }: ModelSettings): GivenAddress {
  const { chat, summarizer } = configuration
  const isOf = (name: string | undefined) => name !== undefined && parseModelName(name)?.provider === provider
  if (isOf(chat?.model) && (chat?.baseUrl ?? chat?.keyFile) !== undefined) return chat ?? {}
  if (isOf(summarizer.name)) return summarizer
  // `digest` has no address: one that was given with it can only be meant for the chat.
  const { baseUrl } = summarizer
  const isMeant = summarizer.name === 'digest' && isOf(first?.model) && baseUrl !== undefined
  return isMeant ? { baseUrl } : {}
}

/** Undefined: what the catalogue says. */
export function findWindow(name: string, { first, configuration }: ModelSettings): number | undefined {
  if (first?.model === name && first.windowTokens !== undefined) return first.windowTokens
  const configured = configuration.chat?.model === name ? configuration.chat.windowTokens : undefined
  return configured ?? demoModels.find((model) => model.name === name)?.windowTokens
}

/** A bare name is completed where the catalogue knows whose model it is. */
function completeModelName(name: string, settings: ModelSettings): ModelName {
  const parsed = parseModelName(name)
  if (parsed) return parsed
  const { provider, known } = findModel(name)
  if (!known || provider === 'other' || name.includes('/') || /\s/.test(name)) throw unknownModel(name, settings)
  return { provider, model: name }
}

function unknownModel(name: string, { isDemo }: ModelSettings): ConfigurationError {
  const names = isDemo ? [...demoModels.map((model) => model.name), ...MODEL_NAMES] : MODEL_NAMES
  return new ConfigurationError('unknown-model', `Unknown model "${name}". Give one of ${names.join(', ')}.`)
}
