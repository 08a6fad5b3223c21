import { chain, digest, type LanguageModel, modelSummarizer, type Summarizer } from '@precis/core/summarizers'
import pLimit from 'p-limit'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import type { SummarizerSettings } from '../configuration/summarizer-settings.ts'
import { findBaseUrl } from './base-url.ts'
import { type Clock, systemClock } from './clock.ts'
import { createLanguageModel } from './language-model.ts'
import { providers } from './providers.ts'
import { type Environment, readKey } from './read-key.ts'
import { parseSummarizerName } from './summarizer-name.ts'

/** What tests put in the place of the world. */
export interface SummarizerHost {
  readonly environment?: Environment
  readonly clock?: Clock
  /** Where finished answers are kept; the user's cache folder by default. */
  readonly answersFolder?: string
}

const DEFAULT_MAX_IN_FLIGHT = 10

/** A chain that ends in `digest`. Throws `ConfigurationError`, before any call, when a name, a key or an address is wrong. */
export async function createSummarizer(settings: SummarizerSettings, host: SummarizerHost = {}): Promise<Summarizer> {
  if (parseSummarizerName(settings.name) === undefined) return digest()
  const enqueue = pLimit(settings.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT)
  const { openAnswerStore } = await import('./answer-store.ts')
  const store = openAnswerStore(host.answersFolder)
  const connect = (name: string): LanguageModel =>
    store.wrap(
      connectModel(name, settings, host, (call) => enqueue(call)),
      settings.baseUrl ?? '',
    )
  const model = connect(settings.name)
  const strongModel = settings.strongModel === undefined ? undefined : connect(settings.strongModel)
  const { openPromptsFolder } = await import('./prompts-folder.ts')
  const prompts = settings.promptsFolder === undefined ? undefined : openPromptsFolder(settings.promptsFolder)
  return chain(modelSummarizer(model, { ...(strongModel && { strongModel }), ...(prompts && { prompts }) }), digest())
}

function connectModel(
  name: string,
  settings: SummarizerSettings,
  host: SummarizerHost,
  enqueue: <T>(call: () => Promise<T>) => Promise<T>,
): LanguageModel {
  const parsed = parseSummarizerName(name)
  const provider = parsed && providers[parsed.provider]
  if (!parsed || !provider) {
    throw new ConfigurationError('unknown-summarizer', `A stronger model has to be a model, not "${name}".`)
  }
  const isMain = parsed.provider === parseSummarizerName(settings.name)?.provider
  // Address and key file belong to the provider that the summarizer is named after.
  const subject = `summarizer "${name}"`
  const environment = host.environment ?? process.env
  const baseUrl = findBaseUrl(subject, isMain ? settings.baseUrl : undefined, provider, environment)
  const otherwise = 'use "digest", which needs none'
  const key = readKey({ subject, otherwise }, provider, isMain ? settings.keyFile : undefined, environment)
  const { contextWindowTokens, timeoutMs } = settings
  return createLanguageModel({
    name,
    provider,
    connection: { model: parsed.model, key, baseUrl },
    clock: host.clock ?? systemClock,
    enqueue,
    ...(contextWindowTokens !== undefined && name === settings.name && { contextWindowTokens }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}
