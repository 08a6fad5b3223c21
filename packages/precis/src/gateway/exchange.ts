/**
 * One request of a client, from its first byte to the last byte of the answer.
 *
 *   read ─► due? ─► decide ─► relay ───────────────► sent ─► observe
 *                     │         ▲ └─► too long ─► decide
 *                     ├ answer  └── again ◄──────────┘
 *                     └ refuse
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findOverflow, type Overflow } from '@precis/core'
import type { Dispatcher } from 'undici'
import { systemErrorCode } from '../files/errors.ts'
import type { Accounts } from './accounts.ts'
import type { BodyMemory, BodyShare } from './body-memory.ts'
import type { ActRecord, ActRequest, ActResult, Acts, GatewayOptions } from './gateway.ts'
import { isSwitchedOn, ownHeaders, passRequestHeaders, readRawHeader } from './headers.ts'
import type { CountedAct, Metrics } from './metrics.ts'
import { renderProblem, sendOwn } from './own-routes.ts'
import type { FindOwner } from './owner.ts'
import { renderPagePath } from './page-routes.ts'
import { type HeldAnswer, type RelayEnd, relay, writeHead } from './relay.ts'
import { decodeContent, MOST_BODY_BYTES, type RequestBody, readBody } from './request-body.ts'
import type { FoundRoute } from './routes.ts'
import { isVendor, locate } from './upstreams.ts'
import { createWireUsageReader, type UsageReader } from './usage-reader.ts'

/** What all exchanges of a gateway share. */
export interface ExchangeHost extends Pick<GatewayOptions, 'upstreams' | 'windowTokens' | 'note'> {
  readonly dispatcher: Dispatcher
  readonly acts: Acts
  readonly metrics: Metrics
  readonly accounts: Pick<Accounts, 'record'>
  readonly findOwner: FindOwner
  /** Identifies this gateway among the gateways of a request. */
  readonly id: string
  readonly memory: BodyMemory
}

export interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The address, with the token removed. */
  readonly url: string
  readonly route: FoundRoute
  /** Aborted when the client is gone. */
  readonly client: AbortSignal
}

const PASS: ActResult = { type: 'pass' }

/** Resolves when the answer has ended. Rejects only for bugs. */
export async function exchange(host: ExchangeHost, incoming: Incoming): Promise<void> {
  const { request, response, route } = incoming
  const began = performance.now()
  const passed = readPassed(request.headers)
  if (passed.includes(host.id))
    return sendOwn(response, renderProblem(508, 'the upstream of this gateway leads back to it'))
  const { take, release } = host.memory.open()
  const body = await readBody(request, { isCollected: route.api !== undefined, take })
  if (body.type !== 'whole') release()
  if (body.type === 'gone') return
  const close = host.metrics.open()
  try {
    const open = {
      ...incoming,
      host,
      body,
      passed,
      began,
      reader: route.api && createWireUsageReader(route.api),
    }
    await run({ ...open, asked: await ask(open, take) })
  } finally {
    close()
    release()
  }
}

interface Exchange extends Incoming {
  readonly host: ExchangeHost
  readonly body: Exclude<RequestBody, { type: 'gone' }>
  /** The gateways that it came through. */
  readonly passed: readonly string[]
  readonly began: number
  readonly reader: UsageReader | undefined
  /** The request for the actions. Undefined if none is considered. */
  readonly asked: ActRequest | undefined
}

/** What the client got. `0` if it got nothing. */
interface ExchangeOutcome {
  readonly status: number
  /** The last result, if the provider's answer required another one. */
  readonly result: ActResult
}

async function run(open: Exchange): Promise<void> {
  const { host, route, response, reader, began, asked, client } = open
  const read = performance.now()
  const decided = asked && host.acts.isDue(asked) ? await host.acts.decide(asked, client) : PASS
  const milliseconds = performance.now() - read
  if (response.destroyed) return
  if (asked && decided.type !== 'answer') host.acts.begin(asked)
  const { status, result } = await perform(open, decided)
  const record = findRecord(result)
  const deed: CountedAct = record?.act ?? 'pass'
  host.metrics.countRequest(route, { status, deed, milliseconds })
  if (record) host.metrics.countAct(record)
  if ('reason' in result && result.reason !== undefined) host.metrics.countPass(result.reason)
  const { usage, model, overflow, firstByteAt } = (await reader?.finish()) ?? {}
  if (usage && deed !== 'answer') host.metrics.countTokens(route, usage)
  if (!asked) return
  const firstByteMilliseconds = firstByteAt && firstByteAt - began
  const answer = {
    status,
    usage,
    milliseconds: performance.now() - began,
    firstByteMilliseconds,
    model,
  }
  // The answer has already begun. The result is used when the client sends the request again.
  if (overflow) await host.acts.decide({ ...asked, overflow, refused: findReplaced(result) })
  host.acts.observe(asked, answer)
  host.accounts.record({ request: asked, result, answer })
}

async function ask(
  open: Omit<Exchange, 'asked'>,
  take: BodyShare['take'],
): Promise<ActRequest | undefined> {
  const { host, request, url, route, body } = open
  const { headers } = request
  const { api, purpose, model } = route
  if (api === undefined || body.type !== 'whole' || isLeftAlone(headers)) return undefined
  const plain = await decodeContent(body.bytes, headers['content-encoding'], MOST_BODY_BYTES)
  if (!plain || (plain !== body.bytes && !take(plain.length))) return undefined
  const owner = host.findOwner({ url, headers })
  return {
    api,
    purpose,
    path: url,
    model,
    headers,
    body: plain,
    owner,
    windowTokens: host.windowTokens,
  }
}

/** Whether the client wants no action, another gateway took one, or none is possible. */
export function isLeftAlone(headers: IncomingMessage['headers']): boolean {
  if (headers[ownHeaders.passed] !== undefined) return true
  if (isSwitchedOn(headers, ownHeaders.bypass)) return true
  // Amazon's signature covers exactly these bytes.
  return headers.authorization?.startsWith('AWS4-') === true
}

function readPassed(headers: IncomingMessage['headers']): readonly string[] {
  const given = headers[ownHeaders.passed]
  return given === undefined
    ? []
    : String(given)
        .split(',')
        .map((id) => id.trim())
}

async function perform(open: Exchange, result: ActResult): Promise<ExchangeOutcome> {
  switch (result.type) {
    case 'answer':
      return sendAct(open, result, { status: 200, contentType: result.contentType })
    case 'refuse':
      return sendAct(open, result, { status: result.status, contentType: 'application/json' })
    case 'replace':
    case 'pass':
      return await forward(open, result)
  }
}

function sendAct(
  open: Exchange,
  result: ActResult & { readonly body: Uint8Array },
  { status, contentType }: { readonly status: number; readonly contentType: string },
): ExchangeOutcome {
  const { response, reader } = open
  const { body } = result
  const headers = ['content-type', contentType]
  reader?.start(headers)
  reader?.write(body)
  response.writeHead(status, [
    ...headers,
    'content-length',
    String(body.length),
    ...renderAdded(open, result),
  ])
  response.end(body)
  return { status, result }
}

/**
 * Sends the body unchanged, or as an action changed it. If the provider reports that it is too
 * long, an action may shorten it, once.
 */
async function forward(open: Exchange, first: ActResult): Promise<ExchangeOutcome> {
  const { host, asked, client } = open
  const isHeld = (status: number) => asked?.purpose === 'generate' && status >= 400 && status < 500
  const end = await send(open, first, isHeld)
  const overflow = asked && end.type === 'held' ? await readOverflow(end.answer) : undefined
  const refused = findReplaced(first)
  const second =
    asked && overflow ? await host.acts.decide({ ...asked, overflow, refused }, client) : PASS
  if (second.type !== 'replace') return { status: settle(open, end), result: first }
  return { status: settle(open, await send(open, second)), result: second }
}

function send(
  open: Exchange,
  result: ActResult,
  isHeld?: (status: number) => boolean,
): Promise<RelayEnd> {
  const { host, request, response, route, body, passed, reader } = open
  const replaced = findReplaced(result)
  const base = host.upstreams[route.upstream]
  return relay({
    isHeld,
    dispatcher: host.dispatcher,
    outgoing: {
      ...locate(base, route),
      method: request.method ?? 'GET',
      headers: passRequestHeaders(request.rawHeaders, {
        isVendor: isVendor(route.upstream, base),
        passed: [...passed, host.id].join(', '),
        isWhole: body.type !== 'stream',
        isReplaced: replaced !== undefined,
      }),
      body:
        replaced ??
        (body.type === 'whole' ? body.bytes : body.type === 'stream' ? body.stream : undefined),
    },
    response,
    added: renderAdded(open, result),
    watcher: reader,
  })
}

/** Headers with the action, its tokens and the path of the page. Empty if no action was taken. */
function renderAdded({ asked }: Exchange, result: ActResult): string[] {
  const { act: name, tokensBefore: before, tokensAfter: after, page } = ownHeaders
  const record = findRecord(result)
  if (!record || !asked) return []
  const { act, tokensBefore, tokensAfter } = record
  const path = renderPagePath(asked.owner.id)
  return [name, act, before, String(tokensBefore), after, String(tokensAfter), page, path]
}

const findReplaced = (result: ActResult) => (result.type === 'replace' ? result.body : undefined)

function findRecord(result: ActResult): ActRecord | undefined {
  return 'record' in result ? result.record : undefined
}

/** Ends the answer. Returns the status that the client got. */
function settle({ host, response, route }: Exchange, end: RelayEnd): number {
  switch (end.type) {
    case 'sent':
      return end.status
    case 'broken':
      return end.status ?? 0
    case 'held':
      if (response.destroyed) return 0
      writeHead(response, end.answer)
      response.end(end.answer.body)
      return end.answer.status
    case 'unreachable': {
      const { origin } = locate(host.upstreams[route.upstream], route)
      const reason = systemErrorCode(end.error) ?? end.error.name
      host.note(`${origin} cannot be reached: ${reason}`)
      sendOwn(
        response,
        renderProblem(502, `${origin} cannot be reached (${reason}). Nothing was changed`),
      )
      return 502
    }
  }
}

const MOST_ERROR_BYTES = 4 << 20

/** Undefined for every other error, and for one that cannot be read. */
async function readOverflow({ status, headers, body }: HeldAnswer): Promise<Overflow | undefined> {
  const text = await decodeContent(
    body,
    readRawHeader(headers, 'content-encoding'),
    MOST_ERROR_BYTES,
  )
  return text && findOverflow({ status, body: Buffer.from(text).toString() })
}
