/**
 * Checks a gateway with real requests, one hop after the other, and reports on each:
 *
 *   gateway ─► version ─► threads ─► database ─► provider ─► the user's own key ─► clocks
 *
 * An open port does not mean that it works. A refused login is a problem here, even if everything
 * else works.
 */
import { hideToken } from '../agents/shared/wire.ts'
import { asObject, parseObject } from '../files/lines.ts'
import type { UpstreamName } from './gateway.ts'

export interface Hop {
  readonly name: string
  /** `unknown`: it could not be checked. */
  readonly state: 'ok' | 'problem' | 'unknown'
  /** Contains no credential and no token. */
  readonly found: string
  readonly advice?: string
  /** What to run, each command as a line that can be copied. */
  readonly commands?: readonly string[]
}

export const ok = (name: string, found: string): Hop => ({ name, state: 'ok', found })
export const unknown = (name: string, found: string): Hop => ({ name, state: 'unknown', found })
const problem = (name: string, found: string, advice: string): Hop => ({
  name,
  state: 'problem',
  found,
  advice,
})

export interface GatewayCheck {
  /** Includes its token, if it requires one. */
  readonly url: string
  /** The version of this precis. */
  readonly version: string
  /** The provider whose requests go through it. */
  readonly upstream: UpstreamName
  readonly environment: NodeJS.ProcessEnv
}

const GATEWAY_MS = 10_000
const PROVIDER_MS = 30_000

export async function checkGateway(check: GatewayCheck): Promise<readonly Hop[]> {
  const { url, version } = check
  const alive = await ask(`${url}/livez`, GATEWAY_MS)
  const found = alive.type === 'answer' ? parseObject(alive.body) : undefined
  if (alive.type === 'silent') {
    const silence = `nothing answers at ${hideToken(url)} (${alive.reason})`
    const advice = 'start it with "precis serve", or start the agent with "precis wrap"'
    return [problem('gateway', silence, advice)]
  }
  if (found?.name !== 'precis') {
    const advice =
      'point the agent at precis, or give precis this address with "precis serve --upstream-…"'
    return [problem('gateway', `${hideToken(url)} is another program`, advice)]
  }
  const there = String(found.version).slice(0, 30)
  return [
    ok('gateway', `precis listens at ${hideToken(url)}`),
    there === version
      ? ok('version', there)
      : problem('version', `${there} there, ${version} here`, 'start the gateway again'),
    await checkThreads(url),
    await checkDatabase(url),
    ...(await checkProvider(check)),
  ]
}

/** Sends a message so small that it has to come back unchanged, through a thread. */
async function checkThreads(url: string): Promise<Hop> {
  const body = JSON.stringify({
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'hello' }],
  })
  const headers = { 'content-type': 'application/json' }
  const answer = await ask(`${url}/v1/compress`, GATEWAY_MS, { method: 'POST', headers, body })
  const reply = answer.type === 'answer' ? parseObject(answer.body) : undefined
  if (reply && Number(reply.tokens_before) > 0) return ok('threads', 'an action was taken in one')
  const why = typeof reply?.problem === 'string' ? reply.problem.slice(0, 200) : describe(answer)
  const advice = findAdvice(answer) ?? 'start the gateway again, and see what it prints'
  return problem('threads', `no action was taken: ${why}`, advice)
}

async function checkDatabase(url: string): Promise<Hop> {
  const answer = await ask(`${url}/sessions.json`, GATEWAY_MS)
  if (answer.type === 'answer' && answer.status === 200)
    return ok('state', 'the gateway reads its database')
  const advice =
    findAdvice(answer) ?? 'see what the gateway prints; "precis archive verify" checks the database'
  return problem('state', `the gateway cannot read its database: ${describe(answer)}`, advice)
}

interface Login {
  /** A list that costs nothing. */
  readonly path: string
  /** Environment variables with a credential, and the headers that send its value. */
  readonly variables: Readonly<Record<string, (value: string) => Record<string, string>>>
  readonly headers?: Record<string, string>
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const LOGINS: Readonly<Partial<Record<UpstreamName, Login>>> = {
  anthropic: {
    path: '/v1/models?limit=1',
    headers: { 'anthropic-version': '2023-06-01' },
    variables: {
      ANTHROPIC_AUTH_TOKEN: bearer,
      ANTHROPIC_API_KEY: (value) => ({ 'x-api-key': value }),
    },
  },
  openai: { path: '/v1/models', variables: { OPENAI_API_KEY: bearer } },
  google: {
    path: '/v1beta/models?pageSize=1',
    variables: { GEMINI_API_KEY: toGoogle, GOOGLE_API_KEY: toGoogle },
  },
}

function toGoogle(value: string): Record<string, string> {
  return { 'x-goog-api-key': value }
}

async function checkProvider({
  url,
  upstream,
  environment,
}: GatewayCheck): Promise<readonly Hop[]> {
  const login = LOGINS[upstream]
  if (!login) return [unknown('provider', `nothing that is free can be asked of ${upstream}`)]
  const [variable, render] =
    Object.entries(login.variables).find(([name]) => environment[name]) ?? []
  const headers = { ...login.headers, ...(variable && render?.(environment[variable] ?? '')) }
  const answer = await ask(`${url}${login.path}`, PROVIDER_MS, { headers })
  const asked = `GET ${login.path.replace(/\?.*/, '')}`
  if (answer.type === 'silent' || readOwnProblem(answer) !== undefined) {
    const advice =
      findAdvice(answer) ?? 'see --upstream-… of "precis serve", the network, and HTTPS_PROXY'
    return [problem('provider', `${asked}: ${describe(answer)}`, advice)]
  }
  const { status } = answer
  return [
    status < 500
      ? ok('provider', `${upstream} answers ${asked} through the gateway`)
      : problem('provider', `${upstream} answers ${asked} with ${status}`, 'try again later'),
    checkLogin(status, { variable, variables: Object.keys(login.variables) }),
    checkClock(answer),
  ]
}

function checkLogin(
  status: number,
  {
    variable,
    variables,
  }: { readonly variable: string | undefined; readonly variables: readonly string[] },
): Hop {
  if (variable === undefined) {
    const none = `there is no ${variables.join(' and no ')} here`
    return unknown('login', `not tried: ${none}, and a login of the agent’s own cannot be seen`)
  }
  if (status === 401 || status === 403) {
    const advice = `the provider does not take it: see that ${variable} is whole, not expired, and of this provider`
    return problem('login', `${variable} is refused with ${status}`, advice)
  }
  return status < 400
    ? ok('login', `${variable} is taken`)
    : unknown('login', `${variable} was answered with ${status}`)
}

const MOST_SKEW_MS = 120_000

/** Logins with a lifetime fail if clocks differ. */
function checkClock({ date }: CheckAnswer): Hop {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return unknown('clock', 'the provider gave no time')
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000)
  if (seconds * 1000 <= MOST_SKEW_MS) return ok('clock', 'it is that of the provider')
  const found = `it differs from the provider’s by ${seconds} s`
  return problem('clock', found, 'set the clock of this machine')
}

interface CheckAnswer {
  readonly type: 'answer'
  readonly status: number
  readonly body: Buffer
  readonly date: string | null
}

type CheckResult = CheckAnswer | { readonly type: 'silent'; readonly reason: string }

async function ask(
  url: string,
  milliseconds: number,
  request: RequestInit = {},
): Promise<CheckResult> {
  try {
    const signal = AbortSignal.timeout(milliseconds)
    const response = await fetch(url, { ...request, signal, redirect: 'manual' })
    const body = Buffer.from(await response.arrayBuffer())
    return { type: 'answer', status: response.status, body, date: response.headers.get('date') }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { code } = asObject(error.cause) ?? {}
    const late =
      error.name === 'TimeoutError' ? `nothing within ${milliseconds / 1000} s` : error.message
    return { type: 'silent', reason: typeof code === 'string' ? code : late }
  }
}

/** The problem that the gateway itself reported. */
function readOwnProblem(answer: CheckResult): string | undefined {
  const error = answer.type === 'answer' ? asObject(parseObject(answer.body)?.error) : undefined
  const message = error?.message
  return typeof message === 'string' && message.startsWith('precis: ')
    ? message.slice('precis: '.length, 300)
    : undefined
}

function describe(answer: CheckResult): string {
  return (
    readOwnProblem(answer) ?? (answer.type === 'silent' ? answer.reason : `status ${answer.status}`)
  )
}

function findAdvice(answer: CheckResult): string | undefined {
  return answer.type === 'answer' && answer.status === 401
    ? 'the address needs the gateway’s token: http://…/t/<token>'
    : undefined
}
