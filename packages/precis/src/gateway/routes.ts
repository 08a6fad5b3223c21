/** Where requests go, according to method, address and headers. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ApiName } from '@precis/core/apis'
import type { RequestPurpose, Route, UpstreamName } from './gateway.ts'

export interface RequestLine {
  readonly method: string
  /** Unchanged, including its query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

export interface FoundRoute extends Route {
  /** The path in the provider's own address, including the query. */
  readonly path: string
  /** The region in the address, if the provider has a host for each region. */
  readonly location?: string
}

interface Rule {
  /** Matches the whole path, excluding its query. */
  readonly pattern: RegExp
  /** Gets the groups of the pattern. */
  read(
    groups: Readonly<Record<string, string | undefined>>,
    headers: IncomingHttpHeaders,
  ): MatchedRoute
}

interface MatchedRoute {
  readonly upstream: UpstreamName
  readonly api?: ApiName
  readonly purpose?: RequestPurpose
  readonly model?: string | undefined
  /** The upstream's path, if it differs from the client's. */
  readonly path?: string
  readonly location?: string | undefined
}

const GEMINI_PURPOSES: Readonly<Record<string, RequestPurpose>> = {
  generateContent: 'generate',
  streamGenerateContent: 'generate',
  countTokens: 'count',
}
const RESPONSES_PURPOSES: Readonly<Record<string, RequestPurpose>> = {
  '': 'generate',
  '/compact': 'compact',
  '/input_tokens': 'count',
}
// In some clients the base address contains the version, in others it does not.
const RULES: readonly Rule[] = [
  {
    pattern: /^(?:\/v1)?\/messages(?<rest>\/count_tokens)?$/,
    read: ({ rest = '' }) => ({
      upstream: 'anthropic',
      api: 'anthropic-messages',
      purpose: rest === '' ? 'generate' : 'count',
      path: `/v1/messages${rest}`,
    }),
  },
  {
    pattern: /^(?:\/v1)?\/chat\/completions$/,
    read: () => ({
      upstream: 'openai',
      api: 'openai-chat',
      purpose: 'generate',
      path: '/v1/chat/completions',
    }),
  },
  {
    pattern: /^(?:\/v1)?\/responses(?<rest>|\/compact|\/input_tokens)$/,
    read: ({ rest = '' }, headers) => ({
      ...(isChatGpt(headers)
        ? { upstream: 'chatgpt', path: `/backend-api/codex/responses${rest}` }
        : { upstream: 'openai', path: `/v1/responses${rest}` }),
      api: 'openai-responses',
      purpose: RESPONSES_PURPOSES[rest] ?? 'other',
    }),
  },
  {
    pattern: /^\/backend-api\/codex\/responses(?<rest>|\/compact)$/,
    read: ({ rest = '' }) => ({
      upstream: 'chatgpt',
      api: 'openai-responses',
      purpose: RESPONSES_PURPOSES[rest] ?? 'other',
    }),
  },
  { pattern: /^\/backend-api\//, read: () => ({ upstream: 'chatgpt' }) },
  {
    pattern:
      /^\/v1(?:beta|alpha)?\/models\/(?<model>[^/:]+):(?<method>generateContent|streamGenerateContent|countTokens)$/,
    read: ({ model, method = '' }) => ({
      upstream: 'google',
      api: 'gemini-contents',
      purpose: GEMINI_PURPOSES[method] ?? 'other',
      model,
    }),
  },
  { pattern: /^\/(?:v1beta|v1alpha|upload)\//, read: () => ({ upstream: 'google' }) },
  {
    pattern: /^\/v1internal:(?<method>generateContent|streamGenerateContent|countTokens)$/,
    read: ({ method = '' }) => ({
      upstream: 'google-internal',
      api: 'gemini-contents',
      purpose: GEMINI_PURPOSES[method] ?? 'other',
    }),
  },
  { pattern: /^\/v1internal[:/]/, read: () => ({ upstream: 'google-internal' }) },
  {
    pattern: /^\/model\/(?<model>[^/]+)\/invoke(?:-with-response-stream)?$/,
    // Its other models have their own kind of requests.
    read: ({ model = '' }) =>
      /anthropic|claude/.test(model)
        ? { upstream: 'bedrock', api: 'anthropic-messages', purpose: 'generate', model }
        : { upstream: 'bedrock', model },
  },
  { pattern: /^\/model\//, read: () => ({ upstream: 'bedrock' }) },
  {
    pattern:
      /^(?:\/v1(?:beta1)?)?\/projects\/[^/]+\/locations\/(?<location>[a-z0-9-]{1,40})\/publishers\/(?<publisher>[^/]+)\/models\/(?<model>[^/:]+):(?<method>\w+)$/,
    read: readVertex,
  },
  {
    pattern: /^(?:\/v1(?:beta1)?)?\/projects\/[^/]+\/locations\/(?<location>[a-z0-9-]{1,40})\//,
    read: ({ location }) => ({ upstream: 'vertex', location }),
  },
  { pattern: /^\/api\//, read: () => ({ upstream: 'anthropic' }) },
]

function readVertex({
  location,
  publisher,
  model,
  method = '',
}: Parameters<Rule['read']>[0]): MatchedRoute {
  const found: MatchedRoute = { upstream: 'vertex', model, location }
  const purpose = GEMINI_PURPOSES[method]
  if (publisher === 'google' && purpose) return { ...found, api: 'gemini-contents', purpose }
  if (publisher !== 'anthropic' || !/^(?:rawPredict|streamRawPredict)$/.test(method)) return found
  return {
    ...found,
    api: 'anthropic-messages',
    purpose: model === 'count-tokens' ? 'count' : 'generate',
  }
}

/** Undefined if the provider is unknown. */
export function findRoute({ method, url, headers }: RequestLine): FoundRoute | undefined {
  const end = url.indexOf('?')
  // A base address that ends in a slash results in two slashes.
  const path = (end < 0 ? url : url.slice(0, end)).replace(/^\/{2,}/, '/')
  const query = end < 0 ? '' : url.slice(end)
  const found = findRule(path, headers) ?? findByHeaders({ method, url, headers }, path)
  if (!found) return undefined
  const { upstream, api, purpose = 'other', model, location } = found
  const isAsked = method === 'POST' && api !== undefined
  return {
    upstream,
    api: isAsked ? api : undefined,
    purpose: isAsked ? purpose : 'other',
    model: model === undefined ? undefined : decodeSegment(model),
    path: `${found.path ?? path.replace(UNVERSIONED_VERTEX, '/v1$&')}${query}`,
    ...(location !== undefined && { location }),
  }
}

const UNVERSIONED_VERTEX = /^\/projects\//

function findRule(path: string, headers: IncomingHttpHeaders): MatchedRoute | undefined {
  for (const rule of RULES) {
    const match = rule.pattern.exec(path)
    if (match) return rule.read(match.groups ?? {}, headers)
  }
  return undefined
}

/** Lists of models, files, and any other addresses of a provider. */
function findByHeaders(
  { method, url, headers }: RequestLine,
  path: string,
): MatchedRoute | undefined {
  // Claude Code asks this way whether a server is running.
  if (method === 'HEAD' && path === '/') return { upstream: 'anthropic' }
  // Google accepts its key in the address too. What comes with another key is for its provider.
  const isGoogle =
    headers['x-goog-api-key'] !== undefined ||
    (OTHER_KEYS.every((name) => headers[name] === undefined) &&
      new URLSearchParams(url.slice(url.indexOf('?') + 1)).has('key'))
  if (isGoogle) return { upstream: 'google' }
  if (isChatGpt(headers))
    return { upstream: 'chatgpt', path: `/backend-api/codex${path.replace(/^\/v1(?=\/)/, '')}` }
  const isAnthropic = ['anthropic-version', 'anthropic-beta', 'x-api-key'].some(
    (name) => headers[name] !== undefined,
  )
  if (isAnthropic || ANTHROPIC_KEY.test(headers.authorization ?? ''))
    return { upstream: 'anthropic' }
  if (path.startsWith('/v1/')) return { upstream: 'openai' }
  return headers.authorization === undefined
    ? undefined
    : { upstream: 'openai', path: `/v1${path}` }
}

const OTHER_KEYS = ['authorization', 'x-api-key', 'chatgpt-account-id']
const ANTHROPIC_KEY = /^Bearer sk-ant-/i

/**
 * A ChatGPT login. Its tokens are valid only for that back end, whatever address the client got.
 */
function isChatGpt(headers: IncomingHttpHeaders): boolean {
  return headers['chatgpt-account-id'] !== undefined
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
