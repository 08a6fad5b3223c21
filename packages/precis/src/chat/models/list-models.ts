import { findModel, modelIds } from '@precis/core'
import { type Provider, providers } from '../../summarizers/providers.ts'
import { parseModelName } from '../../summarizers/summarizer-name.ts'
import type { ChatModel } from '../chat-agent.ts'
import { demoModels } from '../demo/demo-models.ts'
import { findAddress, findWindow, type ModelSettings } from './connect-model.ts'

/** Of each provider the one that a chat begins with when nobody chose. Those of the catalogue are checked by a test. */
export const DEFAULT_MODELS: readonly string[] = [
  'anthropic/claude-sonnet-4-6',
  'openai/gpt-5.4',
  'google/gemini-3.5-flash',
  'openrouter/anthropic/claude-sonnet-4.6',
]

// Models that answer no chat, or not through the APIs that are used here.
const NO_CHAT = /instruct|vision|deep-research|-maas$|^gemini-(?:flash|pro)(?:-|$)|^claude-2|^gpt-oss|^gemma/

/** Models whose key is there: the named ones, then the catalogue, those of the current provider first, newer ones first. */
export function listModels(current: string, settings: ModelSettings): ChatModel[] {
  const configured = settings.configuration.chat?.model
  const named = [current, ...(configured === undefined ? [] : [configured])]
  const demo = settings.isDemo ? demoModels.map(({ name }) => name) : []
  const own = parseModelName(current)?.provider
  const catalogue = Object.entries(providers)
    .filter(([name, provider]) => hasKey(name, provider, settings))
    .sort(([a], [b]) => Number(b === own) - Number(a === own))
    .flatMap(([name]) => listCatalogue(name))
  return [...new Set([...demo, ...named, ...catalogue])].map((name) => describeModel(name, settings))
}

/** Undefined when there is a key for none of them. */
export function findDefaultModel(settings: ModelSettings): string | undefined {
  return DEFAULT_MODELS.find((name) => {
    const provider = parseModelName(name)?.provider ?? ''
    const found = providers[provider]
    return found && hasKey(provider, found, settings)
  })
}

function hasKey(name: string, provider: Provider, settings: ModelSettings): boolean {
  if (settings.environment[provider.keyVariable]?.trim()) return true
  return findAddress(name, settings).keyFile !== undefined
}

function listCatalogue(provider: string): string[] {
  const ids = modelIds.filter((id) => findModel(id).provider === provider && !NO_CHAT.test(id))
  return ids.sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).map((id) => `${provider}/${id}`)
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
