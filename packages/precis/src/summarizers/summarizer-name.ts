import { ConfigurationError } from '../configuration/configuration-error.ts'
import { providers } from './providers.ts'

/** A model as a person names it: `provider/model`. */
export interface ModelName {
  readonly provider: string
  /** May itself have slashes. */
  readonly model: string
}

/** What a model may be called, for help and messages. */
export const MODEL_NAMES: readonly string[] = Object.keys(providers).map((name) => `${name}/<model>`)

/** Undefined for what names no provider, or no model of it. */
export function parseModelName(name: string): ModelName | undefined {
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, slash))
  const model = name.slice(slash + 1)
  return Object.hasOwn(providers, provider) && model !== '' && !/\s/.test(model) ? { provider, model } : undefined
}

/** Undefined for `digest`. */
export function parseSummarizerName(name: string): ModelName | undefined {
  if (name === 'digest') return undefined
  const parsed = parseModelName(name)
  if (parsed) return parsed
  throw new ConfigurationError(
    'unknown-summarizer',
    `Unknown summarizer "${name}". Give one of digest, ${MODEL_NAMES.join(', ')}.`,
  )
}
