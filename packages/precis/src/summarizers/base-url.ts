import { ConfigurationError } from '../configuration/configuration-error.ts'
import type { Provider } from './providers.ts'
import type { Environment } from './read-key.ts'

/**
 * The address of a provider: the one given, or that of the environment, or its own. `subject` is for messages:
 * `summarizer "openai/…"`. Throws `ConfigurationError` when there is none, or it is no address.
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

/** Some clients want the version in the address and others add it; a bare host gets the path of the provider's own. */
function readVariable({ baseUrl, baseUrlVariables }: Provider, environment: Environment): string | undefined {
  const url = baseUrlVariables.map((name) => environment[name]?.trim()).find((value) => value)
  if (!url || !baseUrl || !URL.canParse(url) || new URL(url).pathname !== '/') return url || undefined
  return new URL(new URL(baseUrl).pathname, url).href
}
