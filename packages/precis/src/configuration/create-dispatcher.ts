import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'

const IDLE_MS = 15_000
// Rate limits and cookies of some providers take more than the 16 kB of Node.
const MOST_HEADER_BYTES = 128 << 10

/**
 * Connections to providers, through the proxy of the environment if there is one. They are kept and
 * used again. Nothing here ends a request: its caller says how long a model may think.
 */
export function createDispatcher(
  environment: Readonly<Record<string, string | undefined>>,
): Dispatcher {
  const options = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  }
  const {
    HTTP_PROXY,
    HTTPS_PROXY,
    http_proxy = HTTP_PROXY,
    https_proxy = HTTPS_PROXY,
  } = environment
  if (!http_proxy && !https_proxy) return new Agent(options)
  const others = environment.no_proxy ?? environment.NO_PROXY ?? ''
  return new EnvHttpProxyAgent({ ...options, noProxy: `${others},localhost,127.0.0.1,::1` })
}
