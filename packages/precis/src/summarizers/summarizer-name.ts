import { ConfigurationError } from '../configuration/configuration-error.ts'
import { providers } from './providers.ts'

/** A summarizer that is a model. */
export interface SummarizerName {
  readonly provider: string
  readonly model: string
}

/** What `--summarizer` takes besides `digest`, for help and messages. */
export const MODEL_NAMES: readonly string[] = Object.keys(providers).map((name) => `${name}/<model>`)

/** Undefined for `digest`. The model may itself have slashes in its name. */
export function parseSummarizerName(name: string): SummarizerName | undefined {
  if (name === 'digest') return undefined
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, slash))
  const model = name.slice(slash + 1)
  if (Object.hasOwn(providers, provider) && model !== '' && !/\s/.test(model)) return { provider, model }
  throw new ConfigurationError(
    'unknown-summarizer',
    `Unknown summarizer "${name}". Give one of digest, ${MODEL_NAMES.join(', ')}.`,
  )
}
